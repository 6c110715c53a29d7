import { isUtf8 } from 'node:buffer';
import { isForbiddenKey, type JsonFault, MAX_VALUES, StrictJsonInspector } from './strict-json-inspector.js';

/** What reading a body gives: the value, or every fault found (at most 50). */
export type StrictJsonResult = { ok: true; value: unknown } | { ok: false; faults: JsonFault[] };

const QUOTE = 0x22;
const COLON = 0x3a;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
/** Brackets and braces differ in this bit only: with it set, all of them look like braces. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const INVALID_UTF8: JsonFault = { field: '', code: 'invalid_utf8', message: 'The body is not valid UTF-8' };
/** Only escapes bring NUL or lone surrogates into UTF-8 JSON. Pairs match too: the inspector tells. */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Once any body had a key of a single backslash, JSON.parse of Node 24.21 may give this name to an
 * escaped key of another body: `{"a":1,"\u0062":2}` becomes `{a: 1, '\\': 2}`. Node 20 and 22 do
 * not. The inspector reads such a body instead.
 */
const MISREAD_KEY = '\\';

/**
 * Reads a request body as JSON and refuses what `JSON.parse` lets pass (decisions, section 5, Limits).
 * The common case costs a UTF-8 check, `JSON.parse` and two cheap passes; only a body that fails one of
 * these is read again by the slow inspector, which finds every fault and its place. Never throws.
 *
 * @param bytes the raw body; an empty one is `invalid_json`
 * @param limits how many objects and arrays may be nested in each other
 * @returns the value, or faults: `invalid_utf8` (alone), `invalid_json` (first), `too_deep` and `too_many_values`
 *   (nothing after it is read), `duplicate_key`, `forbidden_key`, `forbidden_character`, `unsafe_integer`, `unsafe_number`; messages
 *   quote nothing of the body
 */
export function parseStrictJson(bytes: Buffer, { maxDepth } = { maxDepth: 20 }): StrictJsonResult {
  if (!isUtf8(bytes)) return { ok: false, faults: [{ ...INVALID_UTF8 }] };
  const text = bytes.toString('utf8');
  const members = countMembers(bytes, maxDepth);
  let value: unknown;
  try {
    // Neither deep nesting, for a mebibyte of which JSON.parse takes 150 ms, nor a multitude reaches it.
    if (!Number.isNaN(members)) value = JSON.parse(text);
  } catch {
    return { ok: false, faults: new StrictJsonInspector(text, maxDepth).inspect().faults };
  }
  const escapesAreSafe = !text.includes('\\') || !SUSPECT_ESCAPE.test(text);
  // JSON.parse keeps one of several equal keys, so the text then has more members than the value.
  if (escapesAreSafe && countKeys(value) === members) return { ok: true, value };
  const inspected = new StrictJsonInspector(text, maxDepth).inspect();
  return inspected.faults.length === 0
    ? { ok: true, value: inspected.value }
    : { ok: false, faults: inspected.faults };
}

/**
 * The faults as faults of single fields, when nothing else is wrong: the body is sound JSON, and
 * texts in it hold characters that PostgreSQL cannot store. Undefined when the JSON itself is at
 * fault.
 */
export function faultsOfTexts(faults: readonly JsonFault[]): JsonFault[] | undefined {
  if (!faults.every(({ code }) => code === 'forbidden_character')) return undefined;
  return faults.map(({ field, code }) => ({
    field,
    code,
    message: `${field || 'The body'} must not contain NUL characters or unpaired surrogates`,
  }));
}

/**
 * Counts the members of JSON, which are its colons outside strings; NaN if it is nested too deep or has too many
 * values. Bytes are faster than characters. In anything but JSON the count means nothing, but JSON.parse refuses that.
 */
function countMembers(bytes: Buffer, maxDepth: number): number {
  let members = 0;
  let depth = 0;
  // One for the whole, one behind each comma, one in each bracket: at least as many as there are.
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
  // Perhaps too many: the inspector counts them.
  return values > MAX_VALUES ? Number.NaN : members;
}

/** Counts the keys of a parsed value; NaN, which equals no count, if a key or a number is suspect. */
function countKeys(value: unknown): number {
  // Large numbers with an exponent are allowed, but only their text can tell: the inspector looks.
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
