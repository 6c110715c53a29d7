import { expect } from 'chai';
import fc from 'fast-check';
import { deriveKey, sha256, unseal } from '../../../shared/platform/crypto.js';
import { isWellFormedKey, mintKey } from '../../../shared/resources/api-keys/credential.js';
import { countRuns } from '../../support/count-runs.js';

const sealingKey = deriveKey('a secret key of more than 32 characters', 'credentials');
const ALPHABET = [...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'];

const PREFIXES = [
  { kind: 'api', environment: 'live', prefix: 'tk_live_' },
  { kind: 'api', environment: 'sandbox', prefix: 'tk_test_' },
  { kind: 'agent', environment: 'live', prefix: 'tk_agent_' },
  { kind: 'agent', environment: 'sandbox', prefix: 'tk_agent_test_' },
] as const;

const mintedKey = fc
  .constantFrom(...PREFIXES)
  .map(({ kind, environment }) => mintKey(kind, environment, sealingKey).key);
const fraction = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

describe('mintKey', () => {
  for (const { kind, environment, prefix } of PREFIXES) {
    it(`mintKey creates well-formed ${environment} ${kind} keys that begin with ${prefix}`, () => {
      const { key, material } = mintKey(kind, environment, sealingKey);
      expect(key).to.match(new RegExp(`^${prefix}[0-9A-Za-z]{49}$`));
      expect(isWellFormedKey(key)).to.equal(true);
      expect(material.prefix).to.equal(prefix);
    });
  }

  it("mintKey stores a key's hash, last four characters and sealed form, never the key", () => {
    const { key, material } = mintKey('api', 'live', sealingKey);
    expect(material.hash).to.equal(sha256(key).toString('hex'));
    expect(material.lastFour).to.equal(key.slice(-4));
    expect(unseal(sealingKey, material.sealed)).to.equal(key);
    expect(JSON.stringify(material)).to.not.include(key.slice('tk_live_'.length, -4));
  });

  it('mintKey never creates the same key twice', () => {
    const keys = Array.from({ length: 2000 }, () => mintKey('api', 'live', sealingKey).key);
    expect(new Set(keys).size).to.equal(keys.length);
  });
});

describe('isWellFormedKey', () => {
  it('isWellFormedKey is false for a key with one mistyped character', () => {
    const property = fc.property(
      mintedKey,
      fraction,
      fc.constantFrom(...ALPHABET, '_', '-', ' ', 'é'),
      (key, at, typed) => {
        const index = Math.floor(at * key.length);
        fc.pre(key[index] !== typed);
        expect(isWellFormedKey(key.slice(0, index) + typed + key.slice(index + 1))).to.equal(false);
      },
    );
    fc.assert(property, { numRuns: countRuns(2000) });
  });

  it('isWellFormedKey is false after a swap of neighbours, a lost or an added character', () => {
    const property = fc.property(mintedKey, fraction, fc.constantFrom(...ALPHABET), (key, at, typed) => {
      const index = Math.floor(at * (key.length - 1));
      const [a, b] = [key[index] as string, key[index + 1] as string];
      if (a !== b)
        expect(isWellFormedKey(key.slice(0, index) + b + a + key.slice(index + 2))).to.equal(false);
      expect(isWellFormedKey(key.slice(0, index) + key.slice(index + 1))).to.equal(false);
      expect(isWellFormedKey(key.slice(0, index) + typed + key.slice(index))).to.equal(false);
    });
    fc.assert(property, { numRuns: countRuns(500) });
  });

  it('isWellFormedKey is false for a key with another prefix, because the checksum covers it', () => {
    for (const { prefix } of PREFIXES) {
      const { key, material } = mintKey('api', 'live', sealingKey);
      const moved = prefix + key.slice(material.prefix.length);
      expect(isWellFormedKey(moved), prefix).to.equal(prefix === material.prefix);
    }
  });

  it('isWellFormedKey is false for other texts', () => {
    const { key } = mintKey('api', 'live', sealingKey);
    for (const text of [
      '',
      'Bearer',
      'tk_live_',
      `${key}\n`,
      ` ${key}`,
      `${key} ${key}`,
      key.toLowerCase(),
    ]) {
      expect(isWellFormedKey(text), JSON.stringify(text)).to.equal(false);
    }
    fc.assert(fc.property(fc.string(), (text) => !isWellFormedKey(text)));
  });
});
