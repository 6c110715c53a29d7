import { createHash } from 'node:crypto';
import { assert } from 'chai';
import fc from 'fast-check';
import { hashBody, toCanonicalJson } from '../../../shared/contracts/json/canonical-json.js';
import { countRuns } from '../../support/count-runs.js';

// Canonical JSON writes -0 as 0, so the generated values must not contain -0. Adding 0 turns -0
// into 0.
const number = fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0);
const text = fc.string({ unit: 'binary' });
const { tree: json } = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5, depthSize: 'small' },
    fc.oneof(fc.constantFrom(null, true, false), number, fc.integer(), text),
    fc.array(tie('tree'), { maxLength: 5 }),
    fc.dictionary(text, tie('tree'), { maxKeys: 5, noNullPrototype: true }),
  ),
}));

/** Rebuilds a value with the keys of each object in reverse sequence. */
function reverseKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reverseKeys);
  if (typeof value !== 'object' || value === null) return value;
  const reversed = Object.entries(value).reverse();
  return Object.fromEntries(reversed.map(([key, member]) => [key, reverseKeys(member)]));
}

const isDeepEqual = (left: unknown, right: unknown) => {
  try {
    assert.deepStrictEqual(left, right);
    return true;
  } catch {
    return false;
  }
};

describe('canonical JSON', () => {
  it('canonical JSON matches the examples of RFC 8785', () => {
    const value = {
      numbers: [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001, -0],
      string: '\u20ac$\u000f\u000aA\'\u0042\u0022\u005c\\"/',
      literals: [null, true, false],
    };
    assert.equal(
      toCanonicalJson(value),
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27,0],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    );
    const keys = ['\u20ac', '\r', '\ufb33', '1', '\ud83d\ude00', '\u0080', '\u00f6'];
    const sorted = ['\r', '1', '\u0080', '\u00f6', '\u20ac', '\ud83d\ude00', '\ufb33'];
    const byKey = toCanonicalJson(Object.fromEntries(keys.map((key) => [key, 0])));
    assert.deepStrictEqual(
      [...byKey.matchAll(/("[^"]*"):/g)].map((match) => JSON.parse(match[1]!)),
      sorted,
    );
  });

  it('canonical JSON parses to the same value', () => {
    const property = fc.property(json, (value) => {
      assert.deepStrictEqual(JSON.parse(toCanonicalJson(value)), value);
    });
    fc.assert(property, { numRuns: countRuns(1000) });
  });

  it('canonical JSON and its hash do not depend on the sequence of keys', () => {
    const property = fc.property(json, (value) => {
      assert.equal(toCanonicalJson(reverseKeys(value)), toCanonicalJson(value));
      assert.equal(hashBody(reverseKeys(value)), hashBody(value));
    });
    fc.assert(property, { numRuns: countRuns(1000) });
  });

  it('canonical JSON and its hash differ for different values', () => {
    const property = fc.property(json, json, (left, right) => {
      assert.equal(toCanonicalJson(left) === toCanonicalJson(right), isDeepEqual(left, right));
      assert.equal(hashBody(left) === hashBody(right), isDeepEqual(left, right));
    });
    fc.assert(property, { numRuns: countRuns(1000) });
  });

  it('canonical JSON omits undefined members and calls toJSON, as JSON.stringify does', () => {
    const value = { b: undefined, a: new Date(0), __proto: 1 };
    assert.equal(toCanonicalJson(value), '{"__proto":1,"a":"1970-01-01T00:00:00.000Z"}');
    assert.equal(toCanonicalJson(JSON.parse('{"__proto__":{"b":1},"a":2}')), '{"__proto__":{"b":1},"a":2}');
  });

  it('canonical JSON throws a TypeError for values that JSON cannot represent', () => {
    for (const value of [
      undefined,
      Number.NaN,
      Number.POSITIVE_INFINITY,
      1n,
      Symbol('s'),
      () => 0,
      [undefined],
    ]) {
      assert.throws(() => toCanonicalJson(value), TypeError);
    }
  });
});

describe('hashBody', () => {
  const sha256 = (input: string) => createHash('sha256').update(input).digest('hex');

  it('hashBody returns the SHA-256 of the canonical JSON, or of no bytes without a body', () => {
    assert.equal(hashBody({ b: 'é', a: 1 }), sha256('{"a":1,"b":"é"}'));
    assert.equal(hashBody(undefined), sha256(''));
    assert.notEqual(hashBody(undefined), hashBody(''));
    assert.notEqual(hashBody(undefined), hashBody(null));
  });
});
