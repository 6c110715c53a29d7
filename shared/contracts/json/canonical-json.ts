import { hash } from 'node:crypto';

/**
 * Writes a JSON value in the canonical form of RFC 8785. This form has no white space, and its keys
 * are sorted by UTF-16 code units. Numbers and strings have the format of ECMAScript. `-0` becomes
 * `0`.
 * Like `JSON.stringify`, this function omits members whose value is `undefined` and calls `toJSON`.
 * @throws {TypeError} for values that JSON cannot contain: NaN, infinities, bigint, functions,
 * symbols, and undefined (except as the value of a member)
 */
export function toCanonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== 'object') throw new TypeError(`No canonical JSON for a value of type ${typeof value}`);
  if (Array.isArray(value)) return `[${value.map(toCanonicalJson).join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return toCanonicalJson(value.toJSON());
  const members = value as Record<string, unknown>;
  const written: string[] = [];
  // sort() compares UTF-16 code units by default, as RFC 8785 §3.2.3 requires.
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member !== undefined) written.push(`${JSON.stringify(key)}:${toCanonicalJson(member)}`);
  }
  return `{${written.join(',')}}`;
}

/**
 * Computes the fingerprint of a request body for idempotency. White space and the sequence of keys
 * do not affect the fingerprint.
 *
 * @param value the parsed body; `undefined` (no body) is hashed as the empty string, which is not
 * the canonical form of any JSON value
 * @returns the SHA-256 of the canonical JSON in UTF-8, 64 lower-case hex digits
 * @throws {TypeError} for the same values as {@link toCanonicalJson}
 */
export function hashBody(value: unknown): string {
  const text = value === undefined ? '' : toCanonicalJson(value);
  // The one-shot function takes two thirds of the time of `createHash`.
  return hash('sha256', text, 'hex');
}
