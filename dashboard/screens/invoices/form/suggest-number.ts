const FIRST_NUMBER = 'INV-1001';

/**
 * Returns the number that follows the newest invoice's number: "INV-1177" follows "INV-1176". The
 * number may be taken; the server then refuses it.
 */
export function suggestNumber(newest: string | undefined): string {
  if (newest === undefined) return FIRST_NUMBER;
  const digits = /\d{1,15}$/.exec(newest)?.[0];
  if (digits === undefined) return `${newest}-2`;
  const next = String(Number(digits) + 1).padStart(digits.length, '0');
  return newest.slice(0, -digits.length) + next;
}
