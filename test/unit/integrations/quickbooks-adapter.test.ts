import { expect } from 'chai';
import { toAmount, toCents } from '../../../shared/integrations/contract/books/money.js';
import { inbound } from '../../../shared/integrations/quickbooks/api/inbound.js';

describe('The adapter of QuickBooks', () => {
  it('converts cents to dollars and back without rounding', () => {
    for (const cents of [0, 1, 9, 10, 99, 100, 101, 12_599, -1099, -1, 99_999_999_999, 100_000_000_000]) {
      expect(JSON.stringify(toAmount(cents))).to.equal(String(Number((cents / 100).toFixed(2))));
      expect(toCents(toAmount(cents))).to.equal(cents);
    }
  });

  it('accepts the signature that Intuit publishes as an example, and no other', () => {
    const text =
      '{"eventNotifications":[{"realmId":"1185883450","dataChangeEvent":{"entities":[{"name":"Customer","id":"1","operation":"Create","lastUpdated":"2015-10-05T14:42:19-0700"}]}}]}';
    const secret = 'b5771f19b12ddb4bcdb9f08bdc50bc63878a';
    const verify = (body: string, signature: string) =>
      inbound.verify(
        { body: Buffer.from(body), headers: { 'intuit-signature': signature }, url: '' },
        secret,
      );
    const signature = 'JC2GUwciPmRBwEO7WvrRmKqu9tGOKL8FFallocTFi8Q=';
    expect(verify(text, signature)).to.equal(true);
    expect(verify(`${text} `, signature)).to.equal(false);
    expect(verify(text, '')).to.equal(false);
    expect(inbound.split(Buffer.from(text))).to.deep.equal([
      {
        externalAccount: '1185883450',
        dedupeId: '1185883450/Customer/1/Create/2015-10-05T14:42:19-0700',
        stream: 'customers',
        hint: '1',
      },
    ]);
  });

  it('reads CloudEvents of several companies, and skips what has no stream', () => {
    const event = (type: string, intuitentityid: string, intuitaccountid: string) => ({
      specversion: '1.0',
      id: `id-${intuitentityid}`,
      type,
      intuitentityid,
      intuitaccountid,
    });
    const body = [
      event('qbo.payment.created.v1', '7', '11'),
      event('qbo.invoice.voided.v1', "8' or 1", '12'),
      event('qbo.account.created.v1', '9', '12'),
    ];
    expect(inbound.split(Buffer.from(JSON.stringify(body)))).to.deep.equal([
      { externalAccount: '11', dedupeId: 'id-7', stream: 'booked_payments', hint: '7' },
      { externalAccount: '12', dedupeId: "id-8' or 1", stream: 'invoices' },
    ]);
  });
});
