import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { lineItem } from '../../../support/records/samples.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('the pay page of an invoice that changes', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  before(async () => {
    account = await paying.createAccount();
    // A worker that is still reading would close a page without being woken.
    await account.waitForPulls();
  });

  afterEach(() => {
    paying.double.misbehave = () => undefined;
  });

  async function change(path: string, body: object, method: 'post' | 'patch' = 'post'): Promise<void> {
    const { status, text } = await account.client[method](path, body);
    expect(status, text).to.be.oneOf([200, 202]);
  }
  /** Waits until the page is closed here and at Stripe, and tries to pay on it. */
  async function expectClosed(link: { id: string; url: string }): Promise<void> {
    const [, session] = account.double.findSession(link.url);
    // These tests have no clock, so the write itself has woken the worker.
    await eventually('the session has expired', () => session.status === 'expired');
    const read = (await account.client.get(`/pay-links/${link.id}`)).body;
    expect(read).to.include({ status: 'closed' });
    expect(() => account.double.pay(link.url)).to.throw('This page has expired.');
    expect((await fetch(link.url)).status).to.equal(410);
  }

  it('a void invoice closes its page, and the invoice takes no new link', async () => {
    const id = await account.createInvoice(8000);
    await change(`/invoices/${id}/send`, {});
    const link = await account.openPayLink(id);
    await change(`/invoices/${id}/void`, { reason: 'Wrong customer' });
    await expectClosed(link as never);
    expect((await account.client.post(`/invoices/${id}/pay-link`, {})).status).to.equal(409);
    expect(await account.listPayments(id)).to.deep.equal([]);
  });

  it('an approved invoice that becomes a draft again closes its page', async () => {
    const id = await account.createInvoice(8100);
    const link = await account.openPayLink(id);
    await change(`/invoices/${id}`, { status: 'draft' }, 'patch');
    await expectClosed(link as never);
    expect((await account.client.post(`/invoices/${id}/pay-link`, {})).status).to.equal(409);
  });

  for (const [name, cents] of [
    ['more', 9900],
    ['less', 4400],
  ] as const)
    it(`an invoice whose total becomes ${name} closes its page, and a new page asks for the new total`, async () => {
      const id = await account.createInvoice(8200);
      const link = await account.openPayLink(id);
      await change(`/invoices/${id}`, { status: 'draft' }, 'patch');
      const line_items = [lineItem({ unit_price_cents: cents, total_cents: cents, quantity: 1 })];
      await change(`/invoices/${id}`, { line_items }, 'patch');
      await change(`/invoices/${id}/approve`, {});
      await expectClosed(link as never);
      const next = await account.openPayLink(id);
      account.double.pay(next.url);
      const paid = await account.waitForInvoice(id, 'paid');
      expect(paid).to.include({ total_cents: cents, paid_cents: cents, balance_due_cents: 0 });
    });

  it('a disputed invoice that is corrected closes its page', async () => {
    const id = await account.createInvoice(8300);
    await change(`/invoices/${id}/send`, {});
    const link = await account.openPayLink(id);
    await change(`/invoices/${id}/dispute`, { reason: 'Too much' });
    await change(`/invoices/${id}`, { status: 'needs_review' }, 'patch');
    await expectClosed(link as never);
  });

  it('a part that is paid in the yard closes the page, because the page asks for more than is due', async () => {
    const id = await account.createInvoice(8400);
    const link = await account.openPayLink(id);
    await account.client.post(`/invoices/${id}/payments`, { amount_cents: 400, method: 'cash' });
    await expectClosed(link as never);
    expect((await account.openPayLink(id)).amount_cents).to.equal(8000);
  });

  it('a page that cannot be closed while Stripe is down is closed afterwards', async () => {
    const id = await account.createInvoice(8500);
    const link = await account.openPayLink(id);
    let refusals = 0;
    paying.double.misbehave = () => {
      refusals += 1;
      return { kind: 'status', status: 503 };
    };
    await change(`/invoices/${id}`, { status: 'draft' }, 'patch');
    await eventually('the worker has tried', () => refusals > 0);
    paying.double.misbehave = () => undefined;
    await eventually('the worker has tried again', async () => {
      await account.hurry([]);
      return account.double.findSession(link.url)[1].status === 'expired';
    });
    await expectClosed(link as never);
  });
});
