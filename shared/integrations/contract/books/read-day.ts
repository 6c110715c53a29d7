/** Returns a vendor's day, YYYY-MM-DD; null for a text of another form. */
export function readDay(text: string | undefined): string | null {
  const isDay = /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/.test(text ?? '');
  return isDay ? (text as string) : null;
}
