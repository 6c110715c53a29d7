/** PostgreSQL stores neither NUL characters nor unpaired surrogates, as text or in JSON. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '').replace(/\p{Cs}/gu, '');
}

/** Returns a copy of a JSON value from outside without the characters that cannot be stored. */
export function toStorable<T>(value: T): T {
  const clean = (_key: string, member: unknown) =>
    typeof member === 'string' ? toStorableText(member) : member;
  return JSON.parse(JSON.stringify(value), clean) as T;
}
