import { runInThisContext } from 'node:vm';
import { assert } from 'chai';
import fc from 'fast-check';
import { parseStrictJson } from '../../../shared/contracts/json/strict-json.js';
import { countRuns } from '../../support/count-runs.js';

const FORBIDDEN_KEYS = ['__proto__', 'constructor', 'prototype'];
const FORBIDDEN_CHARACTER = /\0|\p{Surrogate}/u;
const SEVERAL_RUNS = { numRuns: countRuns(2000) };

const read = (text: string, maxDepth = 20) => parseStrictJson(Buffer.from(text, 'utf8'), { maxDepth });

/** Returns each problem as a text, such as `duplicate_key a.b`. */
function findProblems(text: string, maxDepth = 20): string[] {
  const result = read(text, maxDepth);
  return result.ok ? [] : result.problems.map((problem) => `${problem.code} ${problem.field}`);
}

function getFirstMessage(bytes: Buffer): string {
  const result = parseStrictJson(bytes);
  return result.ok ? '' : result.problems[0]!.message;
}

const cleanString = fc.string({ unit: 'binary' }).filter((text) => !FORBIDDEN_CHARACTER.test(text));
const cleanKey = cleanString.filter((key) => !FORBIDDEN_KEYS.includes(key));
const cleanNumber = fc
  .oneof(fc.integer(), fc.maxSafeInteger(), fc.double({ noNaN: true, noDefaultInfinity: true }))
  // Leave out numbers from 2^53 to 1e21: JSON.stringify writes them as integers, which the parser
  // refuses as unsafe. Adding 0 turns -0 into 0, as JSON.stringify does.
  .filter((number) => Math.abs(number) <= Number.MAX_SAFE_INTEGER || Math.abs(number) >= 1e21)
  .map((number) => number + 0);
const { tree: cleanValue } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 6, depthSize: 'small' },
    fc.oneof(fc.constantFrom(null, true, false), cleanNumber, cleanString),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(cleanKey, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

describe('parseStrictJson', () => {
  it('parseStrictJson reads what JSON.stringify writes', () => {
    const property = fc.property(cleanValue, fc.constantFrom(undefined, 2, '\t'), (value, indent) => {
      assert.deepStrictEqual(read(JSON.stringify(value, null, indent)), { ok: true, value });
    });
    fc.assert(property, SEVERAL_RUNS);
  });

  it('parseStrictJson reads unusual but valid JSON', () => {
    const texts = [
      '"a\\u0041\\n\\ud83d\\ude00 😀 \u2028 \u007f"',
      '{"":1,"a:b":"\\"c\\":","a":{"a":{"a":1}},"b":[{"a":1},{"a":2}]}',
      '[9007199254740991,-9007199254740991,-0,1e21,9007199254740993.5,1e-400,123456789012345678e0]',
      '{"\\\\u0000":"\\\\ud800","\\u003a":":"}',
      '{"__proto":1,"Constructor":2,"toString":3,"hasOwnProperty":4}',
      ' \t\r\n null \n',
      '{"1":1,"0":0,"01":2}',
    ];
    for (const text of texts) assert.deepStrictEqual(read(text), { ok: true, value: JSON.parse(text) }, text);
  });

  it('parseStrictJson reports every kind of problem with its path', () => {
    const cases: [text: string, ...problems: string[]][] = [
      ['{"a":1,"b":2,"a":3}', 'duplicate_key a'],
      ['{"a":1,"a":2,"a":3}', 'duplicate_key a'],
      ['{"a":1,"\\u0061":2}', 'duplicate_key a'],
      ['{"line_items":[{},{},{"name":1,"name":2}]}', 'duplicate_key line_items[2].name'],
      ['{"__proto__":1}', 'forbidden_key __proto__'],
      ['{"x":{"\\u005f_proto__":{}}}', 'forbidden_key x.__proto__'],
      ['{"constructor":0,"b":{"prototype":1}}', 'forbidden_key constructor', 'forbidden_key b.prototype'],
      ['{"__proto__":1,"__proto__":2}', 'forbidden_key __proto__', 'duplicate_key __proto__'],
      ['"\\u0000"', 'forbidden_character '],
      ['{"a":["x\\ud800y"]}', 'forbidden_character a[0]'],
      ['{"a":"\\uDE00\\uD83D"}', 'forbidden_character a'],
      ['{"\\u0000":1}', 'forbidden_character ["\\u0000"]'],
      ['{"a b":"\\ud800"}', 'forbidden_character ["a b"]'],
      ['9007199254740992', 'unsafe_integer '],
      ['{"n":-9007199254740993}', 'unsafe_integer n'],
      [`[1,${'9'.repeat(400)}]`, 'unsafe_integer [1]'],
      ['[1e309,-1.5e999]', 'unsafe_number [0]', 'unsafe_number [1]'],
      ['[[1e999,{"[[[":"{{{"}],[[{}]]]', 'unsafe_number [0][0]', 'too_deep [1][0][0]'],
      ['[[1 2],[[{}]]]', 'invalid_json '],
    ];
    for (const [text, ...problems] of cases) assert.deepStrictEqual(findProblems(text, 3), problems, text);
  });

  it('parseStrictJson allows 20 levels by default and refuses 21', () => {
    const nested = (levels: number) => Buffer.from('['.repeat(levels) + ']'.repeat(levels));
    assert.isTrue(parseStrictJson(nested(20)).ok);
    assert.isFalse(parseStrictJson(nested(21)).ok);
    const place = Array(20).fill('a').join('.');
    assert.deepStrictEqual(findProblems('{"a":'.repeat(21) + 1 + '}'.repeat(21)), [`too_deep ${place}`]);
    assert.deepStrictEqual(findProblems('['.repeat(2 ** 20)), [`too_deep ${'[0]'.repeat(20)}`]);
    assert.deepStrictEqual(findProblems(']'.repeat(2 ** 20)), ['invalid_json ']);
  });

  it('parseStrictJson allows 10,000 values, members and items alike, and refuses more', () => {
    const items = (count: number) => `[${Array(count).fill('[]').join()}]`;
    assert.isTrue(read(items(9_999)).ok);
    assert.lengthOf((read(items(9_999)) as { value: unknown[] }).value, 9_999);
    assert.deepStrictEqual(findProblems(items(10_000)), ['too_many_values [9999]']);
    const members = `{"a":{${Array.from({ length: 9_999 }, (_, nth) => `"m${nth}":",,,,"`).join()}}}`;
    assert.deepStrictEqual(findProblems(members), ['too_many_values a.m9998']);
    assert.isTrue(read(members.replace(/,"m9998":",,,,"/, '')).ok);
  });

  it('a syntax error has line and column and repeats no part of the body', () => {
    const cases: [text: string, message: string][] = [
      ['', 'a value at line 1, column 1'],
      ['{"a":1,}', 'a key in double quotes at line 1, column 8'],
      ['{\n  "a": 1\n  "b": 2}', '"," or "}" at line 3, column 3'],
      ['[1 2]', '"," or "]" at line 1, column 4'],
      ['[1,', 'a value at line 1, column 4'],
      ['{"a" 1}', '":" at line 1, column 6'],
      ['{} x', 'the end of the body at line 1, column 4'],
      ['"ab', 'the end of a string at line 1, column 4'],
      ['"a\u001fb"', 'control characters in strings to be escaped at line 1, column 3'],
      ['"a\\x"', 'a valid escape sequence at line 1, column 3'],
      ['\ufeff{}', 'no byte order mark at line 1, column 1'],
    ];
    for (const [text, message] of cases) {
      assert.equal(getFirstMessage(Buffer.from(text)), `The body is not valid JSON: expected ${message}`);
    }
  });

  it('parseStrictJson refuses bytes that are not UTF-8', () => {
    for (const hex of ['22ff22', '22c080227d', '22eda08022', '22e282']) {
      const problem = { field: '', code: 'invalid_utf8', message: 'The body is not valid UTF-8' };
      assert.deepStrictEqual(parseStrictJson(Buffer.from(hex, 'hex')), { ok: false, problems: [problem] });
    }
  });

  it('parseStrictJson reports at most 50 problems, and a syntax error first', () => {
    const body = `[${Array(80).fill('1e999').join()}`;
    assert.lengthOf(findProblems(`${body}]`), 50);
    assert.lengthOf(findProblems(body), 50);
    assert.equal(findProblems(body)[0], 'invalid_json ');
  });

  it('parseStrictJson truncates long keys and long paths in problems', () => {
    const key = 'k'.repeat(5000);
    assert.deepStrictEqual(findProblems(`{"${key}":1e999}`), [`unsafe_number ["${key.slice(0, 64)}…"]`]);
    assert.isBelow(findProblems(`${`{"${key}":`.repeat(15)}1e999${'}'.repeat(15)}`)[0]!.length, 300);
  });
});

/**
 * Invalid texts. Each entry has a text with one problem, the problem's code, and its path from the
 * root.
 */
const invalidJson = fc.constantFrom(
  { text: '{"q":1,"q":[]}', code: 'duplicate_key', path: '.q' },
  { text: '{"q":"\\"q\\":","r":0,"\\u0071":"x"}', code: 'duplicate_key', path: '.q' },
  { text: '{"p":0,"__proto__":{}}', code: 'forbidden_key', path: '.__proto__' },
  { text: '{"const\\u0072uctor":0}', code: 'forbidden_key', path: '.constructor' },
  { text: '[0,"\\\\\\u0000"]', code: 'forbidden_character', path: '[1]' },
  { text: '"😀\\udc00"', code: 'forbidden_character', path: '' },
  { text: '[9007199254740993]', code: 'unsafe_integer', path: '[0]' },
  { text: '{"n": -1E400 }', code: 'unsafe_number', path: '.n' },
);
/**
 * Generates an object or array to put around an invalid text. `key` is the name of the member with
 * the text, or null for an array. `siblings` precede the text.
 */
const wrapper = fc.record({
  siblings: fc.array(cleanValue, { maxLength: 2 }),
  key: fc.option(fc.stringMatching(/^[a-z_][a-z0-9_]{0,9}$/).filter((key) => !FORBIDDEN_KEYS.includes(key))),
});

describe("parseStrictJson and Node's misreading of escaped keys", () => {
  it('escaped keys are read correctly, even after a body with a key of a single backslash', () => {
    assert.deepStrictEqual(read('{"a":0,"\\\\":0}'), { ok: true, value: { a: 0, '\\': 0 } });
    assert.deepStrictEqual(read('{"a":1,"\\u0062":[2,{"c":"d"}]}'), {
      ok: true,
      value: { a: 1, b: [2, { c: 'd' }] },
    });
    assert.isFalse(read('{"a":1,"\\u0061":2}').ok, 'the same key twice');
  });
});

describe('parseStrictJson and injected problems', () => {
  it('parseStrictJson finds one problem anywhere in any body', () => {
    const property = fc.property(invalidJson, fc.array(wrapper, { maxLength: 9 }), (problem, wrappers) => {
      let { text, path }: { text: string; path: string } = problem;
      for (const { siblings, key } of wrappers) {
        const formatKey = (index: number) => (key === null ? '' : `"-${index}":`);
        const before = siblings.map((value, index) => `${formatKey(index)}${JSON.stringify(value)},`);
        text = key === null ? `[${before.join('')}${text}]` : `{${before.join('')}"${key}" : ${text}}`;
        path = (key === null ? `[${siblings.length}]` : `.${key}`) + path;
      }
      assert.deepStrictEqual(findProblems(text), [`${problem.code} ${path.replace(/^\./, '')}`]);
    });
    fc.assert(property, SEVERAL_RUNS);
  });

  it('parseStrictJson finds all problems of a body', () => {
    const property = fc.property(fc.array(invalidJson, { minLength: 1, maxLength: 50 }), (problems) => {
      const found = findProblems(`[${problems.map(({ text }) => text).join()}]`);
      const expected = problems.map(({ code, path }, index) => `${code} [${index}]${path}`);
      assert.deepStrictEqual(found, expected);
    });
    fc.assert(property);
  });
});

/**
 * True if a text that JSON.parse accepts also meets the rules of parseStrictJson. Slow, but
 * independent of the product.
 */
function isAcceptable(text: string, maxDepth: number): boolean {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\]:,]|[^\s{}[\]:,"]+/g)!;
  const open: string[][] = [];
  return tokens.every((token, index) => {
    if (token === '{' || token === '[') return open.push([]) <= maxDepth;
    if (token === '}' || token === ']') return open.pop() !== undefined;
    if (/^-?\d/.test(token)) {
      return /^-?\d+$/.test(token) ? Number.isSafeInteger(Number(token)) : Number.isFinite(Number(token));
    }
    if (!token.startsWith('"')) return true;
    const content: string = JSON.parse(token);
    if (FORBIDDEN_CHARACTER.test(content)) return false;
    if (tokens[index + 1] !== ':') return true;
    const isAllowed = !FORBIDDEN_KEYS.includes(content) && !open.at(-1)!.includes(content);
    open.at(-1)!.push(content);
    return isAllowed;
  });
}

/**
 * Asserts that parseStrictJson agrees with JSON.parse about the syntax, and with the slow check
 * about everything else.
 */
function checkAgreement(bytes: Buffer, maxDepth: number): void {
  const result = parseStrictJson(bytes, { maxDepth });
  const firstCode = result.ok ? undefined : result.problems[0]?.code;
  let text: string | undefined;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    JSON.parse(text);
  } catch {
    // The parser stops where a text is too deep, so it may miss a later syntax error.
    const expected = text === undefined ? /"invalid_utf8"/ : /^{"ok":false,.*("invalid_json"|"too_deep")/;
    assert.match(JSON.stringify(result), expected);
    return;
  }
  // Evaluate the text as JavaScript, because JSON.parse of Node 24 misreads escaped keys (see
  // strict-json.ts).
  if (isAcceptable(text, maxDepth))
    assert.deepStrictEqual(result, { ok: true, value: runInThisContext(`(${text})`) });
  else assert.notInclude([undefined, 'invalid_json', 'invalid_utf8'], firstCode, text);
}

/** Generates valid JSON in which problems are as frequent as acceptable content. */
const { text: riskyText } = fc.letrec<{ text: string; key: string }>((tie) => ({
  key: fc.constantFrom(...'"a" "\\u0061" "b" ":" "\\"" "\\\\" "__proto__" "\\ud83d" "1" ""'.split(' ')),
  text: fc.oneof(
    { maxDepth: 5, depthSize: 'medium' },
    fc.constantFrom(
      ...'0 9007199254740993 1e400 -1.5E3 9e15 null "\\u0000" ":\\"a\\":" "é\\ud83d\\ude00"'.split(' '),
    ),
    fc.array(tie('text'), { maxLength: 3 }).map((items) => `[${items.join(' ,')}]`),
    fc
      .array(fc.tuple(tie('key'), tie('text')), { maxLength: 3 })
      .map((members) => `{${members.map(([key, text]) => `${key} :${text}`).join(',\n')}}`),
  ),
}));

describe('parseStrictJson agrees with JSON.parse and a slow independent check', () => {
  it('parseStrictJson agrees with both for texts with many problems', () => {
    const property = fc.property(riskyText, fc.integer({ min: 1, max: 6 }), (text, maxDepth) => {
      checkAgreement(Buffer.from(text), maxDepth);
    });
    fc.assert(property, { numRuns: countRuns(5000) });
  });

  it('parseStrictJson agrees with both for mutated bytes', () => {
    const cleanText = cleanValue.map((value) => JSON.stringify(value));
    const start = fc.oneof(riskyText, cleanText);
    const byte = fc.oneof(fc.constantFrom(...Buffer.from('{}[]",:\\u0eE+-.1 \ntn')), fc.nat({ max: 255 }));
    const mutation = fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.array(byte, { maxLength: 3 }));
    const property = fc.property(start, fc.array(mutation, { maxLength: 4 }), (text, mutations) => {
      const bytes = [...Buffer.from(text)];
      for (const [at, remove, insert] of mutations) bytes.splice(at % (bytes.length + 1), remove, ...insert);
      checkAgreement(Buffer.from(bytes), 4);
    });
    fc.assert(property, { numRuns: countRuns(5000) });
  });
});
