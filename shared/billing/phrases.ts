const MONEY = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

export function formatDollars(cents: number): string {
  return MONEY.format(cents / 100);
}

/** Formats a count with its unit: `1 day`, `3 days`. */
export function formatCount(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
