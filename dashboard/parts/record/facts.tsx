import type { ReactNode } from 'react';

/** Names and values of a record. A value of undefined is left out; null shows a dash. */
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
