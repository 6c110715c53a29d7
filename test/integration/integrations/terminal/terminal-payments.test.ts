import { expect } from 'chai';
import { eventually } from '../../../support/poll.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';
import { addIntent } from '../../../support/vendors/doubles/stripe/payments.js';
import {
  addReader,
  failAction,
  presentCard,
  showPayment,
} from '../../../support/vendors/doubles/stripe/readers.js';
import { usePayingStack } from '../../../support/vendors/paying.js';
import { TerminalAccount } from '../../../support/vendors/terminal-account.js';

describe('payments on card readers', () => {
  requireContracts();
  const paying = usePayingStack();
  let desk: TerminalAccount;

  const open = (settings: object = {}) => TerminalAccount.open(paying, settings);

  before(async () => {
    desk = await open();
  });
  afterEach(() => {
    paying.double.webhooks.habits.isLost = false;
    paying.double.misbehave = () => undefined;
    Object.assign(desk.device, { status: 'online', action: null });
  });

  it('the readers of the vendor are listed, with whether they are online', async () => {
    const desk2 = await open();
    expect(desk2.reader).to.include({
      label: 'Front desk',
      status: 'online',
      device_type: 'bbpos_wisepos_e',
    });
    desk2.device.status = 'offline';
    await desk2.syncReaders('offline');
    desk2.account.vendor.objects.delete(desk2.device.id);
    await desk2.syncReaders(undefined);
    const { body } = await desk2.client.get('/terminal-readers?status=removed');
    expect(body.data.items).to.have.length(1);
  });

  it('a connection that is older than this stream gets it when its account is read again', async () => {
    const older = await open();
    const { stack, tenant, connectionId } = older.account;
    const condition = "tenant_id = $1 and stream = 'readers'";
    await stack.rows(tenant.id, `delete from sync_states where ${condition}`, [tenant.id]);
    await older.client.post(`/connections/${connectionId}/test`, {});
    await eventually('the stream exists', async () => {
      const text = `select stream from sync_states where ${condition}`;
      return (await stack.rows(tenant.id, text, [tenant.id])).length === 1;
    });
  });

  it('only the readers of the chosen location are listed', async () => {
    const located = await open({ terminal_location_id: 'tml_1' });
    addReader(located.account.vendor, 'Other yard', 'tml_2');
    located.device.status = 'offline';
    await located.syncReaders('offline');
    const { body } = await located.client.get('/terminal-readers');
    expect(body.data.items.map(({ label }: { label: string }) => label)).to.deep.equal(['Front desk']);
  });

  it('a presented card pays the invoice, and its refund is paid out by the vendor', async () => {
    const id = await desk.createInvoice(12_500);
    const started = await desk.start(id);
    expect(started).to.include({ invoice_id: id, amount_cents: 12_500, status: 'waiting', payment_id: null });
    await desk.waitUntilShown();
    const intent = presentCard(desk.account.vendor, desk.device);
    expect(intent).to.deep.include({ amount: 12_500, payment_method_types: ['card_present'] });
    await desk.account.waitForInvoice(id, 'paid');
    const done = await desk.waitFor(started.id, 'succeeded');
    const [payment] = await desk.account.listPayments(id);
    expect(payment).to.include({
      id: done.payment_id,
      method: 'card',
      status: 'succeeded',
      amount_cents: 12_500,
    });
    const refund = await desk.client.post(`/payments/${done.payment_id}/refund`, {
      amount_cents: 500,
      reason: 'Test',
    });
    expect(refund.status).to.equal(200);
    await eventually('the vendor has refunded', () =>
      desk.account.vendor.list('refund').some((one) => one.payment_intent === intent.id),
    );
  });

  it('a payment whose webhooks were lost is seen by the next look at the reader', async () => {
    const id = await desk.createInvoice(7000);
    const { id: paymentId } = await desk.start(id);
    await desk.waitUntilShown();
    paying.double.webhooks.habits.isLost = true;
    presentCard(desk.account.vendor, desk.device);
    await desk.hurryUntil(paymentId, 'succeeded');
    expect(await desk.account.listPayments(id)).to.have.length(1);
  });

  it('a declined card ends the payment with the reason, and the invoice can be tried again', async () => {
    const id = await desk.createInvoice(5000);
    const first = await desk.start(id);
    await desk.waitUntilShown();
    const intent = presentCard(desk.account.vendor, desk.device, 'insufficient_funds');
    const failed = await desk.waitFor(first.id, 'failed');
    expect(failed.failure_reason).to.match(/insufficient_funds/);
    expect((await desk.account.readInvoice(id)).paid_cents).to.equal(0);
    await desk.account.hurry();
    await eventually('the declined payment is cancelled', () => intent.status === 'canceled');
    const second = await desk.start(id);
    await desk.waitUntilShown();
    presentCard(desk.account.vendor, desk.device);
    await desk.waitFor(second.id, 'succeeded');
    expect((await desk.account.readInvoice(id)).paid_cents).to.equal(5000);
  });

  it("a card that is declined while the worker looks at the reader fails with the bank's reason", async () => {
    const id = await desk.createInvoice();
    paying.double.webhooks.habits.isLost = true;
    const { id: paymentId } = await desk.start(id);
    await desk.waitUntilShown();
    let isPresented = false;
    paying.double.misbehave = (name) => {
      if (isPresented || !name.startsWith('GET /v1/terminal/readers/')) return undefined;
      isPresented = true;
      presentCard(desk.account.vendor, desk.device, 'insufficient_funds');
      return undefined;
    };
    const failed = await desk.hurryUntil(paymentId, 'failed');
    expect(isPresented).to.equal(true);
    expect(failed.failure_reason).to.match(/insufficient_funds/);
  });

  it('a payment for which nobody presents a card is cancelled when its time is over', async () => {
    const id = await desk.createInvoice();
    const started = await desk.start(id);
    await desk.waitUntilShown();
    expect(Date.parse(started.expires_at) - Date.parse(started.created_at)).to.be.within(115_000, 125_000);
    await desk.letExpire(started.id);
    const ended = await desk.hurryUntil(started.id, 'cancelled');
    expect(ended.failure_reason).to.equal('Nobody presented a card in time.');
    expect(desk.device.action).to.equal(null);
    expect(desk.findIntent(started.id).status).to.equal('canceled');
    expect(await desk.account.listPayments(id)).to.deep.equal([]);
  });

  it('a person cancels a payment, and the reader stops asking', async () => {
    const id = await desk.createInvoice();
    const started = await desk.start(id);
    await desk.waitUntilShown();
    const answer = await desk.client.post(`/terminal-payments/${started.id}/cancel`, {});
    expect(answer.status).to.equal(200);
    expect(answer.body.cancel_requested_at).to.be.a('string');
    await desk.waitFor(started.id, 'cancelled');
    expect(desk.device.action).to.equal(null);
    const again = await desk.client.post(`/terminal-payments/${started.id}/cancel`, {});
    expect(again.status).to.equal(409);
  });

  it('a card that is presented before the cancellation pays', async () => {
    const id = await desk.createInvoice(6000);
    const started = await desk.start(id);
    await desk.waitUntilShown();
    paying.double.webhooks.habits.isLost = true;
    presentCard(desk.account.vendor, desk.device);
    await desk.client.post(`/terminal-payments/${started.id}/cancel`, {});
    await desk.waitFor(started.id, 'succeeded');
    expect((await desk.account.readInvoice(id)).paid_cents).to.equal(6000);
  });

  it('a card that pays an invoice that was paid in cash meanwhile becomes credit', async () => {
    const id = await desk.createInvoice(3000);
    const started = await desk.start(id);
    await desk.waitUntilShown();
    await desk.client.post(`/invoices/${id}/payments`, { amount_cents: 3000, method: 'cash' });
    presentCard(desk.account.vendor, desk.device);
    const { payment_id } = await desk.waitFor(started.id, 'succeeded');
    const paid = (await desk.account.listPayments(id)).find((payment) => payment.id === payment_id);
    expect(paid).to.include({ amount_cents: 3000, credit_cents: 3000 });
    expect((await desk.account.readInvoice(id)).paid_cents).to.equal(3000);
  });

  it('a customer who cancels at the reader ends the payment', async () => {
    const started = await desk.start(await desk.createInvoice());
    await desk.waitUntilShown();
    failAction(desk.account.vendor, desk.device, 'The customer cancelled.');
    const ended = await desk.hurryUntil(started.id, 'failed');
    expect(ended.failure_reason).to.equal('The customer cancelled.');
  });

  it('a reader that is offline fails the payment with a sentence, and takes nothing later', async () => {
    desk.device.status = 'offline';
    const started = await desk.start(await desk.createInvoice());
    const failed = await desk.waitFor(started.id, 'failed');
    expect(failed.failure_reason).to.match(/^The card reader is offline\./);
    expect(desk.findIntent(started.id).status).to.equal('canceled');
    const { body } = await desk.client.get('/sync-issues');
    expect(body.data.items).to.deep.equal([]);
  });

  it('a reader that another program uses fails the payment, and the other payment stays', async () => {
    const { vendor } = desk.account;
    const foreign = addIntent(vendor, { amount: 900, payment_method_types: ['card_present'] });
    showPayment(desk.device, foreign);
    const started = await desk.start(await desk.createInvoice());
    const failed = await desk.waitFor(started.id, 'failed');
    expect(failed.failure_reason).to.match(/^The card reader is busy/);
    expect(Reflect.get(desk.device.action ?? {}, 'status')).to.equal('in_progress');
    expect(foreign.status).to.equal('requires_payment_method');
  });

  it('a second payment on the same reader or invoice is refused with a sentence', async () => {
    const id = await desk.createInvoice();
    const started = await desk.start(id);
    for (const invoiceId of [id, await desk.createInvoice()]) {
      const path = `/invoices/${invoiceId}/terminal-payments`;
      const refused = await desk.client.post(path, { reader_id: desk.reader.id });
      expect(refused.status).to.equal(409);
      expect(refused.body.error.message).to.match(/^This (invoice|reader) waits for a card already\./);
    }
    await desk.client.post(`/terminal-payments/${started.id}/cancel`, {});
    await desk.waitFor(started.id, 'cancelled');
  });

  it('two starts at the same time on one reader: one waits, the other is refused', async () => {
    const invoices = [await desk.createInvoice(), await desk.createInvoice()];
    const answers = await Promise.all(
      invoices.map((id) =>
        desk.client.post(`/invoices/${id}/terminal-payments`, { reader_id: desk.reader.id }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([202, 409]);
    const started = answers.find(({ status }) => status === 202)?.body;
    await desk.client.post(`/terminal-payments/${started.id}/cancel`, {});
    await desk.waitFor(started.id, 'cancelled');
  });

  it('the amount is the balance, and less only if the connection allows partial payments', async () => {
    const id = await desk.createInvoice(9000);
    const path = `/invoices/${id}/terminal-payments`;
    for (const amount_cents of [4000, 9001]) {
      const refused = await desk.client.post(path, { reader_id: desk.reader.id, amount_cents });
      expect(refused.status).to.equal(400);
      expect(refused.body.error.details[0]).to.include({ field: 'amount_cents' });
    }
    const partial = await open({ partial_payments: true });
    const started = await partial.start(await partial.createInvoice(9000), { amount_cents: 4000 });
    await partial.waitUntilShown();
    presentCard(partial.account.vendor, partial.device);
    await partial.waitFor(started.id, 'succeeded');
    expect(await partial.account.readInvoice(started.invoice_id)).to.include({ balance_due_cents: 5000 });
  });

  it('a key without the right for readers fails the payment, and the connection stays active', async () => {
    const limited = await open();
    limited.account.vendor.lacksTerminal = true;
    const started = await limited.start(await limited.createInvoice());
    const failed = await limited.waitFor(started.id, 'failed');
    expect(failed.failure_reason).to.match(/^The Stripe key may not use card readers\./);
    await limited.syncReaders('online');
    const { body } = await limited.client.get(`/connections/${limited.account.connectionId}`);
    expect(body.status).to.equal('active');
  });

  it('an unknown reader is refused, and so is a reader of another account', async () => {
    const other = await open();
    const id = await desk.createInvoice();
    const path = `/invoices/${id}/terminal-payments`;
    const refused = await desk.client.post(path, { reader_id: other.reader.id });
    expect(refused.status).to.equal(400);
    expect(refused.body.error.details[0]).to.include({ field: 'reader_id', code: 'unknown' });
  });
});
