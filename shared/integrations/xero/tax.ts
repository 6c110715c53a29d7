import type { BookLine } from '../contract/accounting.js';

/**
 * Shares an invoice's tax between its taxed lines, in proportion to their amounts. The shares add
 * up to the tax to the cent: this service rounds the tax of an invoice once, and Xero adds up the
 * tax of the lines.
 */
export function shareTax(
  lines: readonly Pick<BookLine, 'isTaxable' | 'totalCents'>[],
  taxCents: number,
): number[] {
  const weights = lines.map(({ isTaxable, totalCents }) => (isTaxable ? totalCents : 0));
  const base = weights.reduce((sum, weight) => sum + weight, 0);
  const first = Math.max(
    0,
    lines.findIndex(({ isTaxable }) => isTaxable),
  );
  if (base === 0) return lines.map((_, nth) => (nth === first ? taxCents : 0));
  let sharedBase = 0;
  let shared = 0;
  return weights.map((weight) => {
    sharedBase += weight;
    // Round the sum so far, and not each share, so that no cent is lost.
    const next = Math.round((taxCents * sharedBase) / base);
    const share = next - shared;
    shared = next;
    return share;
  });
}
