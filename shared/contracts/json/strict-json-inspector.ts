const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const MAX_PROBLEMS = 50;
const MAX_SHOWN_KEY_CHARS = 64;
const MAX_SHOWN_PATH_CHARS = 256;
/**
 * Maximum number of values in a body, far above what any schema accepts (200 line items with a
 * dozen members each). Without this limit, Joi would report a problem for each item of an overlong
 * list. To refuse a list of zeros of 1 MiB, it took seconds, and the response was many times larger
 * than the body.
 */
export const MAX_JSON_VALUES = 10_000;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /true|false|null|-?(?:0|[1-9]\d*)((?:\.\d+)?(?:[eE][+-]?\d+)?)/y;
const PLAIN_KEY = /^[A-Za-z_$][\w$-]*$/;
/**
 * NUL or a lone surrogate. With the flag `u`, a surrogate pair is one code point and does not
 * match.
 */
const FORBIDDEN_CHARACTER = /\0|\p{Surrogate}/u;
const INTEGER_MESSAGE = 'Integers must lie within ±9007199254740991';
const CHARACTER_MESSAGE = 'NUL characters and unpaired surrogates are not allowed';

/** `field` is a JSON path such as `line_items[2].name`; '' means the whole body. */
export interface JsonProblem {
  field: string;
  code: string;
  message: string;
}

export function isForbiddenKey(key: string): boolean {
  return key === '__proto__' || key === 'constructor' || key === 'prototype';
}

/** Thrown to stop reading. The problem is already recorded. */
class StopReading extends Error {}

/**
 * The slow JSON reader of strict-json.ts: a recursive-descent parser that refuses more than
 * `maxDepth` levels and records each problem with its path.
 */
export class StrictJsonInspector {
  private readonly problems: JsonProblem[] = [];
  private readonly path: (string | number)[] = [];
  private offset = 0;
  private valueCount = 0;

  constructor(
    private readonly text: string,
    private readonly maxDepth: number,
  ) {}

  /**
   * Reads the whole text. If there are problems, `value` is meaningless. If there is a syntax
   * error, it is the first problem.
   */
  inspect(): { value: unknown; problems: JsonProblem[] } {
    let value: unknown;
    try {
      if (this.text.startsWith('\ufeff')) this.failSyntax('no byte order mark');
      value = this.readValue(0);
      if (this.peek() !== '') this.failSyntax('the end of the body');
    } catch (error) {
      if (!(error instanceof StopReading)) throw error;
    }
    return { value, problems: this.problems.slice(0, MAX_PROBLEMS) };
  }

  /** @param depth number of objects and arrays around the value */
  private readValue(depth: number): unknown {
    const first = this.peek();
    this.valueCount++;
    if (this.valueCount > MAX_JSON_VALUES) this.stopTooMany();
    if (first === '{' || first === '[') {
      if (depth >= this.maxDepth) this.stopTooDeep();
      return first === '{' ? this.readObject(depth + 1) : this.readArray(depth + 1);
    }
    if (first !== '"') return this.readScalar();
    const text = this.readString();
    if (FORBIDDEN_CHARACTER.test(text)) this.report('forbidden_character', CHARACTER_MESSAGE);
    return text;
  }

  private readObject(depth: number): Record<string, unknown> {
    const members: Record<string, unknown> = {};
    const keys = new Map<string, boolean>();
    this.readItems('}', () => {
      if (this.peek() !== '"') this.failSyntax('a key in double quotes');
      const key = this.readString();
      this.path.push(key);
      this.checkKey(key, keys);
      if (this.peek() !== ':') this.failSyntax('":"');
      this.offset++;
      members[key] = this.readValue(depth);
    });
    return members;
  }

  private readArray(depth: number): unknown[] {
    const items: unknown[] = [];
    this.readItems(']', (index) => {
      this.path.push(index);
      items.push(this.readValue(depth));
    });
    return items;
  }

  /**
   * @param keys maps each key of this object so far to true if its repetition was already reported
   */
  private checkKey(key: string, keys: Map<string, boolean>): void {
    const reported = keys.get(key);
    keys.set(key, reported !== undefined);
    if (reported === false) this.report('duplicate_key', 'This key occurs more than once in its object');
    if (reported !== undefined) return;
    if (isForbiddenKey(key)) this.report('forbidden_key', 'This key is not allowed');
    if (FORBIDDEN_CHARACTER.test(key)) this.report('forbidden_character', CHARACTER_MESSAGE);
  }

  /**
   * Reads comma-separated items up to the bracket `close`. `readItem` reads one item and pushes its
   * key or index onto `path`. `readItems` then removes the key or index.
   */
  private readItems(close: string, readItem: (index: number) => void): void {
    this.offset++;
    let next = this.peek() === close ? close : ',';
    for (let index = 0; next === ','; index++) {
      readItem(index);
      this.path.pop();
      next = this.peek();
      if (next !== ',' && next !== close) this.failSyntax(`"," or "${close}"`);
      if (next === ',') this.offset++;
    }
    this.offset++;
  }

  private readString(): string {
    for (let i = this.offset + 1; i < this.text.length; i++) {
      const code = this.text.charCodeAt(i);
      if (code < 0x20) this.failSyntax('control characters in strings to be escaped', i);
      if (code === BACKSLASH) {
        ESCAPE.lastIndex = i;
        if (!ESCAPE.test(this.text)) this.failSyntax('a valid escape sequence', i);
        i = ESCAPE.lastIndex - 1;
      }
      if (code !== QUOTE) continue;
      const raw = this.text.slice(this.offset + 1, i);
      this.offset = i + 1;
      return raw.includes('\\') ? JSON.parse(`"${raw}"`) : raw;
    }
    return this.failSyntax('the end of a string', this.text.length);
  }

  private readScalar(): unknown {
    SCALAR.lastIndex = this.offset;
    const [token, decimals] = SCALAR.exec(this.text) ?? this.failSyntax('a value');
    this.offset = SCALAR.lastIndex;
    // `true`, `false` and `null` become NaN here, so neither condition below is true for them.
    const size = Math.abs(Number(token));
    if (decimals === '' && size > Number.MAX_SAFE_INTEGER) this.report('unsafe_integer', INTEGER_MESSAGE);
    else if (size === Number.POSITIVE_INFINITY) this.report('unsafe_number', 'This number is too large');
    return JSON.parse(token);
  }

  private stopTooDeep(): never {
    this.report('too_deep', `Objects and arrays may be nested at most ${this.maxDepth} levels deep`);
    throw new StopReading();
  }

  private stopTooMany(): never {
    this.report('too_many_values', `A body may have ${MAX_JSON_VALUES} members and items at most`);
    throw new StopReading();
  }

  /** Skips white space and returns the next character, or '' at the end of the text. */
  private peek(): string {
    let code = this.text.charCodeAt(this.offset);
    while (code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09) {
      code = this.text.charCodeAt(++this.offset);
    }
    return this.text.charAt(this.offset);
  }

  private report(code: string, message: string): void {
    if (this.problems.length < MAX_PROBLEMS)
      this.problems.push({ field: renderPath(this.path), code, message });
  }

  /**
   * Records a syntax error with its line and column, and stops reading. Lines and columns count
   * from 1, columns in UTF-16 units.
   */
  private failSyntax(expected: string, offset = this.offset): never {
    const lines = this.text.slice(0, offset).split('\n');
    const place = `line ${lines.length}, column ${lines.at(-1)!.length + 1}`;
    const message = `The body is not valid JSON: expected ${expected} at ${place}`;
    this.problems.unshift({ field: '', code: 'invalid_json', message });
    throw new StopReading();
  }
}

/** May cut a surrogate pair in half. JSON.stringify escapes the remaining half. */
const truncate = (text: string, length: number) =>
  text.length > length ? `${text.slice(0, length)}…` : text;

/**
 * Renders a path as `a.b[2]`, and unusual keys as `["odd key"]`. Truncates long keys and paths, so
 * that a response does not repeat a large part of the body.
 */
function renderPath(path: readonly (string | number)[]): string {
  let shown = '';
  for (const part of path) {
    const key = truncate(String(part), MAX_SHOWN_KEY_CHARS);
    if (typeof part === 'number') shown += `[${part}]`;
    else if (!PLAIN_KEY.test(key)) shown += `[${JSON.stringify(key)}]`;
    else shown += shown === '' ? key : `.${key}`;
  }
  return truncate(shown, MAX_SHOWN_PATH_CHARS);
}
