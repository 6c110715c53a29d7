import { expect } from 'chai';
import { findUntappedPayments } from '../../../../shared/resources/terminal-payments/sweep.js';
import { PRETEND_READER_ID } from '../../../../shared/resources/terminal-readers/pretend-reader.js';
import { runIsolated } from '../../../../workers/writes/isolate-commands.js';
import type { TestClient } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { useStack } from '../../../support/use-stack.js';
import { createApprovedInvoice } from '../../../support/vendors/approved-invoice.js';
import { createBatchContext } from '../../../support/writes/batch-context.js';

describe('payments of a sandbox', () => {
  const stack = useStack();
  let client: TestClient;
  let sandboxId: string;

  before(async () => {
    const tenant = await stack.createTenant();
    client = tenant.sandbox;
    sandboxId = tenant.sandboxId;
  });

  const createInvoice = () => createApprovedInvoice(client, 9000, { billing_email: 'a@example.com' });
  async function openLink() {
    const id = await createInvoice();
    const link = await client.post(`/invoices/${id}/pay-link`, {});
    expect(link.status, JSON.stringify(link.body)).to.equal(201);
    expect(link.body).to.include({ status: 'open', connection_id: null });
    return { id, path: new URL(link.body.url).pathname };
  }
  async function startReader() {
    const invoiceId = await createInvoice();
    const started = await client.post(`/invoices/${invoiceId}/terminal-payments`, {
      reader_id: PRETEND_READER_ID,
    });
    expect(started.status, JSON.stringify(started.body)).to.equal(202);
    expect(started.body).to.include({ status: 'waiting', connection_id: null });
    return { id: started.body.id as string, invoiceId, path: new URL(started.body.pretend_url).pathname };
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

  it('a sandbox without a vendor pays on a page of the service, once', async () => {
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

  it('a sandbox without a vendor has a pretend reader, at which a person taps a card', async () => {
    const { body } = await client.get('/terminal-readers');
    expect(body.data.items).to.have.length(1);
    expect(body.data.items[0]).to.include({ id: PRETEND_READER_ID, status: 'online', connection_id: null });
    const declined = await startReader();
    expect((await press(declined.path, 'decline')).status).to.equal(303);
    const failed = await client.get(`/terminal-payments/${declined.id}`);
    expect(failed.body).to.include({ status: 'failed', failure_reason: 'The bank declined the card.' });
    const tapped = await startReader();
    expect(await readPage(tapped.path)).to.include('Tap the card');
    await press(tapped.path, 'tap');
    const payment = await waitForPayment(tapped.invoiceId, 'succeeded');
    const paid = await client.get(`/terminal-payments/${tapped.id}`);
    expect(paid.body).to.include({ status: 'succeeded', payment_id: payment.id });
    expect(await readPage(tapped.path)).to.not.include('<button');
  });

  it('a pretend reader waits until a person cancels, or until the time is over', async () => {
    const { id } = await startReader();
    const { body } = await client.post(`/terminal-payments/${id}/cancel`, {});
    expect(body.status).to.equal('cancelled');
    const left = await startReader();
    await stack.rows(
      sandboxId,
      "update terminal_payments set expires_at = now() - interval '1 second' where id = $1",
      [left.id],
    );
    const { runtime } = stack;
    const found = await runtime.db.transaction([sandboxId], (tx) => findUntappedPayments(tx, 10));
    expect(found.map(({ entityId }) => entityId)).to.deep.equal([left.id]);
    await runIsolated(createBatchContext(runtime), found);
    const read = await client.get(`/terminal-payments/${left.id}`);
    expect(read.body).to.include({
      status: 'cancelled',
      failure_reason: 'Nobody presented a card in time.',
    });
  });

  it('a live account has no pretend reader', async () => {
    const live = (await stack.createTenant()).client;
    expect((await live.get('/terminal-readers')).body.data.items).to.deep.equal([]);
  });

  it('an address that the service did not make is 404, and another method 405', async () => {
    expect((await fetch(`${stack.origin}/pretend/pay/abc`)).status).to.equal(404);
    const { path } = await openLink();
    expect((await fetch(`${stack.origin}${path}`, { method: 'DELETE' })).status).to.equal(405);
  });
});
