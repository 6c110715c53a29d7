import { expect } from 'chai';
import { PRETEND_READER_ID } from '../../../shared/resources/terminal-readers/pretend-reader.js';
import type { Json, TestClient } from '../../support/client.js';
import { eventually } from '../../support/poll.js';
import {
  createDrivenJob,
  createJobInvoice,
  type DrivenJob,
  DriverClient,
} from '../../support/public-pages/driven-job.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe("payments on the driver's page", () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');
  let client: TestClient;

  before(async () => {
    client = tenant.sandbox;
    await allow(true);
  });
  afterEach(async () => {
    await allow(true);
    // A sandbox has one reader, which takes one payment at a time.
    const { body } = await client.get('/terminal-payments?status=waiting');
    for (const { id } of body.data.items) await client.post(`/terminal-payments/${id}/cancel`, {});
  });

  const allow = (driver_payments: boolean) => client.patch('/settings', { driver_payments });

  async function openJob(by = client) {
    const job = await createDrivenJob(by);
    const invoice = await createJobInvoice(by, job);
    return { job, invoice, page: new DriverClient(stack, job.path) };
  }
  const readPayments = async (page: DriverClient) => (await page.get()).body.data.state.payments;
  const start = (page: DriverClient, invoice: Json, more: Json = {}) =>
    page.pay({
      kind: 'start',
      invoice: invoice.invoice_number,
      reader_id: PRETEND_READER_ID,
      ...more,
    });
  const follow = async (page: DriverClient, id: string) =>
    (await page.get(`/payments/${id}`)).body?.data.payment;
  const listPayments = async (invoice: Json): Promise<Json[]> =>
    (await client.get(`/terminal-payments?invoice_id=${invoice.id}`)).body.data.items;
  const present = (url: string, outcome: string) =>
    fetch(`${stack.origin}${new URL(url).pathname}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ outcome }).toString(),
    });
  const cancelJob = ({ id }: DrivenJob) => client.post(`/work-orders/${id}/cancel`, { reason: 'customer' });

  it("the driver's page shows what the customer owes, takes it on a reader and shows that it was paid", async () => {
    const { invoice, page } = await openJob();
    const shown = await readPayments(page);
    expect(shown).to.deep.equal({
      due: { invoice: invoice.invoice_number, amount: '$90.00', pay_url: null },
      readers: [{ id: PRETEND_READER_ID, label: 'Pretend reader' }],
      current: null,
    });
    const started = await start(page, invoice);
    expect(started.status, started.text).to.equal(200);
    const { current } = started.body.data.state.payments;
    expect(current).to.include({ amount: '$90.00', status: 'waiting', reader: 'Pretend reader' });
    await present(current.pretend_url, 'tap');
    await eventually('the page shows the payment', async () => {
      return (await follow(page, current.id)).status === 'succeeded';
    });
    expect((await client.get(`/invoices/${invoice.id}`)).body.status).to.equal('paid');
    const after = await readPayments(page);
    expect(after.due).to.equal(null);
    expect(after.current).to.include({ id: current.id, status: 'succeeded' });
  });

  it('a declined card shows its reason, and the driver can try again', async () => {
    const { invoice, page } = await openJob();
    const { current } = (await start(page, invoice)).body.data.state.payments;
    await present(current.pretend_url, 'decline');
    const declined = await readPayments(page);
    expect(declined.current).to.include({ status: 'failed', reason: 'The bank declined the card.' });
    expect((await start(page, invoice)).body.data.state.payments.current.status).to.equal('waiting');
  });

  it('a tap that is sent again, even at once, starts one payment, and a second tap is refused with a sentence', async () => {
    const { invoice, page } = await openJob();
    const id = crypto.randomUUID();
    const answers = await Promise.all([1, 2, 3].map(() => start(page, invoice, { id })));
    for (const { status } of answers) expect(status).to.be.oneOf([200, 409]);
    expect((await start(page, invoice, { id })).status).to.equal(200);
    expect(await listPayments(invoice)).to.have.length(1);
    const second = await start(page, invoice);
    expect(second.status).to.equal(409);
    expect(second.body.error.message).to.match(/^This invoice waits for a card already\./);
  });

  it('a driver cancels a payment, and the audit log shows both as the driver of the page', async () => {
    const { job, invoice, page } = await openJob();
    const { current } = (await start(page, invoice)).body.data.state.payments;
    const cancelled = await page.pay({ kind: 'cancel', payment_id: current.id });
    expect(cancelled.status, cancelled.text).to.equal(200);
    expect(cancelled.body.data.state.payments.current).to.include({ status: 'cancelled' });
    const { items } = (await client.get(`/audit-log?entity_id=${current.id}`)).body.data;
    const actions = items.map(({ action }: Json) => action);
    expect(actions).to.have.members(['terminal_payment.created', 'terminal_payment.cancel_requested']);
    for (const { actor } of items)
      expect(actor).to.deep.equal({ type: 'system', id: job.driverId, name: "Sam Rivera (driver's page)" });
  });

  it('the amount is what is owed at the tap, whatever amount a driver sends', async () => {
    const { invoice, page } = await openJob();
    await client.post(`/invoices/${invoice.id}/payments`, { amount_cents: 2500, method: 'cash' });
    await start(page, invoice, { amount_cents: 100 });
    expect((await listPayments(invoice))[0]).to.include({ amount_cents: 6500 });
  });

  it('while drivers take no payments, the section is absent and every tap is refused', async () => {
    const { invoice, page } = await openJob();
    const { current } = (await start(page, invoice)).body.data.state.payments;
    await allow(false);
    expect(await readPayments(page)).to.equal(null);
    for (const tap of [
      { kind: 'start', invoice: invoice.invoice_number, reader_id: PRETEND_READER_ID },
      { kind: 'cancel', payment_id: current.id },
      { kind: 'pay_link', invoice: invoice.invoice_number },
    ]) {
      const { status, body } = await page.pay(tap);
      expect(status, tap.kind).to.equal(403);
      expect(body.error.message).to.equal('Drivers take no payments here. Call your dispatcher.');
    }
    expect((await follow(page, current.id)).status, 'a started payment stays visible').to.equal('waiting');
    const other = (await stack.createTenant()).client;
    expect((await other.get('/settings')).body.driver_payments, 'the default').to.equal(false);
  });

  it("a link takes payments for its own work order's invoices only, and cancels and shows no others", async () => {
    const mine = await openJob();
    const other = await openJob();
    const started = await start(other.page, other.invoice);
    const { id } = started.body.data.state.payments.current;
    const foreign = await stack.createTenant();
    await foreign.sandbox.patch('/settings', { driver_payments: true });
    const strange = await openJob(foreign.sandbox);
    for (const invoice of [other.invoice, strange.invoice, { invoice_number: 'none' }]) {
      expect((await start(mine.page, invoice)).status).to.equal(409);
      const link = await mine.page.pay({ kind: 'pay_link', invoice: invoice.invoice_number });
      expect(link.status).to.equal(409);
    }
    for (const { page } of [mine, strange]) {
      expect((await page.pay({ kind: 'cancel', payment_id: id })).status).to.equal(409);
      expect((await page.get(`/payments/${id}`)).status).to.equal(404);
    }
    expect((await listPayments(other.invoice))[0]?.status).to.equal('waiting');
    expect(await listPayments(mine.invoice)).to.deep.equal([]);
  });

  it('an ended link starts and cancels nothing, and still shows how its payment ends', async () => {
    const { job, invoice, page } = await openJob();
    const { current } = (await start(page, invoice)).body.data.state.payments;
    await cancelJob(job);
    expect((await start(page, invoice)).status).to.equal(404);
    expect((await page.pay({ kind: 'cancel', payment_id: current.id })).status).to.equal(404);
    await present(current.pretend_url, 'tap');
    expect(await follow(page, current.id)).to.include({ status: 'succeeded', amount: '$90.00' });
    await stack.rows(
      tenant.sandboxId,
      "update terminal_payments set created_at = now() - interval '2 hours' where id = $1",
      [current.id],
    );
    expect((await page.get(`/payments/${current.id}`)).status).to.equal(404);
  });

  it('a draft owes nothing yet, and an invoice that is paid otherwise leaves the page', async () => {
    const job = await createDrivenJob(client);
    const page = new DriverClient(stack, job.path);
    const draft = await createJobInvoice(client, job, { isApproved: false });
    expect(await readPayments(page)).to.equal(null);
    expect((await start(page, draft)).body.error.message).to.match(/draft cannot be paid online/);
    const invoice = await createJobInvoice(client, job);
    expect((await readPayments(page)).due.invoice).to.equal(invoice.invoice_number);
    await client.post(`/invoices/${invoice.id}/payments`, { amount_cents: 9000, method: 'cash' });
    expect(await readPayments(page)).to.equal(null);
  });

  it('a driver opens the page to pay online once, and later taps show the same', async () => {
    const { invoice, page } = await openJob();
    const open = async () => {
      const { body, text } = await page.pay({ kind: 'pay_link', invoice: invoice.invoice_number });
      return body.data?.state.payments.due.pay_url ?? text;
    };
    const url = await open();
    expect(await (await fetch(url.replace(/^https?:\/\/[^/]+/, stack.origin))).text()).to.include('$90.00');
    expect(await open()).to.equal(url);
    const live = await createDrivenJob(tenant.client);
    await tenant.client.patch('/settings', { driver_payments: true });
    const unpaid = await createJobInvoice(tenant.client, live);
    const refused = await new DriverClient(stack, live.path).pay({
      kind: 'pay_link',
      invoice: unpaid.invoice_number,
    });
    expect(refused.body.error.message).to.match(/^No payments vendor is connected\./);
  });

  it('more than 20 taps a minute on one page are refused, and other pages of the account still take payments', async () => {
    const { page } = await openJob();
    const tap = { kind: 'cancel', payment_id: crypto.randomUUID() };
    const statuses = await Promise.all(Array.from({ length: 25 }, async () => (await page.pay(tap)).status));
    expect(statuses.filter((status) => status === 429)).to.have.length(5);
    const other = await openJob();
    expect((await start(other.page, other.invoice)).status).to.equal(200);
  });

  it('a payment tap from another site, or with a wrong body, starts nothing', async () => {
    const { job, invoice, page } = await openJob();
    const foreign = new DriverClient(stack, job.path, { Origin: 'https://evil.example.com' });
    expect((await start(foreign, invoice)).status).to.equal(403);
    for (const wrong of [{ kind: 'refund' }, { kind: 'start' }, { kind: 'cancel', payment_id: 'x' }])
      expect((await page.pay(wrong)).status, JSON.stringify(wrong)).to.equal(400);
    expect((await page.get('/payments')).status).to.equal(405);
    expect((await page.get('/payments/00000000-0000-0000-0000-000000000000')).status).to.equal(404);
    expect(await listPayments(invoice)).to.deep.equal([]);
  });
});
