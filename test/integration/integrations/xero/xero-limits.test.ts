import { expect } from 'chai';
import { Vendors } from '../../../../shared/integrations/contract/vendor.js';
import { smtp } from '../../../../shared/integrations/smtp/adapter.js';
import { xero } from '../../../../shared/integrations/xero/adapter.js';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type XeroAccount, XeroBooking } from '../../../support/vendors/xero-booking.js';

describe('Xero: its limits are kept, and lose nothing', () => {
  requireContracts();
  let booking: XeroBooking;
  let account: XeroAccount;
  before(async () => {
    booking = await XeroBooking.start({ vendors: new Vendors([smtp, xero]) });
    booking.double.limitsMinute = true;
  });
  after(async () => {
    await booking?.stop();
    expect(booking?.double.violations).to.deep.equal([]);
  });

  it('the calls of a connection stay below 60 a minute, and are made one at a time', async () => {
    account = await booking.createAccount();
    const invoices = await Promise.all([1, 2, 3].map(() => account.release({ hurries: false })));
    for (const { invoice_number } of invoices) await account.waitForBooked(invoice_number);
    const times = booking.double.calls.filter(({ tenantId }) => tenantId !== '').map(({ at }) => at);
    expect(times.length).to.be.greaterThan(5);
    for (const time of times)
      expect(times.filter((other) => other >= time && other < time + 60_000).length).to.be.at.most(55);
    // The double answers 429 beyond five calls at the same time, or 60 a minute.
    const calls = (await account.client.get(`/connections/${account.connectionId}/calls`)).body.data.items;
    expect(calls.filter((call: { response_status: number }) => call.response_status === 429)).to.deep.equal(
      [],
    );
  });

  it('a 429 names its limit, and the connection waits as long as Retry-After says', async () => {
    let isOver = false;
    booking.double.misbehave = (name) => {
      if (isOver || name !== 'PUT Invoices') return undefined;
      isOver = true;
      return { kind: 'limit', seconds: 3600 };
    };
    const invoice = await account.release({ hurries: false });
    const path = `/connections/${account.connectionId}/operations?state=due`;
    const operation = await eventually('the write waits', async () => {
      const { items } = (await account.client.get(path)).body.data;
      return items.find(({ last_error }: { last_error: string | null }) => last_error?.includes('minute'));
    });
    expect(operation.last_error).to.contain('(limit: minute)');
    const text = `select throttled_until > now() + interval '59 minutes' as waits from connection_queues where connection_id = $1`;
    const [queue] = await account.stack.rows(account.tenant.id, text, [account.connectionId]);
    expect(queue).to.deep.equal({ waits: true });
    expect(account.findBooked(invoice.invoice_number)).to.equal(undefined);
    await account.settle();
    expect(account.findBooked(invoice.invoice_number)?.Total).to.equal(125);
  });
});
