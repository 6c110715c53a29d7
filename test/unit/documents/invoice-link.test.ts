import { expect } from 'chai';
import fc from 'fast-check';
import { loadConfig } from '../../../shared/config/config.js';
import { deriveLinkKey, openLink, sealLink } from '../../../shared/resources/planned-messages/link.js';

const createLinkKey = (secret: string) =>
  deriveLinkKey(loadConfig('all', { SECRET_KEY: `the secret ${secret} of a test of links` }));

describe('token of an invoice link', () => {
  const key = createLinkKey('one');

  it('a link token opens to its ids, is different each time and contains no readable id', () => {
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

  it('a link token does not open after one changed bit or with another key', () => {
    const token = sealLink(key, { tenantId: crypto.randomUUID(), messageId: crypto.randomUUID() });
    expect(openLink(createLinkKey('two'), token)).to.equal(undefined);
    fc.assert(
      fc.property(fc.nat(479), (bit) => {
        const bytes = Buffer.from(token, 'base64url');
        bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
        expect(openLink(key, bytes.toString('base64url'))).to.equal(undefined);
      }),
    );
  });

  it('any other text does not open as a link token', () => {
    fc.assert(fc.property(fc.string(), (text) => openLink(key, text) === undefined));
  });
});
