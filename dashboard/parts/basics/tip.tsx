import type { ReactNode } from 'react';

/**
 * A short hint on hover and on focus. Unlike a tooltip of the component library, it costs no
 * script. Whatever a person needs must not stand in the hint alone.
 */
export function Tip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="tip" data-tip={label}>
      {children}
    </span>
  );
}
