import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { useXeroStack, type XeroAccount } from '../../../support/vendors/xero-booking.js';

describe('Xero: its limits are kept, and lose nothing', () => {
  requireContracts();
  const booking = useXeroStack();
  let account: XeroAccount;
  before(async () => {
    account = await booking.createAccount();
  });

  it('a connection makes one call at a time, of the five that Xero allows', async () => {
    booking.double.misbehave = () => ({ kind: 'slow', ms: 10 });
    const invoices = await Promise.all([1, 2, 3, 4, 5, 6].map(() => account.release({ hurries: false })));
    await account.hurry();
    for (const { invoice_number } of invoices) await account.waitForBooked(invoice_number);
    await account.waitForNotices();
    expect(booking.double.mostAtOnce.get(account.organisation.tenantId)).to.equal(1);
  });

  it('a new invoice takes one call, and is looked for only after an attempt without an answer', async () => {
    const { tenantId } = account.organisation;
    const isAboutInvoices = (name: string) => name === 'GET Invoices' || name === 'PUT Invoices';
    const enter = async () => {
      const first = booking.double.calls.length;
      const { invoice_number } = await account.release();
      await eventually('the invoice is in the books', async () => {
        await account.hurry([]);
        return account.findBooked(invoice_number);
      });
      await account.settle();
      const own = booking.double.calls.slice(first).filter((call) => call.tenantId === tenantId);
      return own.map(({ name }) => name).filter(isAboutInvoices);
    };
    booking.double.webhooks.habits.isLost = true;
    expect(await enter()).to.deep.equal(['PUT Invoices']);
    let hasFailed = false;
    booking.double.misbehave = (name) => {
      if (hasFailed || name !== 'PUT Invoices') return undefined;
      hasFailed = true;
      return { kind: 'status', status: 500 };
    };
    const calls = (await enter()).slice(0, 3);
    expect(calls).to.deep.equal(['PUT Invoices', 'GET Invoices', 'PUT Invoices']);
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
