import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { chargeDue } from '../../../support/billing/paying-customer.js';
import type { Json, TestClient } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { lineItem } from '../../../support/records/samples.js';
import { useStack } from '../../../support/use-stack.js';

describe('payment methods of a sandbox', () => {
  const stack = useStack();
  let client: TestClient;
  let sandboxId: string;

  before(async () => {
    const tenant = await stack.createTenant();
    client = tenant.sandbox;
    sandboxId = tenant.sandboxId;
  });

  const press = (path: string, choice: Record<string, string>) =>
    fetch(`${stack.origin}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(choice).toString(),
    });
  const readPage = async (path: string) => (await fetch(`${stack.origin}${path}`)).text();
  const readMethod = async (id: string) => (await client.get(`/payment-methods/${id}`)).body;

  /** Opens the page of a new payment method. */
  async function openSetup() {
    const customer = await client.post('/customers', {
      company_name: 'Riverside Motors',
      billing_email: 'a@example.com',
    });
    const customerId: string = customer.body.id;
    const { status, body } = await client.post(`/customers/${customerId}/payment-methods`, {});
    expect(status, JSON.stringify(body)).to.equal(201);
    expect(body).to.include({ status: 'open', connection_id: null });
    return { customerId, id: body.id as string, path: new URL(body.url).pathname };
  }
  /** Saves a method to which autopay charges each invoice when the invoice is sent. */
  async function openAutopay(method: string) {
    const setup = await openSetup();
    expect((await press(setup.path, { method })).status).to.equal(303);
    if (method === 'bank') await press(setup.path, { deposits: 'right' });
    const autopay = { payment_method_id: setup.id, when: 'release' };
    const { status, body } = await client.patch(`/customers/${setup.customerId}`, { autopay });
    expect(status, JSON.stringify(body)).to.equal(200);
    return setup;
  }
  async function sendInvoice(customer_id: string): Promise<string> {
    const { body } = await client.post('/invoices', {
      invoice_number: randomUUID().slice(0, 20),
      customer_id,
      line_items: [lineItem()],
    });
    await client.post(`/invoices/${body.id}/approve`, {});
    const sent = await client.post(`/invoices/${body.id}/send`, {});
    expect(sent.status, sent.text).to.be.oneOf([200, 202]);
    return body.id;
  }
  async function charge(): Promise<void> {
    await chargeDue(stack);
    await chargeDue(stack, 'charge-pretend-methods');
  }
  const listAttempts = async (id: string): Promise<Json[]> =>
    (await client.get(`/autopay-attempts?invoice_id=${id}`)).body.data.items;
  /** Runs the clock's charging task until the newest attempt has this status. */
  const chargeUntil = (id: string, status: string, attempt = 1): Promise<Json> =>
    eventually(`attempt ${attempt} is ${status}`, async () => {
      await charge();
      const [newest] = await listAttempts(id);
      return newest?.status === status && newest.attempt === attempt && newest;
    });
  const waitForInvoice = (id: string, status: string) =>
    eventually(
      `the invoice is ${status}`,
      async () => (await client.get(`/invoices/${id}`)).body.status === status,
    );

  it('a customer saves a card on a page of the service, and invoices are charged to it once', async () => {
    const { id, customerId, path } = await openAutopay('works');
    expect(await readMethod(id)).to.include({ status: 'active', type: 'card', brand: 'visa', last4: '4242' });
    const invoiceId = await sendInvoice(customerId);
    const attempt = await chargeUntil(invoiceId, 'succeeded');
    await waitForInvoice(invoiceId, 'paid');
    await charge();
    expect(await listAttempts(invoiceId)).to.have.length(1);
    const { items } = (await client.get(`/invoices/${invoiceId}/payments`)).body.data;
    expect(items).to.have.length(1);
    expect(items[0]).to.include({
      provider: 'pretend',
      method: 'card',
      provider_payment_id: attempt.provider_payment_id,
    });
    expect(await readPage(path))
      .to.include('no money moves')
      .and.to.include('4242');
  });

  it('a declined card is tried again after days, and pays once a person lets charges succeed', async () => {
    const { customerId, path } = await openAutopay('again');
    const invoiceId = await sendInvoice(customerId);
    const failed = await chargeUntil(invoiceId, 'failed');
    expect(failed.decline_code).to.equal('insufficient_funds');
    const waitDays = (Date.parse(failed.next_attempt_at) - Date.parse(failed.updated_at)) / 86_400_000;
    expect(Math.round(waitDays)).to.equal(1);
    await press(path, { method: 'works' });
    await stack.rows(
      sandboxId,
      'update autopay_attempts set next_attempt_at = now() where tenant_id = $1 and id = $2',
      [sandboxId, failed.id],
    );
    await chargeUntil(invoiceId, 'succeeded', 2);
    await waitForInvoice(invoiceId, 'paid');
  });

  for (const [method, code] of [
    ['ask', 'authentication_required'],
    ['stop', 'stolen_card'],
  ] as const)
    it(`the card ${method} is declined with ${code}, is not tried again, and the account gets a notice`, async () => {
      const { customerId } = await openAutopay(method);
      const invoiceId = await sendInvoice(customerId);
      const failed = await chargeUntil(invoiceId, 'failed');
      expect(failed).to.include({ decline_code: code, next_attempt_at: null });
      const { items } = (await client.get('/notices')).body.data;
      expect(items.find(({ entity_id }: Json) => entity_id === invoiceId)?.kind).to.equal('autopay_failed');
      expect((await client.get(`/invoices/${invoiceId}/payments`)).body.data.items).to.deep.equal([]);
    });

  it('a bank account waits for its small deposits, and its debits arrive or fail when a person says so', async () => {
    const setup = await openSetup();
    await press(setup.path, { method: 'bank' });
    const verifying = await readMethod(setup.id);
    expect(verifying).to.include({ status: 'verifying', type: 'us_bank_account', last4: '6789' });
    expect(new URL(verifying.verification_url).pathname).to.equal(setup.path);
    const early = await client.patch(`/customers/${setup.customerId}`, {
      autopay: { payment_method_id: setup.id, when: 'release' },
    });
    expect(early.status, 'autopay with an unverified account').to.equal(400);
    const wrong = await openSetup();
    await press(wrong.path, { method: 'bank' });
    await press(wrong.path, { deposits: 'wrong' });
    expect(await readMethod(wrong.id)).to.include({
      status: 'failed',
      error: 'The deposits were not confirmed.',
    });

    const { customerId, path } = await openAutopay('bank');
    for (const [name, invoiceStatus] of [
      ['settle', 'paid'],
      ['fail', undefined],
    ] as const) {
      const invoiceId = await sendInvoice(customerId);
      const { id } = await chargeUntil(invoiceId, 'processing');
      const { items } = (await client.get(`/invoices/${invoiceId}/payments`)).body.data;
      expect(items[0]).to.include({ status: 'processing', method: 'ach' });
      expect((await press(path, { [name]: id })).status).to.equal(303);
      await chargeUntil(invoiceId, name === 'settle' ? 'succeeded' : 'failed');
      if (invoiceStatus) await waitForInvoice(invoiceId, invoiceStatus);
      else expect((await client.get(`/invoices/${invoiceId}`)).body.paid_cents).to.equal(0);
    }
  });

  it('a method that autopay uses stays, and a removed one takes nothing from its page any more', async () => {
    const { id, customerId, path } = await openAutopay('works');
    const remove = () => client.delete(`/customers/${customerId}/payment-methods/${id}`);
    expect((await remove()).status).to.equal(409);
    await client.patch(`/customers/${customerId}`, { autopay: null });
    expect((await remove()).status).to.be.oneOf([200, 204]);
    await press(path, { method: 'works' });
    expect((await readMethod(id)).status).to.equal('removed');
    expect(await readPage(path)).to.not.include('<button');
  });

  it('a charge that was planned is not made once autopay is turned off', async () => {
    const { customerId } = await openAutopay('works');
    const invoiceId = await sendInvoice(customerId);
    await eventually('the charge is planned', async () => {
      await chargeDue(stack);
      return (await listAttempts(invoiceId))[0]?.status === 'charging';
    });
    await client.patch(`/customers/${customerId}`, { autopay: null });
    const cancelled = await eventually('the attempt is cancelled', async () => {
      await chargeDue(stack, 'charge-pretend-methods');
      const [newest] = await listAttempts(invoiceId);
      return newest?.status === 'cancelled' && newest;
    });
    expect(cancelled.failure_reason).to.equal('Autopay was changed.');
  });

  it('a live account without a vendor saves no method, and a changed address is 404', async () => {
    const live = (await stack.createTenant()).client;
    const { body } = await live.post('/customers', { company_name: 'Riverside Motors' });
    const refused = await live.post(`/customers/${body.id}/payment-methods`, {});
    expect(refused.status).to.equal(409);
    const { path } = await openSetup();
    expect((await fetch(`${stack.origin}${path.slice(0, -1)}`)).status).to.equal(404);
    expect((await fetch(`${stack.origin}${path}`, { method: 'DELETE' })).status).to.equal(405);
  });
});
