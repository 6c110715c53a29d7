import type { BookCustomer } from '../accounting.js';

/** The beginning of our ids is a time, so the end tells two customers apart. */
const SHORT_ID = 8;

/**
 * Builds a name that no other customer of ours has. It ends with the end of our id, so that a
 * repetition finds the customer again.
 */
export function buildOwnName(
  { customerId }: Pick<BookCustomer, 'customerId'>,
  name: string,
  maxChars: number,
): string {
  const suffix = ` (${customerId?.replaceAll('-', '').slice(-SHORT_ID) ?? 'customer'})`;
  return `${name.slice(0, maxChars - suffix.length)}${suffix}`;
}

/** True if a vendor that ignores the case of names takes both for the same name. */
export function isSameName(one: string | undefined, other: string): boolean {
  return (one ?? '').toLowerCase() === other.toLowerCase();
}
