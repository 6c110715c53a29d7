import { expect } from 'chai';
import fc from 'fast-check';
import { loadConfig } from '../../shared/platform/config.js';
import { linkKeyOf, openLink, sealLink } from '../../shared/resources/messages/link.js';

const keyOf = (secret: string) =>
  linkKeyOf(loadConfig('all', { SECRET_KEY: `the secret ${secret} of a test of links` }));

describe('the secret part of a link', () => {
  const key = keyOf('one');

  it('opens to what it was sealed with, is never the same twice, and holds no id in the clear', () => {
    fc.assert(
      fc.property(fc.uuid(), fc.uuid(), (tenantId, messageId) => {
        const token = sealLink(key, { tenantId, messageId });
        expect(token).to.match(/^[\w-]{80}$/);
        expect(openLink(key, token)).to.deep.equal({ tenantId, messageId });
        expect(sealLink(key, { tenantId, messageId })).to.not.equal(token);
        const bytes = Buffer.from(token, 'base64url').toString('hex');
        expect(bytes).to.not.include(tenantId.replaceAll('-', ''));
      }),
    );
  });

  it('opens for nobody once a single bit of it, or the key, is another', () => {
    const token = sealLink(key, { tenantId: crypto.randomUUID(), messageId: crypto.randomUUID() });
    expect(openLink(keyOf('two'), token)).to.equal(undefined);
    fc.assert(
      fc.property(fc.nat(479), (bit) => {
        const bytes = Buffer.from(token, 'base64url');
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(openLink(key, bytes.toString('base64url'))).to.equal(undefined);
      }),
    );
  });

  it('is not confused by any other text', () => {
    fc.assert(fc.property(fc.string(), (text) => openLink(key, text) === undefined));
  });
});
