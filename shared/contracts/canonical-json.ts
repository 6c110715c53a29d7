import { createHash } from 'node:crypto';

/**
 * Writes a JSON value in the one form that RFC 8785 (JSON Canonicalization Scheme) gives it: no blanks, keys
 * sorted by UTF-16 code units, numbers and strings as ECMAScript writes them. `-0` is written as `0`.
 *
 * As in `JSON.stringify`, members whose value is `undefined` are left out and `toJSON` (a Date) is honoured.
 *
 * @throws TypeError for what JSON cannot hold: NaN, infinities, bigint, functions, symbols, and undefined
 *   outside a member
 */
export function canonicalJson(value: unknown): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number' && Number.isFinite(value)) return JSON.stringify(value);
  if (typeof value !== 'object') throw new TypeError(`No canonical JSON for a value of type ${typeof value}`);
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') return canonicalJson(value.toJSON());
  const members = value as Record<string, unknown>;
  const written: string[] = [];
  // The default order of sort() is by UTF-16 code units, which is what RFC 8785, 3.2.3 asks for.
  for (const key of Object.keys(members).sort()) {
    const member = members[key];
    if (member !== undefined) written.push(`${JSON.stringify(key)}:${canonicalJson(member)}`);
  }
  return `{${written.join(',')}}`;
}

/**
 * Fingerprints a request body for idempotency: bodies that differ only in blanks or key order are equal.
 *
 * @param value the parsed body; `undefined` (no body) is hashed as the empty string, which no JSON value is
 * @returns the SHA-256 of the canonical JSON in UTF-8, 64 lower-case hex digits
 * @throws TypeError as {@link canonicalJson}
 */
export function hashBody(value: unknown): string {
  const text = value === undefined ? '' : canonicalJson(value);
  return createHash('sha256').update(text, 'utf8').digest('hex');
}
