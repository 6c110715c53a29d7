import { isUtf8 } from 'node:buffer';
import {
  isForbiddenKey,
  type JsonProblem,
  MAX_JSON_VALUES,
  StrictJsonInspector,
} from './strict-json-inspector.js';

/** The value, or every problem found (at most 50). */
export type StrictJsonResult = { ok: true; value: unknown } | { ok: false; problems: JsonProblem[] };

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Brackets and braces differ only in this bit, which is set in braces. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const INVALID_UTF8: JsonProblem = { field: '', code: 'invalid_utf8', message: 'The body is not valid UTF-8' };
/**
 * Matches escapes of NUL and of surrogates. In UTF-8 JSON, NUL and lone surrogates can occur only
 * as escapes. Escapes of surrogate pairs also match, and the inspector then accepts them.
 */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Works around a bug of JSON.parse in Node 24.21 that Node 20 and 22 do not have. After a body with
 * a key that is a single backslash, JSON.parse may read an escaped key of a later body as a
 * backslash: `{"a":1,"\u0062":2}` becomes `{a: 1, '\\': 2}`. If JSON.parse returns this key, the
 * inspector therefore reads the body again.
 */
const MISREAD_KEY = '\\';

/**
 * Reads a request body as JSON, more strictly than `JSON.parse` (docs/decisions.md §5, Limits).
 * Most bodies need only a UTF-8 check, `JSON.parse` and two cheap passes. If `JSON.parse` or a pass
 * refuses the body, the slow inspector reads it again and finds every problem with its path. Never
 * throws.
 *
 * @param bytes the raw body; an empty body is `invalid_json`
 * @param limits.maxDepth how many objects and arrays may be nested in each other
 * @returns the value, or problems with these codes: `invalid_utf8` (alone), `invalid_json` (first),
 * `too_deep` and `too_many_values` (each stops the reading), `duplicate_key`, `forbidden_key`,
 * `forbidden_character`, `unsafe_integer`, `unsafe_number`. Their messages never quote the body.
 */
export function parseStrictJson(bytes: Buffer, { maxDepth } = { maxDepth: 20 }): StrictJsonResult {
  if (!isUtf8(bytes)) return { ok: false, problems: [{ ...INVALID_UTF8 }] };
  const text = bytes.toString('utf8');
  const members = countMembers(bytes, maxDepth);
  let value: unknown;
  try {
    // `members` is NaN if the body is too deep or may have too many values. Skip JSON.parse then,
    // because it takes 150 ms for 1 MiB of deep nesting.
    if (!Number.isNaN(members)) value = JSON.parse(text);
  } catch {
    return { ok: false, problems: new StrictJsonInspector(text, maxDepth).inspect().problems };
  }
  const escapesAreSafe = !text.includes('\\') || !SUSPECT_ESCAPE.test(text);
  // JSON.parse keeps only one of several equal keys. With duplicate keys, the text therefore has
  // more keys than the value.
  if (escapesAreSafe && countKeys(value) === members) return { ok: true, value };
  const inspected = new StrictJsonInspector(text, maxDepth).inspect();
  return inspected.problems.length === 0
    ? { ok: true, value: inspected.value }
    : { ok: false, problems: inspected.problems };
}

/**
 * Converts the problems to validation errors, if all of them concern characters that PostgreSQL
 * cannot store. Returns undefined if there is any other problem.
 */
export function findTextProblems(faults: readonly JsonProblem[]): JsonProblem[] | undefined {
  if (!faults.every(({ code }) => code === 'forbidden_character')) return undefined;
  return faults.map(({ field, code }) => ({
    field,
    code,
    message: `${field || 'The body'} must not contain NUL characters or unpaired surrogates`,
  }));
}

/**
 * Counts the members in a JSON text by counting colons outside strings. Reads bytes, which is
 * faster than reading characters. Returns NaN if the JSON is nested too deep or may have too many
 * values. For invalid JSON the count is meaningless, but JSON.parse refuses that text.
 */
function countMembers(bytes: Buffer, maxDepth: number): number {
  let members = 0;
  let depth = 0;
  // An upper bound for the number of values: one for the whole body, one after each comma, and one
  // at the start of each array or object.
  let values = 1;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
    } else if (byte === COLON) members++;
    else if (byte === COMMA) values++;
    else if ((byte | BRACE_BIT) === CLOSING) depth--;
    else if ((byte | BRACE_BIT) === OPENING) {
      values++;
      if (++depth > maxDepth) return Number.NaN;
    }
  }
  // `values` is an upper bound. If it exceeds the limit, return NaN, so that the inspector counts
  // the values exactly.
  return values > MAX_JSON_VALUES ? Number.NaN : members;
}

/**
 * Counts the keys of a value and of all values inside it. Returns NaN, which differs from every
 * count, if the inspector must check the value.
 */
function countKeys(value: unknown): number {
  // A large number is allowed if it is written with a fraction or an exponent. Only the text shows
  // the form of the number, so the inspector decides.
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER ? 0 : Number.NaN;
  if (typeof value !== 'object' || value === null) return 0;
  let keys = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) keys += countKeys(value[i]);
    return keys;
  }
  const members = value as Record<string, unknown>;
  for (const key in members) {
    if (isForbiddenKey(key) || key === MISREAD_KEY) return Number.NaN;
    keys += 1 + countKeys(members[key]);
  }
  return keys;
}
