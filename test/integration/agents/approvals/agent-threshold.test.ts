import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import {
  APPROVAL_THRESHOLD_CENTS,
  buildDraft,
  createAgentClient,
  expectHeld,
  setApprovalThreshold,
} from '../../../support/agents/approvals.js';
import type { TestClient } from '../../../support/client.js';
import { expectError } from '../../../support/expect-error.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import { lineItem } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const HALF = APPROVAL_THRESHOLD_CENTS / 2;

describe('the approval threshold for drafts of agent keys', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await createAgentClient(stack, tenant.id);
    await setApprovalThreshold(tenant);
  });

  const countRows = async (table: string) => {
    const [row] = await stack.rows<{ count: number }>(
      tenant.id,
      `select count(*)::int as count from ${table}`,
    );
    return row?.count as number;
  };
  const createWorkOrder = async () =>
    (await tenant.client.post('/work-orders', { service_type: 'tow' })).body.id as string;
  const createInvoice = async (client: TestClient, body: Record<string, unknown>) => {
    const response = await client.post('/invoices', body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };

  it('a draft that reaches the threshold is held: no invoice, no event, its number stays free, outcome held', async () => {
    const body = buildDraft(APPROVAL_THRESHOLD_CENTS);
    const approval = expectHeld(await agent.post('/invoices', body));
    expect(approval).to.deep.include({
      action: 'invoice.create',
      amount_cents: APPROVAL_THRESHOLD_CENTS,
      counted_cents: APPROVAL_THRESHOLD_CENTS,
      agent_name: 'test key',
      invoice_id: null,
      record_version: null,
      changes: [],
      decided_by: null,
    });
    expect(approval.payload).to.deep.include({ invoice_number: body.invoice_number });
    expect(Date.parse(approval.expires_at) - Date.parse(approval.created_at)).to.equal(7 * 86_400_000);
    expect([
      await countRows('invoices'),
      await countRows('invoice_line_items'),
      await countRows('events'),
    ]).to.deep.equal([0, 0, 0]);
    const [entry] = await stack.rows(tenant.id, 'select * from audit_entries where id = $1', [approval.id]);
    expect(entry).to.include({
      outcome: 'held',
      action: 'invoice.created',
      actor_type: 'agent',
      response_status: 202,
    });
    expect((await tenant.client.get(`/approvals/${approval.id}`)).body).to.deep.equal(approval);
    // Another client can still use the invoice number of the held draft.
    await createInvoice(tenant.client, { ...body, line_items: [] });
  });

  it('a draft is held when its total with tax equals the threshold', async () => {
    await tenant.client.patch('/settings', { tax_rate_bps: 1_000 });
    const taxedLineItems = (cents: number) => ({
      line_items: [lineItem({ unit_price_cents: cents, taxable: true })],
    });
    const customer = (await tenant.client.post('/customers', { company_name: 'C' })).body.id;
    const other = (await tenant.client.post('/customers', { company_name: 'D' })).body.id;
    const below = await createInvoice(
      agent,
      buildDraft(0, { ...taxedLineItems(90_908), customer_id: customer }),
    );
    expect(below.total_cents).to.equal(99_999);
    const held = expectHeld(
      await agent.post('/invoices', buildDraft(0, { ...taxedLineItems(90_909), customer_id: other })),
    );
    expect(held.amount_cents).to.equal(APPROVAL_THRESHOLD_CENTS);
  });

  it('the threshold applies to agent keys only, and to none when it is off', async () => {
    await createInvoice(tenant.client, buildDraft(5 * APPROVAL_THRESHOLD_CENTS));
    await setApprovalThreshold(tenant, null);
    const draft = await createInvoice(agent, buildDraft(5 * APPROVAL_THRESHOLD_CENTS));
    expect((await agent.patch(`/invoices/${draft.id}`, { line_items: [lineItem()] })).status).to.equal(200);
    const elsewhere = await stack.createTenant('No threshold');
    await createInvoice(
      await createAgentClient(stack, elsewhere.id),
      buildDraft(5 * APPROVAL_THRESHOLD_CENTS),
    );
  });

  for (const [shared, createTarget] of [
    ['for one work order', async () => ({ work_order_id: await createWorkOrder() })],
    [
      'for one customer without a work order',
      async () => ({ customer_id: (await tenant.client.post('/customers', { company_name: 'C' })).body.id }),
    ],
    ['without work order and customer', async () => ({})],
  ] as [string, () => Promise<Record<string, unknown>>][]) {
    it(`drafts of one agent key ${shared} count together towards the threshold`, async () => {
      const target = await createTarget();
      await createInvoice(agent, buildDraft(HALF, target));
      await createInvoice(agent, buildDraft(HALF - 1, target));
      const held = expectHeld(await agent.post('/invoices', buildDraft(1, target)));
      expect([held.amount_cents, held.counted_cents]).to.deep.equal([1, APPROVAL_THRESHOLD_CENTS]);
      const other = { work_order_id: await createWorkOrder(), billing_email: 'other@example.com' };
      await createInvoice(agent, buildDraft(HALF, other));
      await createInvoice(await createAgentClient(stack, tenant.id), buildDraft(HALF, target));
      await createInvoice(tenant.client, buildDraft(APPROVAL_THRESHOLD_CENTS, target));
    });
  }

  it('the threshold counts drafts priced within 24 hours and no cancelled drafts', async () => {
    const target = { work_order_id: await createWorkOrder() };
    const first = await createInvoice(agent, buildDraft(HALF, target));
    expectHeld(await agent.post('/invoices', buildDraft(HALF, target)));
    await tenant.client.post(`/invoices/${first.id}/cancel`, { reason: 'twice' });
    const second = await createInvoice(agent, buildDraft(HALF, target));
    expectHeld(await agent.post('/invoices', buildDraft(HALF, target)));
    const age = (hours: number) =>
      stack.rows(
        tenant.id,
        `update invoices set created_at = now() - interval '3 days', agent_priced_at = now() - make_interval(secs => $2) where id = $1`,
        [second.id, hours * 3600],
      );
    await age(23.99);
    expectHeld(await agent.post('/invoices', buildDraft(HALF, target)));
    await age(24.01);
    await createInvoice(agent, buildDraft(HALF, target));
    // This PATCH is held, because a new price would make the old draft count again.
    expectHeld(
      await agent.patch(`/invoices/${second.id}`, { line_items: [lineItem({ unit_price_cents: HALF })] }),
    );
  });

  it('a PATCH that raises a draft to the threshold is held with all its changes, and other changes pass', async () => {
    const target = { work_order_id: await createWorkOrder() };
    const draft = await createInvoice(agent, buildDraft(HALF, target));
    const path = `/invoices/${draft.id}`;
    const patch = { notes: 'more', line_items: [lineItem({ unit_price_cents: APPROVAL_THRESHOLD_CENTS })] };
    const held = expectHeld(await agent.patch(path, patch));
    expect(held).to.deep.include({
      action: 'invoice.update',
      invoice_id: draft.id,
      record_version: draft.updated_at,
      amount_cents: APPROVAL_THRESHOLD_CENTS,
    });
    expect((await agent.get(path)).body).to.deep.equal(draft);
    expect((await agent.patch(path, { notes: 'a note has no price' })).status).to.equal(200);
    const lower = { line_items: [lineItem({ unit_price_cents: HALF - 1 })] };
    expect(
      (await agent.patch(path, lower)).body.total_cents,
      'the former price of the draft does not count',
    ).to.equal(HALF - 1);
    await createInvoice(agent, buildDraft(HALF, target));
    expectHeld(await agent.patch(path, { line_items: [lineItem({ unit_price_cents: HALF })] }));
  });

  it("a person's draft that an agent priced counts as that agent's draft", async () => {
    const target = { work_order_id: await createWorkOrder() };
    const draft = await createInvoice(tenant.client, buildDraft(1, target));
    const patch = { line_items: [lineItem({ unit_price_cents: HALF })] };
    expect((await agent.patch(`/invoices/${draft.id}`, patch)).status).to.equal(200);
    expectHeld(await agent.post('/invoices', buildDraft(HALF, target)));
  });

  it('concurrent drafts for one work order stay below the threshold together', async () => {
    const target = { work_order_id: await createWorkOrder() };
    const responses = await Promise.all(
      Array.from({ length: 12 }, () =>
        agent.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS / 4, target)),
      ),
    );
    const count = (status: number) => responses.filter((response) => response.status === status).length;
    expect([count(201), count(202)]).to.deep.equal([3, 9]);
  });

  it('an invalid draft at the threshold is refused immediately and not held', async () => {
    const existing = await createInvoice(tenant.client, buildDraft(1));
    const duplicate = buildDraft(APPROVAL_THRESHOLD_CENTS, {
      invoice_number: String(existing.invoice_number).toLowerCase(),
    });
    expectError(await agent.post('/invoices', duplicate), 409, 'duplicate_invoice_number');
    expectError(
      await agent.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS, { customer_id: newId() })),
      400,
      'validation_error',
    );
    await tenant.client.post(`/invoices/${existing.id}/cancel`, { reason: 'x' });
    const patch = { line_items: [lineItem({ unit_price_cents: APPROVAL_THRESHOLD_CENTS })] };
    expectError(await agent.patch(`/invoices/${existing.id}`, patch), 403, 'forbidden');
    expect(await countRows('approvals')).to.equal(0);
  });

  it('a repeated Idempotency-Key returns the stored 202 response and holds the draft once', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const body = buildDraft(APPROVAL_THRESHOLD_CENTS);
    const [one, two] = await Promise.all([0, 1].map(() => agent.post('/invoices', body, { headers })));
    const first = one?.status === 202 ? one : two;
    expectHeld(first as NonNullable<typeof first>);
    const again = await agent.post('/invoices', body, { headers });
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    expectHeld(again);
    expect(again.text).to.equal(first?.text);
    expect(await countRows('approvals')).to.equal(1);
    expectError(await agent.post('/invoices', buildDraft(1), { headers }), 422, 'idempotency_key_reused');
  });

  it('a dry run of a draft at the threshold previews the approval and stores nothing', async () => {
    const headers = { 'X-Service-Dry-Run': 'true' };
    const preview = await agent.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS), { headers });
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body).to.deep.include({ ok: true, dry_run: true });
    expect(preview.body.data).to.include({ ok: true, pending_approval: true });
    expect(preview.body.data.approval).to.include({
      status: 'pending',
      amount_cents: APPROVAL_THRESHOLD_CENTS,
    });
    expect(await countRows('approvals')).to.equal(0);
    const below = await agent.post('/invoices', buildDraft(1), { headers });
    expect(below.body.data.status).to.equal('draft');
  });
});
