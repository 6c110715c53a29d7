import type { ReactNode } from 'react';

/**
 * A short hint on hover and on focus. Unlike a tooltip of the component library, it needs no
 * script. Never put important information into the hint alone.
 */
export function Tip({ label, children }: { label: string; children: ReactNode }) {
  return (
    <span className="tip" data-tip={label}>
      {children}
    </span>
  );
}
