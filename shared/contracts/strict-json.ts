import { isUtf8 } from 'node:buffer';

/** Why a body is refused. `field` is a JSON path such as `line_items[2].name`, '' for the whole body. */
export interface JsonFault {
  field: string;
  code: string;
  message: string;
}

/** What reading a body gives: the value, or every fault found (at most 50). */
export type StrictJsonResult = { ok: true; value: unknown } | { ok: false; faults: JsonFault[] };

const MAX_FAULTS = 50;
const MAX_KEY_SHOWN = 64;
const MAX_PATH_SHOWN = 256;
const QUOTE = 0x22;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
/** Brackets and braces differ in this bit only: with it set, all of them look like braces. */
const BRACE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)((?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
/** In a `u` regexp a well-formed pair is one code point, so this finds lone surrogates only. */
const FORBIDDEN_CHARACTER = /\0|\p{Surrogate}/u;
const INVALID_UTF8: JsonFault = { field: '', code: 'invalid_utf8', message: 'The body is not valid UTF-8' };
const INTEGER_MESSAGE = 'Integers must lie within ±9007199254740991';
const CHARACTER_MESSAGE = 'NUL characters and unpaired surrogates are not allowed';
/** Only escapes bring NUL or lone surrogates into UTF-8 JSON. Pairs match too: the inspector tells. */
const SUSPECT_ESCAPE = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * Reads a request body as JSON and refuses what `JSON.parse` lets pass (decisions, section 5, Limits).
 * The common case costs a UTF-8 check, `JSON.parse` and two cheap passes; only a body that fails one of
 * these is read again by the slow inspector, which finds every fault and its place. Never throws.
 *
 * @param bytes the raw body; an empty one is `invalid_json`
 * @param limits how many objects and arrays may be nested in each other
 * @returns the value, or faults: `invalid_utf8` (alone), `invalid_json` (first), `too_deep` (nothing after it is
 *   read), `duplicate_key`, `forbidden_key`, `forbidden_character`, `unsafe_integer`, `unsafe_number`; messages
 *   quote nothing of the body
 */
export function parseStrictJson(bytes: Buffer, { maxDepth } = { maxDepth: 20 }): StrictJsonResult {
  if (!isUtf8(bytes)) return { ok: false, faults: [{ ...INVALID_UTF8 }] };
  const text = bytes.toString('utf8');
  const members = countMembers(bytes, maxDepth);
  let value: unknown;
  try {
    // Deep nesting never reaches JSON.parse, which takes 150 ms for a mebibyte of brackets.
    if (!Number.isNaN(members)) value = JSON.parse(text);
  } catch {
    return { ok: false, faults: new Inspector(text, maxDepth).inspect() };
  }
  const escapesAreSafe = !text.includes('\\') || !SUSPECT_ESCAPE.test(text);
  // JSON.parse keeps one of several equal keys, so the text then has more members than the value.
  if (escapesAreSafe && countKeys(value) === members) return { ok: true, value };
  const faults = new Inspector(text, maxDepth).inspect();
  return faults.length === 0 ? { ok: true, value } : { ok: false, faults };
}

/**
 * Counts the members of JSON, which are its colons outside strings; NaN if it is nested too deep. Bytes are
 * faster than characters. In anything but JSON the count means nothing, but JSON.parse refuses that.
 */
function countMembers(bytes: Buffer, maxDepth: number): number {
  let members = 0;
  let depth = 0;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i]!;
    if (byte === QUOTE) {
      for (i++; i < bytes.length && bytes[i] !== QUOTE; i++) if (bytes[i] === BACKSLASH) i++;
    } else if (byte === COLON) members++;
    else if ((byte | BRACE_BIT) === CLOSING) depth--;
    else if ((byte | BRACE_BIT) === OPENING && ++depth > maxDepth) return Number.NaN;
  }
  return members;
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
    if (isForbiddenKey(key)) return Number.NaN;
    keys += 1 + countKeys(members[key]);
  }
  return keys;
}

function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/** Thrown to end the reading; its reason was recorded before. */
class Stop extends Error {}

/** The slow reader: a recursive descent, no deeper than `maxDepth`, that records faults with their paths. */
class Inspector {
  private readonly faults: JsonFault[] = [];
  private readonly path: (string | number)[] = [];
  private at = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  /** Lists the faults of the text, a syntax error first. */
  inspect(): JsonFault[] {
    try {
      if (this.text.startsWith('\ufeff')) this.fail('no byte order mark');
      this.value(0);
      if (this.peek() !== '') this.fail('the end of the body');
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
    }
    return this.faults.slice(0, MAX_FAULTS);
  }

  /** Reads one value that lies within `depth` objects and arrays. */
  private value(depth: number): void {
    const first = this.peek();
    if (first === '{' || first === '[') {
      if (depth >= this.maxDepth) this.stopTooDeep();
      if (first === '{') this.object(depth + 1);
      else this.list(']', depth + 1, (index) => this.path.push(index));
    } else if (first === '"') {
      if (FORBIDDEN_CHARACTER.test(this.string())) this.report('forbidden_character', CHARACTER_MESSAGE);
    } else {
      this.scalar();
    }
  }

  private object(depth: number): void {
    const keys = new Map<string, boolean>();
    this.list('}', depth, () => {
      if (this.peek() !== '"') this.fail('a key in double quotes');
      const key = this.string();
      this.path.push(key);
      this.checkKey(key, keys);
      if (this.peek() !== ':') this.fail('":"');
      this.at++;
    });
  }

  /** `keys` maps each key of the object so far to whether its repetition was reported already. */
  private checkKey(key: string, keys: Map<string, boolean>): void {
    const reported = keys.get(key);
    keys.set(key, reported !== undefined);
    if (reported === false) this.report('duplicate_key', 'This key occurs more than once in its object');
    if (reported !== undefined) return;
    if (isForbiddenKey(key)) this.report('forbidden_key', 'This key is not allowed');
    if (FORBIDDEN_CHARACTER.test(key)) this.report('forbidden_character', CHARACTER_MESSAGE);
  }

  /** Reads from bracket to bracket; `enter` reads up to an item's value and puts the item on the path. */
  private list(close: string, depth: number, enter: (index: number) => void): void {
    this.at++;
    let next = this.peek() === close ? close : ',';
    for (let index = 0; next === ','; index++) {
      enter(index);
      this.value(depth);
      this.path.pop();
      next = this.peek();
      if (next !== ',' && next !== close) this.fail(`"," or "${close}"`);
      if (next === ',') this.at++;
    }
    this.at++;
  }

  /** Reads a string and returns it with its escapes resolved. */
  private string(): string {
    for (let i = this.at + 1; i < this.text.length; i++) {
      const code = this.text.charCodeAt(i);
      if (code < 0x20) this.fail('control characters in strings to be escaped', i);
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = i;
        if (!ESCAPE.test(this.text)) this.fail('a valid escape sequence', i);
        i = ESCAPE.lastIndex - 1;
      }
      if (code !== QUOTE) continue;
      const raw = this.text.slice(this.at + 1, i);
      this.at = i + 1;
      return raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw;
    }
    return this.fail('the end of a string', this.text.length);
  }

  private scalar(): void {
    SCALAR.lastIndex = this.at;
    const [token, decimals] = SCALAR.exec(this.text) ?? this.fail('a value');
    this.at = SCALAR.lastIndex;
    // Words become NaN, which is never too large.
    const size = Math.abs(Number(token));
    if (decimals === '' && size > Number.MAX_SAFE_INTEGER) this.report('unsafe_integer', INTEGER_MESSAGE);
    else if (size === Number.POSITIVE_INFINITY) this.report('unsafe_number', 'This number is too large');
  }

  private stopTooDeep(): never {
    this.report('too_deep', `Objects and arrays may be nested at most ${this.maxDepth} levels deep`);
    throw new Stop();
  }

  /** Passes over blanks and returns the character after them, '' at the end. */
  private peek(): string {
    let code = this.text.charCodeAt(this.at);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = this.text.charCodeAt(++this.at);
    }
    return this.text.charAt(this.at);
  }

  private report(code: string, message: string): void {
    if (this.faults.length < MAX_FAULTS) this.faults.push({ field: renderPath(this.path), code, message });
  }

  /** Lines and columns count from 1, columns in UTF-16 units. */
  private fail(expected: string, offset = this.at): never {
    const lines = this.text.slice(0, offset).split('\n');
    const place = `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
    const message = `The body is not valid JSON: expected ${expected} at ${place}`;
    this.faults.unshift({ field: '', code: 'invalid_json', message });
    throw new Stop();
  }
}

/** May cut a pair of surrogates in two: JSON.stringify, here or in the answer, escapes what is left. */
const cut = (text: string, length: number) => (text.length > length ? `${text.slice(0, length)}…` : text);

/** Renders a path as `a.b[2]`, odd keys as `["odd key"]`; long ones are cut, so that no body is echoed. */
function renderPath(path: readonly (string | number)[]): string {
  let shown = '';
  for (const step of path) {
    const key = cut(String(step), MAX_KEY_SHOWN);
    if (typeof step === 'number') shown += `[${step}]`;
    else if (!PLAIN_KEY.test(key)) shown += `[${JSON.stringify(key)}]`;
    else shown += shown === '' ? key : `.${key}`;
  }
  return cut(shown, MAX_PATH_SHOWN);
}
