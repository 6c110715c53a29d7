import { expect } from 'chai';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import {
  APPROVAL_THRESHOLD_CENTS,
  buildDraft,
  expectHeld,
  setApprovalThreshold,
} from '../../../support/agents/approvals.js';
import type { Json, TestClient } from '../../../support/client.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import {
  buildRateCardItem,
  createCompletedWorkOrder,
  makeRateCard,
} from '../../../support/records/priced-work-orders.js';
import { createUser, openSession } from '../../../support/records/sign-in.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const buildLineItems = (cents: number, taxable = false) => [
  { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', unit_price_cents: cents, taxable },
];

describe('approval threshold for agents over MCP', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await connectAgent(stack, tenant);
    await setApprovalThreshold(tenant);
    return () => agent.client.close();
  });

  const createWorkOrder = async (body: Record<string, unknown> = {}) =>
    (await tenant.client.post('/work-orders', { service_type: 'tow', ...body })).body.id as string;
  const createDraft = (work_order_id: string, cents: number, more: Record<string, unknown> = {}) =>
    agent.callOk('create_invoice_draft', { work_order_id, line_items: buildLineItems(cents), ...more });
  const expectHeldResult = (response: Json): Json => {
    expect(response).to.have.all.keys('ok', 'pending_approval', 'approval');
    expect(response).to.include({ ok: true, pending_approval: true });
    return response.approval;
  };
  const countRows = async (table: string) => {
    const [row] = await stack.rows<{ count: number }>(
      tenant.id,
      `select count(*)::int as count from ${table} where tenant_id = $1`,
      [tenant.id],
    );
    return row?.count as number;
  };
  const signInPerson = async () => openSession(stack, await createUser(stack, tenant.id));
  const approve = async (by: TestClient, { id, hash }: Json): Promise<Json> => {
    const response = await by.post(`/approvals/${id}/approve`, { hash });
    expect(response.status, response.text).to.equal(200);
    return (await tenant.client.get(`/invoices/${response.body.invoice_id}`)).body;
  };

  it('a draft of exactly the approval threshold with tax is held and creates no invoice', async () => {
    await tenant.client.patch('/settings', { tax_rate_bps: 1_000 });
    const below = await createDraft(await createWorkOrder(), 0, { line_items: buildLineItems(90_908, true) });
    expect([below.status, below.total_cents]).to.deep.equal(['draft', APPROVAL_THRESHOLD_CENTS - 1]);
    const before = [await countRows('invoices'), await countRows('events')];
    const work_order_id = await createWorkOrder();
    const result = await agent.call('create_invoice_draft', {
      work_order_id,
      line_items: buildLineItems(90_909, true),
    });
    expect(result.isError).to.not.equal(true);
    const approval = expectHeldResult(result.structuredContent);
    expect(approval).to.include({
      amount_cents: APPROVAL_THRESHOLD_CENTS,
      tool: 'create_invoice_draft',
      status: 'pending',
    });
    expect(approval.payload).to.include({ work_order_id, invoice_number: 'INV-000002' });
    const [firstContent] = result.content as { text: string }[];
    expect(firstContent?.text)
      .to.include(approval.id)
      .and.include('$1000.00')
      .and.include('Held for a person');
    // The only new event is `work_order.created`. The held draft records no event.
    expect([await countRows('invoices'), await countRows('events')]).to.deep.equal([
      before[0],
      (before[1] as number) + 1,
    ]);
  });

  it("the approval threshold counts an agent's drafts for one work order together, over MCP and REST", async () => {
    const work_order_id = await createWorkOrder();
    const rest = stack.createClient(agent.key);
    await createDraft(work_order_id, APPROVAL_THRESHOLD_CENTS / 2);
    const response = await rest.post(
      '/invoices',
      buildDraft(APPROVAL_THRESHOLD_CENTS / 2 - 1, { work_order_id }),
    );
    expect(response.status, response.text).to.equal(201);
    const split = await agent.call('create_invoice_draft', { work_order_id, line_items: buildLineItems(1) });
    const approval = expectHeldResult(split.structuredContent);
    expect(JSON.stringify(split.content)).to.include('$0.01 ($1000.00 with what you drafted for it before)');
    expect([approval.amount_cents, approval.counted_cents]).to.deep.equal([1, APPROVAL_THRESHOLD_CENTS]);
    expectHeld(await rest.post('/invoices', buildDraft(1, { work_order_id })));
    const other = await createWorkOrder({ billing_email: 'other@example.com' });
    expect((await createDraft(other, APPROVAL_THRESHOLD_CENTS - 1)).status).to.equal('draft');
  });

  it('an approved draft is created with the number, customer and line items shown, although the work order has changed', async () => {
    const customer_id = (await tenant.client.post('/customers', { company_name: 'A' })).body.id;
    const other = (await tenant.client.post('/customers', { company_name: 'B' })).body.id;
    const work_order_id = await createWorkOrder({ customer_id, vin: '1HGCM82633A004352' });
    const approval = expectHeldResult(
      await createDraft(work_order_id, APPROVAL_THRESHOLD_CENTS, { notes: 'Thank you' }),
    );
    const { invoice_number } = approval.payload;
    expect((await createDraft(await createWorkOrder(), 1)).invoice_number).to.equal('INV-000002');
    expect(
      (await tenant.client.patch(`/work-orders/${work_order_id}`, { customer_id: other })).status,
    ).to.equal(200);
    const invoice = await approve(await signInPerson(), approval);
    expect(invoice).to.include({
      status: 'draft',
      invoice_number,
      total_cents: APPROVAL_THRESHOLD_CENTS,
      customer_id,
      work_order_id,
    });
    expect(invoice).to.include({ notes: 'Thank you', vehicle_description: 'VIN 1HGCM82633A004352' });
    expect(invoice.line_items[0]).to.include({
      name: 'Tow',
      unit_price_cents: APPROVAL_THRESHOLD_CENTS,
      taxable: false,
    });
    const [entry] = await stack.rows<Json>(
      tenant.id,
      'select * from audit_entries where tenant_id = $1 and entity_id = $2 and outcome = $3',
      [tenant.id, invoice.id, 'ok'],
    );
    expect(entry).to.include({
      action: 'invoice.created',
      actor_type: 'agent',
      source: 'mcp',
      tool: 'create_invoice_draft',
    });
    const refused = await tenant.client.post(`/invoices/${invoice.id}/approve`, {});
    expect(refused.status, 'no key may approve an invoice that an agent drafted').to.equal(409);
  });

  it('a draft that a rate card prices is held, and priced again when it is approved', async () => {
    await makeRateCard(tenant.client, {
      is_default: true,
      items: [buildRateCardItem({ unit_price_cents: APPROVAL_THRESHOLD_CENTS, taxable: false })],
    });
    const work_order_id = await createCompletedWorkOrder(tenant.client);
    const approval = expectHeldResult(await agent.callOk('create_invoice_draft', { work_order_id }));
    expect(approval).to.include({ amount_cents: APPROVAL_THRESHOLD_CENTS });
    const invoice = await approve(await signInPerson(), approval);
    expect(invoice).to.include({
      status: 'draft',
      total_cents: APPROVAL_THRESHOLD_CENTS,
      work_order_id,
      invoice_number: 'INV-000001',
    });
  });

  it('a dry run reports that a draft would be held, stores nothing and uses no invoice number', async () => {
    const work_order_id = await createWorkOrder();
    const args = { work_order_id, line_items: buildLineItems(APPROVAL_THRESHOLD_CENTS), dry_run: true };
    const result = await agent.call('create_invoice_draft', args);
    expect(result.structuredContent).to.include({ ok: true, dry_run: true });
    const preview = (result.structuredContent as Json).data;
    expect(preview).to.include({ ok: true, pending_approval: true });
    expect(preview.approval).to.include({ amount_cents: APPROVAL_THRESHOLD_CENTS, status: 'pending' });
    expect((result.content[0] as { text: string }).text).to.match(
      /^Dry run, nothing was stored.*held for a person/,
    );
    expect([await countRows('approvals'), await countRows('invoices')]).to.deep.equal([0, 0]);
    expect((await createDraft(work_order_id, 1)).invoice_number).to.equal('INV-000001');
  });

  it('thirty concurrent drafts cannot exceed the approval threshold together', async () => {
    const work_order_id = await createWorkOrder();
    const rest = stack.createClient(agent.key);
    const responses = await Promise.all(
      Array.from({ length: 30 }, async (_, index) => {
        if (index % 2 === 0) return createDraft(work_order_id, APPROVAL_THRESHOLD_CENTS / 10);
        return (await rest.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS / 10, { work_order_id })))
          .body;
      }),
    );
    const drafts = responses.filter(({ status }) => status === 'draft');
    expect(drafts).to.have.length(9);
    expect(responses.filter(({ pending_approval }) => pending_approval)).to.have.length(21);
    const [row] = await stack.rows<{ sum: number }>(
      tenant.id,
      'select sum(total_cents)::bigint as sum from invoices where tenant_id = $1',
      [tenant.id],
    );
    expect(row?.sum).to.equal(0.9 * APPROVAL_THRESHOLD_CENTS);
  });

  it('a held draft that is repeated with the same idempotency key returns the same approval', async () => {
    const args = {
      work_order_id: await createWorkOrder(),
      line_items: buildLineItems(APPROVAL_THRESHOLD_CENTS),
      idempotency_key: crypto.randomUUID(),
    };
    const first = await agent.callOk('create_invoice_draft', args);
    const again = await agent.call('create_invoice_draft', args);
    expect(again.structuredContent).to.deep.equal(first);
    expect((again.content[0] as { text: string }).text).to.include(
      'done before under the same idempotency_key',
    );
    expect(await countRows('approvals')).to.equal(1);
  });
});
