import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { useUrlPath, useUrlSearch } from '../parts/url/use-url';

const ENVIRONMENTS = [
  { value: 'live', label: 'Live' },
  { value: 'sandbox', label: 'Sandbox' },
];

/**
 * True from a switch until the page has read the session of the other environment. The page shows
 * no frame meanwhile, so the switch is made anew and must get the focus back.
 */
let isSwitching = false;

/**
 * Switches between the account and its sandbox. Removes filters, pages and open records from the
 * URL, because they mean nothing in the other environment.
 */
export function EnvironmentSwitch() {
  const search = useUrlSearch();
  const { screen } = useUrlPath();
  const navigate = useNavigate();
  const environment = search.env === 'sandbox' ? 'sandbox' : 'live';
  const choose = async (value: string) => {
    if (value === environment) return;
    isSwitching = true;
    await navigate({ to: `/${screen}`, search: (value === 'sandbox' ? { env: 'sandbox' } : {}) as never });
  };
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (isSwitching) root.current?.querySelector<HTMLElement>('input:checked')?.focus();
    isSwitching = false;
  }, []);
  return (
    <div ref={root} role="radiogroup" aria-label="Environment" className="segments">
      {ENVIRONMENTS.map(({ value, label }) => (
        <label key={value} data-value={value}>
          <input
            type="radio"
            name="environment"
            value={value}
            checked={value === environment}
            onChange={() => void choose(value)}
          />
          {label}
        </label>
      ))}
    </div>
  );
}
