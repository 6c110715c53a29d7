import type { ReactNode } from 'react';

/** A wide region that scrolls sideways, with the mouse or the keyboard. */
export function ScrollRegion({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls here
    <section className="scroll-region" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
