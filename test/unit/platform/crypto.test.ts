import { hkdfSync } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  computeChecksum62,
  deriveKey,
  encodeBase62,
  hashPassword,
  hmacSha256,
  seal,
  sha256,
  unseal,
  verifyPassword,
} from '../../../shared/platform/crypto.js';

const key = deriveKey('a secret key of more than 32 characters', 'credentials');
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

import { useRealPasswords } from '../../support/password-cost.js';

describe('hash functions', () => {
  it('sha256 and hmacSha256 match published values (FIPS 180-4, RFC 4231)', () => {
    expect(sha256('abc').toString('hex')).to.equal(
      'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    );
    const mac = hmacSha256(Buffer.from('Jefe'), 'what do ya want for nothing?');
    expect(mac.toString('hex')).to.equal('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843');
  });
});

describe('deriveKey', () => {
  it('deriveKey is HKDF-SHA256 of 32 bytes, so that sealed values outlive a release', () => {
    const expected = Buffer.from(hkdfSync('sha256', 'secret', 'tow-dispatch', 'cursor', 32));
    expect(deriveKey('secret', 'cursor').equals(expected)).to.equal(true);
    expect(deriveKey('secret', 'cursor').toString('hex')).to.equal(
      '35d4860fdf573869f3c85dac8c50159c9e52554f6a91cc28a5ab7ec50ca652ee',
    );
  });

  it('deriveKey returns a different key for each purpose and each secret', () => {
    const keys = [deriveKey('s1', 'cursor'), deriveKey('s1', 'credentials'), deriveKey('s2', 'cursor')];
    expect(new Set(keys.map((one) => one.toString('hex'))).size).to.equal(3);
  });
});

describe('seal', () => {
  it('unseal returns any sealed text, and sealing twice gives different values', () => {
    const property = fc.property(fc.string({ unit: 'grapheme' }), (plain) => {
      const sealed = seal(key, plain);
      expect(unseal(key, sealed)).to.equal(plain);
      expect(seal(key, plain)).to.not.equal(sealed);
      if (plain.length > 3) expect(sealed).to.not.include(plain);
    });
    fc.assert(property);
  });

  it('unseal refuses a value that was sealed with another key', () => {
    expect(() => unseal(deriveKey('another', 'credentials'), seal(key, 'tk_live_x'))).to.throw();
  });

  it('unseal refuses a value with a changed, shortened or missing part', () => {
    const sealed = seal(key, 'the plain text');
    const parts = sealed.split('.');
    expect(parts).to.have.length(4);
    parts.forEach((part, index) => {
      const flipped = `${part[0] === 'A' ? 'B' : 'A'}${part.slice(1)}`;
      const changed = parts.with(index, flipped).join('.');
      expect(() => unseal(key, changed), `part ${index} changed`).to.throw();
      expect(() => unseal(key, parts.toSpliced(index, 1).join('.')), `part ${index} missing`).to.throw();
    });
    expect(() => unseal(key, `${parts.slice(0, 3).join('.')}.${parts[3]?.slice(0, -4)}`)).to.throw();
    for (const text of ['', 'v1', 'v2.a.b.c', 'plain text']) expect(() => unseal(key, text), text).to.throw();
  });

  it('unseal refuses a shortened tag, which would be easier to guess', () => {
    const [version, nonce, tag, body] = seal(key, 'x').split('.') as [string, string, string, string];
    const short = Buffer.from(tag, 'base64url').subarray(0, 4).toString('base64url');
    expect(() => unseal(key, [version, nonce, short, body].join('.'))).to.throw();
  });
});

describe('base62 encoding', () => {
  it('base62 encodes the bytes as one number, padded to the given length', () => {
    const property = fc.property(fc.uint8Array({ minLength: 32, maxLength: 32 }), (bytes) => {
      const text = encodeBase62(bytes, 43);
      expect(text).to.match(/^[0-9A-Za-z]{43}$/);
      const value = [...text].reduce((sum, character) => sum * 62n + BigInt(ALPHABET.indexOf(character)), 0n);
      expect(value).to.equal(BigInt(`0x${Buffer.from(bytes).toString('hex')}`));
    });
    fc.assert(property);
  });

  it('base62 pads zero and fits 32 bytes of ones into 43 characters', () => {
    expect(encodeBase62(Uint8Array.of(0), 3)).to.equal('000');
    expect(encodeBase62(new Uint8Array(32).fill(255), 43)).to.have.length(43);
  });
});

describe('base62 checksum', () => {
  it("the checksum is CRC-32 in six characters: '123456789' gives 0xCBF43926", () => {
    const value = [...computeChecksum62('123456789')].reduce(
      (sum, character) => sum * 62 + ALPHABET.indexOf(character),
      0,
    );
    expect(value).to.equal(0xcbf43926);
    expect(computeChecksum62('')).to.equal('000000');
  });
});

describe('password hashes', () => {
  useRealPasswords();
  it('a password verifies only against its own hash', async () => {
    const stored = await hashPassword('correct horse');
    expect(await verifyPassword('correct horse', stored)).to.equal(true);
    for (const wrong of ['Correct horse', 'correct horse ']) {
      expect(await verifyPassword(wrong, stored), wrong).to.equal(false);
    }
  });

  it('password hashes are salted and do not contain the password', async () => {
    const [first, second] = await Promise.all([hashPassword('same'), hashPassword('same')]);
    expect(first).to.match(/^scrypt\$[\w-]{22}\$[\w-]{43}$/);
    expect(first).to.not.equal(second);
    expect(first).to.not.include('same');
  });

  it('no password verifies against a stored value that is not a hash', async () => {
    for (const stored of ['', 'scrypt', 'scrypt$$', 'plain'])
      expect(await verifyPassword('', stored), stored).to.equal(false);
  });
});
