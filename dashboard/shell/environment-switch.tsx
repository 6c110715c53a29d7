import { SegmentedControl } from '@mantine/core';
import { useNavigate } from '@tanstack/react-router';
import { useUrlPath, useUrlSearch } from '../parts/url/use-url';

/**
 * Chooses between the account and its sandbox. Switching shows the screen anew: filters, pages and
 * open records of one environment mean nothing in the other.
 */
export function EnvironmentSwitch() {
  const search = useUrlSearch();
  const { screen } = useUrlPath();
  const navigate = useNavigate();
  const environment = search.env === 'sandbox' ? 'sandbox' : 'live';
  const choose = async (value: string) => {
    if (value === environment) return;
    await navigate({ to: `/${screen}`, search: (value === 'sandbox' ? { env: 'sandbox' } : {}) as never });
  };
  return (
    <SegmentedControl
      aria-label="Environment"
      size="xs"
      value={environment}
      onChange={(value) => void choose(value)}
      {...(environment === 'sandbox' ? { color: 'yellow' } : {})}
      data={[
        { value: 'live', label: 'Live' },
        { value: 'sandbox', label: 'Sandbox' },
      ]}
    />
  );
}
