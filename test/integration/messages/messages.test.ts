import { expect } from 'chai';
import { expectError } from '../../support/expect-error.js';
import { createInvoiceAfter } from '../../support/records/lifecycle-records.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('messages to customers', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const listMessages = async (query: string) =>
    (await tenant.client.get(`/messages${query}`)).body.data as {
      items: Record<string, unknown>[];
      cursor: string | null;
      count: number;
    };

  it('without a mail server the outbox stores a mail, the message says so, and it counts as sent', async () => {
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    const invoice = (await tenant.client.get(`/invoices/${id}`)).body;
    expect(invoice.delivery.state).to.equal('sent');
    const { items, count } = await listMessages(`?invoice_id=${id}`);
    expect(count).to.equal(1);
    const [message] = items;
    expect(message).to.include({
      invoice_id: id,
      channel: 'email',
      recipient: 'billing@example.com',
      state: 'sent',
      provider: 'outbox',
      error: null,
      attempts: 0,
      next_attempt_at: null,
    });
    expect(message).to.not.have.any.keys('body_text', 'body_html');
    const one = await tenant.client.get(`/messages/${message?.id}`);
    expect(one.body).to.deep.include(message);
    expect(one.body.body_text).to.include(invoice.invoice_number);
    expect(one.body.body_html).to.include('<table');
    const events = await tenant.client.get('/events?type=invoice.sent');
    expect(
      events.body.data.items.map((event: { data: { object: { id: string } } }) => event.data.object.id),
    ).to.include(id);
  });

  it('the outbox stores a text message with the link of the invoice', async () => {
    const { body: customer } = await tenant.client.post('/customers', {
      company_name: 'Club',
      primary_phone: '+1 555 0100',
    });
    const id = await createInvoiceAfter(tenant.client, ['approve'], { customer_id: customer.id });
    const sent = await tenant.client.post(`/invoices/${id}/send`, { channel: 'sms' });
    const { items } = await listMessages(`?invoice_id=${id}`);
    expect(items[0]).to.include({
      channel: 'sms',
      recipient: '+1 555 0100',
      subject: null,
      state: 'sent',
      provider: 'outbox',
    });
    const one = await tenant.client.get(`/messages/${items[0]?.id}`);
    expect(one.body.body_text).to.include(sent.body.view_url).and.to.include('$100.00');
    expect(one.body.body_html).to.equal(null);
  });

  it('GET /messages filters by invoice, channel and state, newest first, page by page', async () => {
    const ids: string[] = [];
    for (let nth = 0; nth < 3; nth += 1)
      ids.unshift(await createInvoiceAfter(tenant.client, ['approve', 'send'], invoiceInput()));
    const first = await listMessages('?channel=email&state=sent&limit=2');
    const second = await listMessages(`?channel=email&state=sent&limit=2&cursor=${first.cursor}`);
    const found = [...first.items, ...second.items].map((item) => item.invoice_id);
    expect(found.slice(0, 3)).to.deep.equal(ids);
    expect((await listMessages('?state=failed')).count).to.equal(0);
    expect((await listMessages('?channel=sms')).items.every(({ channel }) => channel === 'sms')).to.equal(
      true,
    );
    expectError(await tenant.client.get('/messages?state=lost'), 400, 'validation_error');
  });

  it('POST /messages/{id}/retry changes nothing of a sent message, and the permission write does not suffice', async () => {
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    const [message] = (await listMessages(`?invoice_id=${id}`)).items;
    const before = await tenant.client.get(`/messages/${message?.id}`);
    const retried = await tenant.client.post(`/messages/${message?.id}/retry`, {});
    expect(retried.text).to.equal(before.text);
    const writer = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    for (const action of ['retry', 'revoke-link'])
      expectError(await writer.post(`/messages/${message?.id}/${action}`, {}), 403, 'insufficient_scope');
  });

  it('POST /messages/{id}/retry stores a failed message in the outbox when its provider is no longer configured', async () => {
    const id = await createInvoiceAfter(tenant.client, ['approve', 'send']);
    const [message] = (await listMessages(`?invoice_id=${id}`)).items;
    await stack.rows(
      tenant.id,
      `update messages set state = 'failed', provider = 'smtp', error = 'x', sent_at = null where tenant_id = $1 and id = $2`,
      [tenant.id, message?.id],
    );
    await stack.rows(
      tenant.id,
      `update invoices set status = 'failed', delivery_state = 'failed' where tenant_id = $1 and id = $2`,
      [tenant.id, id],
    );
    const retried = await tenant.client.post(`/messages/${message?.id}/retry`, {});
    expect(retried.body).to.include({ state: 'sent', provider: 'outbox', error: null });
    const invoice = (await tenant.client.get(`/invoices/${id}`)).body;
    expect(invoice).to.include({ status: 'sending' });
    expect(invoice.delivery.state).to.equal('sent');
  });
});
