/**
 * Returns the text as PostgreSQL can store it: without NUL characters, and with U+FFFD for each
 * unpaired surrogate.
 */
export function toStorableText(text: string): string {
  return Buffer.from(text.replaceAll('\0', '')).toString();
}

/** Returns a copy of a JSON value from outside without the characters that cannot be stored. */
export function toStorable<T>(value: T): T {
  const clean = (_key: string, member: unknown) =>
    typeof member === 'string' ? toStorableText(member) : member;
  return JSON.parse(JSON.stringify(value), clean) as T;
}
