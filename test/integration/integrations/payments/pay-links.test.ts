import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { createApprovedInvoice } from '../../../support/vendors/approved-invoice.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { addIntent, payIntent } from '../../../support/vendors/doubles/stripe/payments.js';
import { type PayingAccount, usePayingStack } from '../../../support/vendors/paying.js';

describe('pay links', () => {
  requireContracts();
  const paying = usePayingStack();
  let account: PayingAccount;

  before(async () => {
    account = await paying.createAccount();
  });

  it('a pay link leads to a hosted page for the balance, and the invoice is paid by the event', async () => {
    const id = await account.createInvoice(12_500);
    const link = await account.openPayLink(id);
    expect(link).to.include({ invoice_id: id, amount_cents: 12_500, status: 'open' });
    expect(Date.parse(link.expires_at)).to.be.above(Date.now() + 30 * 60_000);
    const [, session] = account.double.findSession(link.url);
    expect(session).to.include({ amount_total: 12_500, customer_email: 'pay@riverside.example.com' });
    const intent = account.double.pay(link.url);
    const invoice = await account.waitForInvoice(id, 'paid');
    expect(invoice).to.include({ paid_cents: 12_500, balance_due_cents: 0 });
    const payments = await account.listPayments(id);
    expect(payments).to.have.length(1);
    expect(payments[0]).to.include({
      amount_cents: 12_500,
      method: 'card',
      status: 'succeeded',
      provider: 'stripe',
      provider_payment_id: intent.id,
      fee_cents: 393,
    });
    const read = await account.client.get(`/pay-links/${link.id}`);
    expect(read.body.status).to.equal('paid');
  });

  it('a redirect to the success page without an event records no payment', async () => {
    const id = await account.createInvoice();
    await account.openPayLink(id);
    const response = await fetch(`${account.stack.origin}/paid`);
    expect(response.status).to.equal(200);
    expect(await account.listPayments(id)).to.deep.equal([]);
  });

  it('the same webhook 50 times in parallel records one payment', async () => {
    const id = await account.createInvoice(5000);
    const link = await account.openPayLink(id);
    paying.double.webhooks.habits.copies = 50;
    account.double.pay(link.url);
    paying.double.webhooks.habits.copies = 1;
    await account.waitForInvoice(id, 'paid');
    await paying.double.webhooks.settle();
    expect(await account.listPayments(id)).to.have.length(1);
    expect((await account.readInvoice(id)).paid_cents).to.equal(5000);
  });

  it('a payment whose webhooks were lost is found by the next pull', async () => {
    const id = await account.createInvoice(7000);
    const link = await account.openPayLink(id);
    paying.double.webhooks.habits.isLost = true;
    account.double.pay(link.url);
    paying.double.webhooks.habits.isLost = false;
    await account.hurry();
    await account.waitForInvoice(id, 'paid');
    expect(await account.listPayments(id)).to.have.length(1);
  });

  it('a newer pay link closes the page of the older one', async () => {
    const id = await account.createInvoice();
    const first = await account.openPayLink(id);
    const second = await account.openPayLink(id);
    expect(second.url).to.not.equal(first.url);
    await eventually(
      'the first page has expired',
      () => account.double.findSession(first.url)[1].status === 'expired',
    );
    expect((await account.client.get(`/pay-links/${first.id}`)).body.status).to.equal('closed');
    expect(account.double.findSession(second.url)[1].status).to.equal('open');
  });

  it('a payment in the yard closes the page', async () => {
    const id = await account.createInvoice(9000);
    const link = await account.openPayLink(id);
    await account.client.post(`/invoices/${id}/payments`, { amount_cents: 9000, method: 'cash' });
    await account.hurry();
    await eventually(
      'the page has expired',
      () => account.double.findSession(link.url)[1].status === 'expired',
    );
    expect((await account.client.get(`/pay-links/${link.id}`)).body.status).to.equal('closed');
  });

  it('a payment that arrives after one in the yard becomes credit of the customer', async () => {
    const id = await account.createInvoice(9000);
    const link = await account.openPayLink(id);
    const intent = account.double.pay(link.url);
    expect(intent.status).to.equal('succeeded');
    await account.client.post(`/invoices/${id}/payments`, { amount_cents: 9000, method: 'cash' });
    const payments = await eventually('both payments are recorded', async () => {
      const found = await account.listPayments(id);
      return found.length === 2 && found;
    });
    const credit = payments.reduce((sum, payment) => sum + payment.credit_cents, 0);
    expect(credit).to.equal(9000);
    expect((await account.readInvoice(id)).paid_cents).to.equal(9000);
  });

  it('less than the balance is refused unless the connection allows partial payments', async () => {
    const id = await account.createInvoice(9000);
    const refused = await account.client.post(`/invoices/${id}/pay-link`, { amount_cents: 4000 });
    expect(refused.status).to.equal(400);
    expect(refused.body.error.details[0]).to.include({ field: 'amount_cents' });
    const partial = await paying.createAccount({ partial_payments: true });
    const other = await partial.createInvoice(9000);
    const link = await partial.openPayLink(other, { amount_cents: 4000 });
    partial.double.pay(link.url);
    const invoice = await partial.waitForInvoice(other, 'partially_paid');
    expect(invoice).to.include({ paid_cents: 4000, balance_due_cents: 5000 });
  });

  it('a payment of another program, whatever its metadata say, is not recorded and blocks nothing', async () => {
    const { vendor, double } = account;
    for (const invoice_id of ['order 17', '', 'x'.repeat(400)]) {
      const intent = addIntent(vendor, { amount: 900, metadata: { invoice_id, pay_link_id: 'none' } });
      payIntent(vendor, intent, 'card');
    }
    const id = await account.createInvoice(3000);
    const { url } = await account.openPayLink(id);
    double.pay(url);
    await account.waitForInvoice(id, 'paid');
    const { body } = await account.client.get('/payments?limit=200');
    expect(
      body.data.items.filter(({ amount_cents }: { amount_cents: number }) => amount_cents === 900),
    ).to.deep.equal([]);
  });

  it('without a connected vendor, a pay link is refused with a sentence', async () => {
    const tenant = await account.stack.createTenant();
    const id = await createApprovedInvoice(tenant.client, 100, { billing_email: 'a@example.com' });
    const { status, body } = await tenant.client.post(`/invoices/${id}/pay-link`, {});
    expect(status).to.equal(409);
    expect(body.error.message).to.match(/Connect one first/);
  });

  it('a bank debit is processing until it settles, and only then counts', async () => {
    const debit = await paying.createAccount({ methods: ['card', 'us_bank_account'] });
    const id = await debit.createInvoice(8000);
    const link = await debit.openPayLink(id);
    const intent = debit.double.pay(link.url, 'us_bank_account');
    const [payment] = await eventually('the payment is processing', async () => {
      const found = await debit.listPayments(id);
      return found.length > 0 && found;
    });
    expect(payment).to.include({ status: 'processing', method: 'ach', credit_cents: 0 });
    expect((await debit.readInvoice(id)).paid_cents).to.equal(0);
    const again = await debit.client.post(`/invoices/${id}/pay-link`, {});
    expect(again.status, 'the whole balance is processing').to.equal(409);
    debit.double.settle(intent);
    await debit.waitForInvoice(id, 'paid');
    expect((await debit.listPayments(id))[0]).to.include({ status: 'succeeded', fee_cents: 64 });
  });

  it('a bank debit that fails leaves the invoice open, and sends a notice', async () => {
    const debit = await paying.createAccount({ methods: ['us_bank_account'] });
    const id = await debit.createInvoice(8000);
    const link = await debit.openPayLink(id);
    const intent = debit.double.pay(link.url, 'us_bank_account');
    await eventually('the payment is processing', async () => (await debit.listPayments(id)).length > 0);
    debit.double.fail(intent, 'insufficient_funds');
    await eventually(
      'the payment has failed',
      async () => (await debit.listPayments(id))[0]?.status === 'failed',
    );
    expect(await debit.readInvoice(id)).to.include({ paid_cents: 0, balance_due_cents: 8000 });
    const { body } = await debit.client.get('/notices');
    expect(body.data.items.map(({ kind }: { kind: string }) => kind)).to.include('payment_failed');
  });
});
