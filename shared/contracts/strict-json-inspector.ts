const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_FAULTS = 50;
const MAX_KEY_SHOWN = 64;
const MAX_PATH_SHOWN = 256;
/**
 * Far above what any contract takes (200 lines of a dozen members). A schema finds a fault in each item of a list that is too long: it took seconds to refuse a
 * mebibyte of zeros, and the answer was many times its size.
 */
export const MAX_VALUES = 10_000;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)((?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
/** In a `u` regexp a well-formed pair is one code point, so this finds lone surrogates only. */
const FORBIDDEN_CHARACTER = /\0|\p{Surrogate}/u;
const INTEGER_MESSAGE = 'Integers must lie within ±9007199254740991';
const CHARACTER_MESSAGE = 'NUL characters and unpaired surrogates are not allowed';

/** Why a body is refused. `field` is a JSON path such as `line_items[2].name`, '' for the whole body. */
export interface JsonFault {
  field: string;
  code: string;
  message: string;
}

export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/** Thrown to end the reading; its reason was recorded before. */
class Stop extends Error {}

/**
 * The slow reader of strict-json.ts: a recursive descent, no deeper than `maxDepth`, that records
 * faults with their paths and builds the value.
 */
export class StrictJsonInspector {
  private readonly faults: JsonFault[] = [];
  private readonly path: (string | number)[] = [];
  private at = 0;
  private values = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  /**
   * Reads the text: its value, and its faults, a syntax error first. With faults the value means
   * nothing.
   */
  inspect(): { value: unknown; faults: JsonFault[] } {
    let value: unknown;
    try {
      if (this.text.startsWith('\ufeff')) this.fail('no byte order mark');
      value = this.value(0);
      if (this.peek() !== '') this.fail('the end of the body');
    } catch (error) {
      if (!(error instanceof Stop)) throw error;
    }
    return { value, faults: this.faults.slice(0, MAX_FAULTS) };
  }

  /** Reads one value that lies within `depth` objects and arrays. */
  private value(depth: number): unknown {
    const first = this.peek();
    this.values++;
    if (this.values > MAX_VALUES) this.stopTooMany();
    if (first === '{' || first === '[') {
      if (depth >= this.maxDepth) this.stopTooDeep();
      return first === '{' ? this.object(depth + 1) : this.array(depth + 1);
    }
    if (first !== '"') return this.scalar();
    const text = this.string();
    if (FORBIDDEN_CHARACTER.test(text)) this.report('forbidden_character', CHARACTER_MESSAGE);
    return text;
  }

  private object(depth: number): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    const keys = new Map<string, boolean>();
    this.list('}', () => {
      if (this.peek() !== '"') this.fail('a key in double quotes');
      const key = this.string();
      this.path.push(key);
      this.checkKey(key, keys);
      if (this.peek() !== ':') this.fail('":"');
      this.at++;
      members[key] = this.value(depth);
    });
    return members;
  }

  private array(depth: number): unknown[] {
    const items: unknown[] = [];
    this.list(']', (index) => {
      this.path.push(index);
      items.push(this.value(depth));
    });
    return items;
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

  /**
   * Reads from bracket to bracket; `readItem` puts the item on the path and reads it to its end.
   */
  private list(close: string, readItem: (index: number) => void): void {
    this.at++;
    let next = this.peek() === close ? close : ',';
    for (let index = 0; next === ','; index++) {
      readItem(index);
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

  private scalar(): unknown {
    SCALAR.lastIndex = this.at;
    const [token, decimals] = SCALAR.exec(this.text) ?? this.fail('a value');
    this.at = SCALAR.lastIndex;
    // Words become NaN, which is never too large.
    const size = Math.abs(Number(token));
    if (decimals === '' && size > Number.MAX_SAFE_INTEGER) this.report('unsafe_integer', INTEGER_MESSAGE);
    else if (size === Number.POSITIVE_INFINITY) this.report('unsafe_number', 'This number is too large');
    return JSON.parse(token);
  }

  private stopTooDeep(): never {
    this.report('too_deep', `Objects and arrays may be nested at most ${this.maxDepth} levels deep`);
    throw new Stop();
  }

  private stopTooMany(): never {
    this.report('too_many_values', `A body may have ${MAX_VALUES} members and items at most`);
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
