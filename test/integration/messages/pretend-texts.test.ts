import { expect } from 'chai';
import type { TestClient } from '../../support/client.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { createApprovedInvoice } from '../../support/vendors/approved-invoice.js';

const UNREACHABLE = '+1 (518) 555-0000';

describe('texts of a sandbox', () => {
  const stack = useStack();
  let tenant: TestTenant;

  before(async () => {
    tenant = await stack.createTenant();
  });

  const createInvoice = (client: TestClient, members: object = {}) =>
    createApprovedInvoice(client, 9000, { billing_email: 'a@example.com', ...members });
  const readOnly = async (client: TestClient, id: string) => {
    const { body } = await client.get(`/messages?invoice_id=${id}`);
    expect(body.data.items).to.have.length(1);
    return body.data.items[0];
  };

  it('a text to an ordinary number counts as sent and leaves nothing', async () => {
    const { status, body } = await tenant.sandbox.post('/messages', { to: '+15185550100', text: 'Hello' });
    expect(status).to.equal(201);
    expect((await tenant.sandbox.get(`/messages/${body.id}`)).body).to.include({
      state: 'sent',
      provider: 'outbox',
      error: null,
      text: 'Hello',
    });
  });

  it('a text to a number that ends in 0000 fails, and the list shows why', async () => {
    const { body } = await tenant.sandbox.post('/messages', { to: UNREACHABLE, text: 'Hello' });
    const { body: list } = await tenant.sandbox.get('/messages?state=failed');
    const found = list.data.items.find(({ id }: { id: string }) => id === body.id);
    expect(found).to.include({ state: 'failed', provider: 'outbox', sent_at: null });
    expect(found.error).to.match(/pretends .* ends in 0000/);
  });

  it('an invoice that is texted to such a number fails, and can be sent in another way', async () => {
    const { sandbox } = tenant;
    const id = await createInvoice(sandbox);
    const sent = await sandbox.post(`/invoices/${id}/send`, { channel: 'sms', to: UNREACHABLE });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    const failed = (await sandbox.get(`/invoices/${id}`)).body;
    expect(failed).to.include({ status: 'failed' });
    expect(failed.delivery).to.include({ state: 'failed' });
    const message = await readOnly(sandbox, id);
    expect(message).to.include({ state: 'failed', sent_at: null });
    const { body: events } = await sandbox.get('/events?limit=200');
    expect(
      events.data.items.filter(
        ({ type, entity_id }: { type: string; entity_id: string }) =>
          type === 'invoice.sent' && entity_id === id,
      ),
    ).to.be.empty;
    const { body: history } = await sandbox.get(`/audit-log?entity_id=${id}`);
    const moves = history.data.items.flatMap(({ changes }: { changes: object[] }) => changes);
    expect(moves).to.deep.include({ field: 'status', from: 'approved', to: 'failed' });

    await sandbox.post(`/messages/${message.id}/retry`, {});
    expect(await readOnly(sandbox, id)).to.include({ state: 'failed' });
    await sandbox.post(`/invoices/${id}/send`, { channel: 'email' });
    expect((await sandbox.get(`/invoices/${id}`)).body.delivery).to.include({ state: 'sent' });
  });

  it('an invoice whose mail counts as sent stays sent although its text fails', async () => {
    const { sandbox } = tenant;
    const customer = await sandbox.post('/customers', { company_name: 'Club', primary_phone: UNREACHABLE });
    const id = await createInvoice(sandbox, { customer_id: customer.body.id });
    await sandbox.post(`/invoices/${id}/send`, { channel: 'both' });
    const { body } = await sandbox.get(`/messages?invoice_id=${id}`);
    const states = body.data.items.map(
      ({ channel, state }: { channel: string; state: string }) => `${channel} ${state}`,
    );
    expect(states).to.have.members(['email sent', 'sms failed']);
    expect((await sandbox.get(`/invoices/${id}`)).body.delivery).to.include({ state: 'sent' });
  });

  it('a live account pretends nothing', async () => {
    const { body } = await tenant.client.post('/messages', { to: UNREACHABLE, text: 'Hello' });
    expect((await tenant.client.get(`/messages/${body.id}`)).body).to.include({ state: 'sent' });
  });
});
