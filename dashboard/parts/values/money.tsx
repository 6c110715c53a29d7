const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

/** Formats US cents: 125000 is "$1,250.00". */
export function formatCents(cents: number): string {
  return dollars.format(cents / 100);
}

/**
 * Parses an amount that a person typed, such as "1,250.5". Returns cents, or undefined if the text
 * is not a valid amount.
 */
export function parseCents(text: string): number | undefined {
  const match = /^\s*(-?)\$?\s*(\d{1,3}(?:,\d{3})+|\d+)?(?:\.(\d{0,2}))?\s*$/.exec(text);
  if (!match || (match[2] === undefined && !match[3])) return undefined;
  const [, sign, whole = '0', part = ''] = match;
  const cents = Number(whole.replaceAll(',', '')) * 100 + Number(part.padEnd(2, '0'));
  return sign === '-' ? -cents : cents;
}

/** An amount in digits of equal width, so that the digits in a column align. */
export function Money({ cents }: { cents: number }) {
  return <span className="digits">{formatCents(cents)}</span>;
}
