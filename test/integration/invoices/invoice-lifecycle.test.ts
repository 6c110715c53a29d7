import { expect } from 'chai';
import { INVOICE_STATUSES } from '../../../shared/contracts/vocabulary.js';
import { INVOICE_MOVES, listAllowedActions } from '../../../shared/resources/invoices/transitions.js';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const APPROVER = { permissions: ['read', 'write', 'approve'] };

describe('invoice lifecycle', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let client: TestClient;

  before(async () => {
    client = stack.createClient(await stack.createKey(tenant.id, APPROVER));
  });

  async function createDraft(overrides: Record<string, unknown> = {}): Promise<string> {
    const { status, body } = await client.post(
      '/invoices',
      invoiceInput({ billing_email: 'b@example.com', ...overrides }),
    );
    expect(status).to.equal(201);
    return body.id as string;
  }

  async function act(id: string, action: string, body: Record<string, unknown> = {}) {
    return client.post(`/invoices/${id}/${action}`, body);
  }

  async function listEvents(id: string): Promise<{ type: string; data: Record<string, never> }[]> {
    const rows = await stack.runtime.db.read<{ body: string }>(tenant.id, {
      text: `select body from events where body::jsonb #>> '{data,object,id}' = $1 order by id`,
      values: [id],
    });
    return rows.map((row) => JSON.parse(row.body));
  }

  it('an invoice goes from draft to paid, records its events, and every read lists the allowed actions', async () => {
    const id = await createDraft();
    expect((await client.get(`/invoices/${id}`)).body.allowed_actions).to.deep.equal(['approve', 'cancel']);
    const approved = await act(id, 'approve');
    expect(approved.body).to.include({ status: 'approved' });
    expect(approved.body.allowed_actions).to.deep.equal(['send', 'return', 'cancel']);
    const sent = await act(id, 'send');
    expect(sent.body).to.include({ status: 'sending' });
    expect(sent.body.delivery).to.deep.equal({ state: 'sent', reason: null, viewed_at: null });
    expect(sent.body.sent_at).to.be.a('string');
    const half = await client.post(`/invoices/${id}/payments`, { amount_cents: 4_000, method: 'cash' });
    expect(half.status).to.equal(201);
    expect(half.headers.location).to.equal(`/v1/payments/${half.body.id}`);
    expect((await client.get(`/invoices/${id}`)).body).to.include({
      status: 'partially_paid',
      paid_cents: 4_000,
      balance_due_cents: 6_000,
    });
    const rest = await client.post(`/invoices/${id}/payments`, {
      amount_cents: 7_000,
      method: 'check',
      reference: '1042',
    });
    expect(rest.body).to.include({ amount_cents: 7_000, credit_cents: 1_000 });
    expect((await client.get(`/invoices/${id}`)).body).to.include({
      status: 'paid',
      paid_cents: 10_000,
      balance_due_cents: 0,
    });
    const events = await listEvents(id);
    expect(events.map((event) => event.type)).to.deep.equal([
      'invoice.created',
      'invoice.sent',
      'invoice.paid',
      'invoice.paid',
    ]);
    expect(events.at(-2)?.data).to.deep.include({ fully_paid: false, payment: half.body });
    expect(events.at(-1)?.data).to.deep.include({ fully_paid: true, payment: rest.body });
    const page = await client.get(`/invoices/${id}/payments`);
    expect(page.body.data.items).to.deep.equal([rest.body, half.body]);
  });

  it('a refund takes the credit first, then the applied amount, and reopens the invoice', async () => {
    const id = await createDraft();
    await act(id, 'approve');
    await act(id, 'send');
    const { body: payment } = await client.post(`/invoices/${id}/payments`, {
      amount_cents: 12_000,
      method: 'card',
    });
    const refund = (cents: number) =>
      client.post(`/payments/${payment.id}/refund`, { amount_cents: cents, reason: 'waived' });
    expect((await refund(2_000)).body).to.include({ refunded_cents: 2_000, credit_cents: 0 });
    expect((await client.get(`/invoices/${id}`)).body).to.include({ status: 'paid', paid_cents: 10_000 });
    await refund(1_000);
    expect((await client.get(`/invoices/${id}`)).body).to.include({
      status: 'partially_paid',
      paid_cents: 9_000,
    });
    expectError(await refund(9_001), 400, 'validation_error');
    await refund(9_000);
    expect((await client.get(`/invoices/${id}`)).body).to.include({
      status: 'sending',
      paid_cents: 0,
      balance_due_cents: 10_000,
    });
  });

  it('a payment on a paid invoice becomes credit and leaves the day on which it was paid', async () => {
    const id = await createDraft();
    await act(id, 'approve');
    await act(id, 'send');
    const pay = (received_at: string) =>
      client.post(`/invoices/${id}/payments`, { amount_cents: 10_000, method: 'card', received_at });
    await pay('2026-11-02T10:00:00Z');
    expect((await pay('2026-11-20T10:00:00Z')).body).to.include({ credit_cents: 10_000 });
    const { body } = await client.get(
      `/invoices?id=${id}&status=paid&since=2026-11-01&until=2026-11-03&limit=200`,
    );
    expect(body.data.items.map((invoice: { id: string }) => invoice.id)).to.include(id);
  });

  it("an open invoice counts in its customer's balance, and an overpayment in the credit", async () => {
    const { body: customer } = await client.post('/customers', { company_name: 'Club' });
    const id = await createDraft({ customer_id: customer.id });
    const readSums = async () => {
      const { balance_cents, overdue_cents, credit_cents } = (await client.get(`/customers/${customer.id}`))
        .body;
      return [balance_cents, overdue_cents, credit_cents];
    };
    expect(await readSums(), 'a draft is not owed').to.deep.equal([0, 0, 0]);
    await act(id, 'approve');
    await act(id, 'send');
    expect(await readSums()).to.deep.equal([10_000, 0, 0]);
    await client.post(`/invoices/${id}/payments`, { amount_cents: 4_000, method: 'ach' });
    expect(await readSums()).to.deep.equal([6_000, 0, 0]);
    await client.post(`/invoices/${id}/payments`, { amount_cents: 7_500, method: 'ach' });
    expect(await readSums()).to.deep.equal([0, 0, 1_500]);
  });

  it('an action outside the transition table is 409 with from, to and the allowed actions', async () => {
    const id = await createDraft();
    const refused = await act(id, 'send');
    expectError(refused, 409, 'invalid_status_transition');
    expect(refused.body.error.details[0]).to.include({ from: 'draft', to: 'sending' });
    expect(refused.body.error.details[0].allowed).to.deep.equal(['approve', 'cancel']);
    expectError(
      await client.post(`/invoices/${id}/payments`, { amount_cents: 1, method: 'cash' }),
      409,
      'invalid_status_transition',
    );
    for (const status of ['paid', 'viewed', 'overdue', 'failed', 'sent_to_roadsync', 'partially_paid']) {
      expectError(await client.patch(`/invoices/${id}`, { status }), 409, 'invalid_status_transition');
    }
  });

  it('approving an invoice needs a line item, a recipient and the permission approve', async () => {
    const withoutLineItems = await createDraft({ line_items: [] });
    const refusal = await act(withoutLineItems, 'approve');
    expect(refusal.body.error.details[0].reason).to.match(/line items/);
    const withoutRecipient = await createDraft({ billing_email: null });
    expect((await act(withoutRecipient, 'approve')).body.error.details[0].reason).to.match(/nobody to bill/);
    const writer = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    expectError(await writer.post(`/invoices/${withoutLineItems}/approve`, {}), 403, 'insufficient_scope');
    expectError(
      await writer.patch(`/invoices/${withoutLineItems}`, { status: 'approved' }),
      403,
      'insufficient_scope',
    );
    // One request may both add the line item and approve the invoice.
    const fixed = await client.patch(`/invoices/${withoutLineItems}`, {
      line_items: [lineItem()],
      status: 'approved',
    });
    expect(fixed.body).to.include({ status: 'approved', total_cents: 10_000 });
  });

  it('PATCH /invoices/{id} with a refused status changes nothing', async () => {
    const id = await createDraft({ billing_email: null, notes: 'before' });
    expectError(
      await client.patch(`/invoices/${id}`, { notes: 'after', status: 'approved' }),
      409,
      'invalid_status_transition',
    );
    expect((await client.get(`/invoices/${id}`)).body).to.include({ notes: 'before', status: 'draft' });
  });

  it('an API key cannot approve an invoice that an agent created', async () => {
    const agent = stack.createClient(
      await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_invoices', 'write_invoices_draft'] }),
    );
    const { body } = await agent.post('/invoices', invoiceInput({ billing_email: 'b@example.com' }));
    expect((await act(body.id, 'approve')).body.error.details[0].reason).to.match(/signed-in person/);
    expectError(await agent.patch(`/invoices/${body.id}`, { status: 'approved' }), 403, 'forbidden');
    expectError(await agent.post(`/invoices/${body.id}/cancel`, { reason: 'x' }), 403, 'forbidden');
    expectError(await agent.patch(`/invoices/${body.id}`, { status: 'needs_review' }), 403, 'forbidden');
  });

  it('an invoice can be voided only if nothing is paid, and a second void changes nothing', async () => {
    const id = await createDraft();
    await act(id, 'approve');
    await act(id, 'send');
    const { body: payment } = await client.post(`/invoices/${id}/payments`, {
      amount_cents: 100,
      method: 'cash',
    });
    await act(id, 'dispute', { reason: 'too long' });
    expect((await act(id, 'void', { reason: 'wrong car' })).body.error.details[0].reason).to.match(/Refund/);
    await client.post(`/payments/${payment.id}/refund`, { amount_cents: 100, reason: 'x' });
    expect((await act(id, 'void', { reason: 'wrong car' })).body.status).to.equal('void');
    const again = await act(id, 'void', { reason: 'wrong car' });
    expect(again.status).to.equal(200);
    expect(again.body.allowed_actions).to.deep.equal([]);
    expectError(await client.patch(`/invoices/${id}`, { notes: 'x' }), 409, 'invoice_locked');
  });

  it('GET /invoices/{id} lists the actions of the transition table in every status', async () => {
    for (const status of INVOICE_STATUSES) {
      for (const [isReleased, paid] of [
        [false, false],
        [true, false],
        [true, true],
      ] as const) {
        const id = await createDraft();
        await stack.runtime.db.transaction([tenant.id], (tx) =>
          tx.query({
            text: `update invoices set status = $1, paid_cents = $2, released_at = $3 where id = $4`,
            values: [status, paid ? 100 : 0, isReleased ? new Date() : null, id],
          }),
        );
        const expected = listAllowedActions({ status, isReleased, isDelivered: false }, paid);
        expect(
          (await client.get(`/invoices/${id}`)).body.allowed_actions,
          `${status} ${isReleased} ${paid}`,
        ).to.deep.equal(expected);
      }
    }
    expect(Object.keys(INVOICE_MOVES)).to.have.members([...INVOICE_STATUSES]);
  });
});
