/**
 * Returns the text as PostgreSQL can store it: without NUL characters, and with U+FFFD for each
 * unpaired surrogate.
 */
export function toStorableText(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}

/**
 * Copies a JSON value from outside the service, without the characters that PostgreSQL cannot
 * store.
 */
export function toStorable<T>(value: T): T {
  const clean = (_key: string, member: unknown) =>
    typeof member === 'string' ? toStorableText(member) : member;
  return JSON.parse(JSON.stringify(value), clean) as T;
}
