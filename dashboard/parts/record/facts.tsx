import type { ReactNode } from 'react';

/** A list of names and values. Omits a value of undefined, and shows null as a dash. */
export function Facts({ items }: { items: Readonly<Record<string, ReactNode | undefined>> }) {
  return (
    <dl className="facts">
      {Object.entries(items)
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value === null || value === '' ? '–' : value}</dd>
          </div>
        ))}
    </dl>
  );
}
