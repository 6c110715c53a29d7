import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { TestClient } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { useStack } from '../../../support/use-stack.js';

describe('payments of a sandbox', () => {
  const stack = useStack();
  let client: TestClient;

  before(async () => {
    client = (await stack.createTenant()).sandbox;
  });

  async function openLink() {
    const invoice = await client.post('/invoices', {
      invoice_number: randomUUID().slice(0, 20),
      billing_email: 'a@example.com',
      line_items: [
        {
          name: 'Tow',
          category: 'tow',
          quantity: 1,
          unit_type: 'each',
          unit_price_cents: 9000,
          total_cents: 9000,
          taxable: false,
        },
      ],
    });
    await client.post(`/invoices/${invoice.body.id}/approve`, {});
    const link = await client.post(`/invoices/${invoice.body.id}/pay-link`, {});
    expect(link.status, JSON.stringify(link.body)).to.equal(201);
    expect(link.body).to.include({ status: 'open', connection_id: null });
    return { id: invoice.body.id as string, path: new URL(link.body.url).pathname };
  }
  const press = (path: string, outcome: string) =>
    fetch(`${stack.origin}${path}`, {
      method: 'POST',
      redirect: 'manual',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ outcome }).toString(),
    });
  const readPage = async (path: string) => (await fetch(`${stack.origin}${path}`)).text();
  const waitForPayment = (id: string, status: string) =>
    eventually(`the payment is ${status}`, async () => {
      const { body } = await client.get(`/invoices/${id}/payments`);
      return body.data.items[0]?.status === status && body.data.items[0];
    });

  it('a sandbox without a vendor pays on a page of the service, and nothing leaves', async () => {
    const { id, path } = await openLink();
    const page = await readPage(path);
    expect(page).to.include('no money moves').and.to.include('$90.00');
    expect((await press(path, 'card')).status).to.equal(303);
    const payment = await waitForPayment(id, 'succeeded');
    expect(payment).to.include({ provider: 'pretend', amount_cents: 9000, method: 'card' });
    expect((await client.get(`/invoices/${id}`)).body.status).to.equal('paid');
    expect(await readPage(path)).to.not.include('<button');
    await press(path, 'card');
    const { body } = await client.get(`/invoices/${id}/payments`);
    expect(body.data.items).to.have.length(1);
  });

  it('a pretended debit arrives or fails when a person says so', async () => {
    const failing = await openLink();
    await press(failing.path, 'bank');
    await waitForPayment(failing.id, 'processing');
    await press(failing.path, 'fail');
    await waitForPayment(failing.id, 'failed');
    expect((await client.get(`/invoices/${failing.id}`)).body.paid_cents).to.equal(0);
    const arriving = await openLink();
    await press(arriving.path, 'bank');
    await waitForPayment(arriving.id, 'processing');
    await press(arriving.path, 'settle');
    await waitForPayment(arriving.id, 'succeeded');
  });

  it('a declined card records nothing, and the page stays open', async () => {
    const { id, path } = await openLink();
    await press(path, 'decline');
    expect((await client.get(`/invoices/${id}/payments`)).body.data.items).to.deep.equal([]);
    expect(await readPage(path)).to.include('Pay by card');
  });

  it('a pretended payment is refunded without a vendor', async () => {
    const { id, path } = await openLink();
    await press(path, 'card');
    const payment = await waitForPayment(id, 'succeeded');
    const { status } = await client.post(`/payments/${payment.id}/refund`, {
      amount_cents: 4000,
      reason: 'Test',
    });
    expect(status).to.equal(200);
    const { body } = await client.get(`/refunds?payment_id=${payment.id}`);
    expect(body.data.items[0]).to.include({ status: 'succeeded', amount_cents: 4000 });
  });

  it('an address that the service did not make is 404, and another method 405', async () => {
    expect((await fetch(`${stack.origin}/pretend/pay/abc`)).status).to.equal(404);
    const { path } = await openLink();
    expect((await fetch(`${stack.origin}${path}`, { method: 'DELETE' })).status).to.equal(405);
  });
});
