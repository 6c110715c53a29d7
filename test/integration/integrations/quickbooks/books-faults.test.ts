import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { line } from '../../../support/vendors/books/books-account.js';
import type { Fault } from '../../../support/vendors/contracts/fault.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { buildFault } from '../../../support/vendors/doubles/quickbooks/refusal.js';

describe('QuickBooks: nothing is lost and nothing is entered twice', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  beforeEach(async () => {
    account = await booking.createAccount();
  });

  /** Lets the next call with this name meet a fault. */
  function failOnce(name: string, fault: Fault): void {
    let isOver = false;
    booking.double.misbehave = (called) => {
      if (isOver || called !== name) return undefined;
      isOver = true;
      return fault;
    };
  }

  async function settle(): Promise<void> {
    await eventually('the writes have ended', async () => {
      await account.hurry([]);
      const text = 'select from outbound_operations where next_at is not null and tenant_id = $1';
      return (await account.stack.rows(account.tenant.id, text, [account.tenant.id])).length === 0;
    });
  }

  for (const entity of ['customer', 'invoice', 'payment', 'item'] as const)
    it(`a lost answer to the write of a ${entity} leaves one ${entity} in the books`, async () => {
      failOnce(`POST ${entity}`, { kind: 'cut_after' });
      const invoice = await account.release();
      await account.pay(invoice.id, 12_500);
      await settle();
      const name = `${entity[0]?.toUpperCase()}${entity.slice(1)}` as 'Invoice';
      expect(account.company.list(name)).to.have.length(1);
      expect(account.findBooked(invoice.invoice_number)?.Balance).to.equal(0);
      await account.pullAll();
      expect(await account.listPayments(invoice.id)).to.have.length(1);
      expect(await account.listIssues()).to.deep.equal([]);
    });

  for (const [label, fault] of [
    ['429', { kind: 'limit', seconds: 1 }],
    ['503', { kind: 'status', status: 503 }],
    ['a cut connection', { kind: 'cut_before' }],
    [
      'a fault with the status 200',
      { kind: 'status', status: 200, body: buildFault('10000', 'Oops', 'SystemFault') },
    ],
  ] as const)
    it(`${label} delays a write and loses nothing`, async () => {
      failOnce('POST invoice', fault);
      const invoice = await account.release();
      await settle();
      expect(account.company.list('Invoice')).to.have.length(1);
      expect(account.findBooked(invoice.invoice_number)?.TotalAmt).to.equal(125);
    });

  it('a stale version is read again, and the write is repeated once', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.waitForWrites();
    failOnce('POST invoice', { kind: 'status', status: 400, body: buildFault('5010', 'Stale Object Error') });
    await account.client.patch(`/invoices/${invoice.id}`, { due_date: '2027-03-01' });
    await settle();
    expect(account.company.get('Invoice', booked.Id).DueDate).to.equal('2027-03-01');
    expect(await account.listIssues()).to.deep.equal([]);
  });

  it('a number that another invoice has becomes an issue, and is written after a retry', async () => {
    const number = randomUUID().slice(0, 20);
    const customer = account.company.put('Customer', { DisplayName: 'Somebody', Active: true });
    const foreign = account.company.put('Invoice', {
      DocNumber: number,
      CustomerRef: { value: customer.Id },
      TotalAmt: 1,
      Line: [],
    });
    const invoice = await account.release({ members: { invoice_number: number } });
    const issue = await account.waitForIssue('refused');
    expect(issue.message).to.contain(number);
    booking.double.edit(account.company, 'Customer', customer.Id, { Notes: 'x' });
    account.company.put('Invoice', { DocNumber: 'renamed' }, foreign.Id);
    await account.client.post(`/sync-issues/${issue.id}/resolve`, { resolution: 'retry' });
    await settle();
    expect(account.findBooked(number)?.PrivateNote).to.contain(invoice.id);
  });

  it('a missing account, a closed period and a long number each ask a person at once', async () => {
    await account.release({ lines: [line({ category: 'winching', unit_price_cents: 100 })] });
    await account.release({ members: { invoice_number: `LONG-${randomUUID()}` } });
    await settle();
    account.company.closedUntil = '2099-12-31';
    await account.release();
    await settle();
    const issues = await eventually('there are three issues', async () => {
      const found = await account.listIssues();
      return found.length >= 3 && found;
    });
    const messages = issues.map(({ message }) => message as string);
    expect(messages).to.have.length(3);
    expect(messages.some((text) => text.includes('no income account for winching'))).to.equal(true);
    expect(messages.some((text) => text.includes('Period Closed'))).to.equal(true);
    expect(messages.some((text) => text.includes('21 characters'))).to.equal(true);
    expect(account.company.list('Invoice')).to.deep.equal([]);
  });

  it('a tax that the books compute otherwise is shown as a difference, and not overwritten', async () => {
    await account.client.patch('/settings', { tax_rate_bps: 825 });
    account.company.taxOffCents = 1;
    const invoice = await account.release({ lines: [line({ unit_price_cents: 10_000, taxable: true })] });
    const issue = await account.waitForIssue('difference');
    expect(issue.ours.total_cents).to.equal(invoice.total_cents);
    expect(issue.theirs.total_cents).to.equal(invoice.total_cents + 1);
  });

  it('an access token that ends early is renewed once, and the refresh token rotates', async () => {
    booking.double.signIns.expireAccess(account.company);
    const invoice = await account.release();
    await account.waitForBooked(invoice.invoice_number);
    booking.double.signIns.expireAccess(account.company);
    const second = await account.release();
    await account.waitForBooked(second.invoice_number);
    expect((await account.readConnection()).status).to.equal('active');
  });

  it('an access that was ended at Intuit asks for a new sign-in, and then everything is written', async () => {
    booking.double.signIns.endAccess(account.company);
    const invoice = await account.release();
    await eventually('the connection needs a sign-in', async () => {
      await account.hurry([]);
      return (await account.readConnection()).status === 'needs_reauth';
    });
    const { body } = await account.client.post(`/connections/${account.connectionId}/reconnect`, {});
    await account.permit(body.authorize_url);
    await account.waitForStatus('active');
    await settle();
    expect(account.findBooked(invoice.invoice_number)?.TotalAmt).to.equal(125);
  });

  it('a disconnection revokes the access, and a new connection enters nothing twice', async () => {
    const [invoice, booked] = await account.releaseBooked();
    await account.pay(invoice.id, 5000);
    booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 10 }]);
    await settle();
    await eventually(
      'both payments are here',
      async () => (await account.listPayments(invoice.id)).length === 2,
    );
    await account.disconnect();
    const missed = await account.release();
    await account.connect();
    const since = new Date(Date.now() - 3_600_000).toISOString();
    const sync = await account.client.post(`/connections/${account.connectionId}/sync`, { since });
    expect(sync.status, JSON.stringify(sync.body)).to.equal(200);
    await settle();
    await account.pullAll();
    await settle();
    await account.pullAll();
    expect(account.company.list('Invoice')).to.have.length(2);
    expect(account.findBooked(missed.invoice_number)?.TotalAmt).to.equal(125);
    expect(account.company.list('Payment')).to.have.length(2);
    expect(await account.listPayments(invoice.id)).to.have.length(2);
    expect(account.company.get('Invoice', booked.Id).Balance).to.equal(65);
    expect((await account.client.get('/sync-issues?status=open')).body.data.items).to.deep.equal([]);
    booking.double.payInvoices(account.company, [{ invoiceId: booked.Id, amount: 65 }]);
    await account.pullAll();
    await eventually('the invoice is paid', async () => {
      const { body } = await account.client.get(`/invoices/${invoice.id}`);
      return body.status === 'paid';
    });
  });

  it('a sign-in that comes before the old access is revoked keeps its access', async () => {
    const old = account.connectionId;
    const findSecrets = () =>
      account.stack.rows<{ revoke_attempts: number }>(
        account.tenant.id,
        'select revoke_attempts from connection_secrets where connection_id = $1',
        [old],
      );
    const tryToRevoke = async () => {
      const text = 'update connection_secrets set revoke_at = now() where connection_id = $1';
      await account.stack.rows(account.tenant.id, text, [old]);
      await account.wake();
    };
    const waitForTries = (count: number) =>
      eventually(`try ${count}`, async () => (await findSecrets())[0]?.revoke_attempts === count);
    booking.double.misbehave = () => ({ kind: 'status', status: 503 });
    await account.client.delete(`/connections/${old}`);
    await waitForTries(1);
    // The vendor grants the new access, but does not yet say to which company.
    booking.double.misbehave = (name) =>
      name.includes('oauth2') ? undefined : { kind: 'status', status: 503 };
    const { body } = await account.client.post('/connections', {
      vendor: 'quickbooks',
      settings: account.settings,
    });
    await account.permit(body.authorize_url);
    await tryToRevoke();
    await waitForTries(2);
    booking.double.misbehave = () => undefined;
    account.connectionId = body.id;
    // A call that began before may still fail and delay the next one, so hurry repeatedly.
    await eventually('the new connection is active', async () => {
      await account.hurry([]);
      return (await account.readConnection()).status === 'active';
    });
    account.connectionId = old;
    await tryToRevoke();
    await eventually('the old secrets are gone', async () => (await findSecrets()).length === 0);
    account.connectionId = body.id;
    expect(booking.double.signIns.revoked).to.not.include(account.company.realmId);
    const [, booked] = await account.releaseBooked();
    expect(booked.TotalAmt).to.equal(125);
  });

  it('an invoice that was released before the books were connected stays out of them, also when it is paid', async () => {
    await account.disconnect();
    const invoice = await account.release();
    await account.connect();
    await account.pay(invoice.id, 5000);
    await settle();
    expect(account.findBooked(invoice.invoice_number)).to.equal(undefined);
    expect(account.company.list('Payment')).to.deep.equal([]);
  });
});
