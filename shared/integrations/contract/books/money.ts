/**
 * Returns an amount in dollars for a JSON body. The digits are put together as text and converted
 * once, because a division would round.
 */
export function toAmount(cents: number): number {
  const digits = String(Math.abs(cents)).padStart(3, '0');
  return Number(`${cents < 0 ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

export function toCents(amount: number | undefined): number {
  return Number((amount ?? 0).toFixed(2).replace('.', ''));
}
