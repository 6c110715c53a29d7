import { randomBytes, randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { estimateSecretBits } from '../../../shared/config/secret-strength.js';

describe('estimateSecretBits', () => {
  for (const [text, most] of [
    ['a'.repeat(64), 4],
    [`${'a'.repeat(20)}${'b'.repeat(20)}`, 8],
    ['ab'.repeat(30), 8],
    ['changeme'.repeat(5), 0],
    ['change-me-change-me-change-me-change-me', 4],
    ['password123password123password123', 8],
    ['abcdefghijklmnopqrstuvwxyz0123456789', 8],
    ['9876543210'.repeat(4), 8],
    ['deadbeef'.repeat(4), 20],
    ['openssl rand -base64 48             ', 20],
    ['replace-this-with-a-random-32-character-string', 80],
    ['My-Super-Secret-Key-For-Production-2026!', 80],
    ['a secret key that is long enough for anybody', 80],
  ] as const) {
    it(`estimateSecretBits gives "${text.slice(0, 50)}" at most ${most} bits`, () => {
      expect(estimateSecretBits(text)).to.be.at.most(most);
    });
  }

  for (const [name, make, least] of [
    ['64 hexadecimal digits', () => randomBytes(32).toString('hex'), 150],
    ['base64 of 48 bytes', () => randomBytes(48).toString('base64'), 200],
    ['base64url of 32 bytes', () => randomBytes(32).toString('base64url'), 130],
    ['a UUID', () => randomUUID(), 90],
  ] as const) {
    it(`estimateSecretBits gives ${name} from a random generator at least ${least} bits`, () => {
      for (let nth = 0; nth < 500; nth += 1) {
        const text = make();
        expect(estimateSecretBits(text), text).to.be.at.least(least);
      }
    });
  }

  it('estimateSecretBits gives ten random words at least 100 bits', () => {
    const words = 'correct horse battery staple anvil quantum velvet lantern piano thicket';
    expect(estimateSecretBits(words)).to.be.at.least(100);
  });
});
