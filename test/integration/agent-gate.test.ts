import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { withAccounts } from '../support/accounts.js';
import { draftOf, expectHeld, GATE, newAgent, setGate } from '../support/approvals.js';
import type { TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { lineItem } from '../support/samples.js';
import type { TestStack, TestTenant } from '../support/stack.js';

const HALF = GATE / 2;

describe("the gate for agents' drafts", () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;

  withAccounts(async (account) => {
    ({ stack, tenant } = account);
    agent = await newAgent(stack, tenant.id);
    await setGate(tenant);
  });

  const countOf = async (table: string) => {
    const [row] = await stack.rows<{ count: number }>(
      tenant.id,
      `select count(*)::int as count from ${table}`,
    );
    return row?.count as number;
  };
  const workOrder = async () =>
    (await tenant.client.post('/work-orders', { service_type: 'tow' })).body.id as string;
  const made = async (client: TestClient, body: Record<string, unknown>) => {
    const answer = await client.post('/invoices', body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };

  it('holds a draft whole: no invoice, no event, its number free, and an audit entry that says held', async () => {
    const body = draftOf(GATE);
    const approval = expectHeld(await agent.post('/invoices', body));
    expect(approval).to.deep.include({
      action: 'invoice.create',
      amount_cents: GATE,
      counted_cents: GATE,
      agent_name: 'test key',
      invoice_id: null,
      record_version: null,
      changes: [],
      decided_by: null,
    });
    expect(approval.payload).to.deep.include({ invoice_number: body.invoice_number });
    expect(Date.parse(approval.expires_at) - Date.parse(approval.created_at)).to.equal(7 * 86_400_000);
    expect([
      await countOf('invoices'),
      await countOf('invoice_line_items'),
      await countOf('events'),
    ]).to.deep.equal([0, 0, 0]);
    const [entry] = await stack.rows(tenant.id, 'select * from audit_entries where id = $1', [approval.id]);
    expect(entry).to.include({
      outcome: 'held',
      action: 'invoice.created',
      actor_type: 'agent',
      response_status: 202,
    });
    expect((await tenant.client.get(`/approvals/${approval.id}`)).body).to.deep.equal(approval);
    // Its number is free still, for somebody whom no gate concerns.
    await made(tenant.client, { ...body, line_items: [] });
  });

  it('is reached exactly at its sum, tax included', async () => {
    await tenant.client.patch('/settings', { tax_rate_bps: 1_000 });
    const taxed = (cents: number) => ({
      line_items: [lineItem({ unit_price_cents: cents, taxable: true })],
    });
    const customer = (await tenant.client.post('/customers', { company_name: 'C' })).body.id;
    const other = (await tenant.client.post('/customers', { company_name: 'D' })).body.id;
    const below = await made(agent, draftOf(0, { ...taxed(90_908), customer_id: customer }));
    expect(below.total_cents).to.equal(99_999);
    const held = expectHeld(
      await agent.post('/invoices', draftOf(0, { ...taxed(90_909), customer_id: other })),
    );
    expect(held.amount_cents).to.equal(GATE);
  });

  it('concerns agents only, and none when it is off', async () => {
    await made(tenant.client, draftOf(5 * GATE));
    await setGate(tenant, null);
    const draft = await made(agent, draftOf(5 * GATE));
    expect((await agent.patch(`/invoices/${draft.id}`, { line_items: [lineItem()] })).status).to.equal(200);
    const elsewhere = await stack.createTenant('No gate');
    await made(await newAgent(stack, elsewhere.id), draftOf(5 * GATE));
  });

  for (const [what, targetOf] of [
    ['work order', async () => ({ work_order_id: await workOrder() })],
    [
      'customer, where no work order is named,',
      async () => ({ customer_id: (await tenant.client.post('/customers', { company_name: 'C' })).body.id }),
    ],
    ['target at all', async () => ({})],
  ] as [string, () => Promise<Record<string, unknown>>][]) {
    it(`counts one key's drafts for one ${what} together`, async () => {
      const target = await targetOf();
      await made(agent, draftOf(HALF, target));
      await made(agent, draftOf(HALF - 1, target));
      const held = expectHeld(await agent.post('/invoices', draftOf(1, target)));
      expect([held.amount_cents, held.counted_cents]).to.deep.equal([1, GATE]);
      const other = { work_order_id: await workOrder(), billing_email: 'other@example.com' };
      await made(agent, draftOf(HALF, other));
      await made(await newAgent(stack, tenant.id), draftOf(HALF, target));
      await made(tenant.client, draftOf(GATE, target));
    });
  }

  it('counts what was priced within 24 hours, and nothing that was cancelled', async () => {
    const target = { work_order_id: await workOrder() };
    const first = await made(agent, draftOf(HALF, target));
    expectHeld(await agent.post('/invoices', draftOf(HALF, target)));
    await tenant.client.post(`/invoices/${first.id}/cancel`, { reason: 'twice' });
    const second = await made(agent, draftOf(HALF, target));
    expectHeld(await agent.post('/invoices', draftOf(HALF, target)));
    const age = (hours: number) =>
      stack.rows(
        tenant.id,
        `update invoices set created_at = now() - interval '3 days', agent_priced_at = now() - make_interval(secs => $2) where id = $1`,
        [second.id, hours * 3600],
      );
    await age(23.99);
    expectHeld(await agent.post('/invoices', draftOf(HALF, target)));
    await age(24.01);
    await made(agent, draftOf(HALF, target));
    // Priced anew, the old draft counts again.
    expectHeld(
      await agent.patch(`/invoices/${second.id}`, { line_items: [lineItem({ unit_price_cents: HALF })] }),
    );
  });

  it('holds a PATCH that lifts a draft past it, whole, and lets other changes through', async () => {
    const target = { work_order_id: await workOrder() };
    const draft = await made(agent, draftOf(HALF, target));
    const path = `/invoices/${draft.id}`;
    const patch = { notes: 'more', line_items: [lineItem({ unit_price_cents: GATE })] };
    const held = expectHeld(await agent.patch(path, patch));
    expect(held).to.deep.include({
      action: 'invoice.update',
      invoice_id: draft.id,
      record_version: draft.updated_at,
      amount_cents: GATE,
    });
    expect((await agent.get(path)).body).to.deep.equal(draft);
    expect((await agent.patch(path, { notes: 'words cost nothing' })).status).to.equal(200);
    const lower = { line_items: [lineItem({ unit_price_cents: HALF - 1 })] };
    expect((await agent.patch(path, lower)).body.total_cents, 'its own former price does not count').to.equal(
      HALF - 1,
    );
    await made(agent, draftOf(HALF, target));
    expectHeld(await agent.patch(path, { line_items: [lineItem({ unit_price_cents: HALF })] }));
  });

  it("counts a human's draft that an agent priced as that agent's", async () => {
    const target = { work_order_id: await workOrder() };
    const draft = await made(tenant.client, draftOf(1, target));
    const patch = { line_items: [lineItem({ unit_price_cents: HALF })] };
    expect((await agent.patch(`/invoices/${draft.id}`, patch)).status).to.equal(200);
    expectHeld(await agent.post('/invoices', draftOf(HALF, target)));
  });

  it('lets no two drafts slip under it at once', async () => {
    const target = { work_order_id: await workOrder() };
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => agent.post('/invoices', draftOf(GATE / 4, target))),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect([count(201), count(202)]).to.deep.equal([3, 9]);
  });

  it('refuses what is wrong at once instead of holding it', async () => {
    const taken = await made(tenant.client, draftOf(1));
    const twice = draftOf(GATE, { invoice_number: String(taken.invoice_number).toLowerCase() });
    expectError(await agent.post('/invoices', twice), 409, 'duplicate_invoice_number');
    expectError(
      await agent.post('/invoices', draftOf(GATE, { customer_id: newId() })),
      400,
      'validation_error',
    );
    await tenant.client.post(`/invoices/${taken.id}/cancel`, { reason: 'x' });
    const patch = { line_items: [lineItem({ unit_price_cents: GATE })] };
    expectError(await agent.patch(`/invoices/${taken.id}`, patch), 403, 'forbidden');
    expect(await countOf('approvals')).to.equal(0);
  });

  it('answers a repeated request with the kept answer, and holds once', async () => {
    const headers = { 'Idempotency-Key': newId() };
    const body = draftOf(GATE);
    const [one, two] = await Promise.all([0, 1].map(() => agent.post('/invoices', body, { headers })));
    const first = one?.status === 202 ? one : two;
    expectHeld(first as NonNullable<typeof first>);
    const again = await agent.post('/invoices', body, { headers });
    expect(again.headers['x-idempotency-replay']).to.equal('true');
    expectHeld(again);
    expect(again.text).to.equal(first?.text);
    expect(await countOf('approvals')).to.equal(1);
    expectError(await agent.post('/invoices', draftOf(1), { headers }), 422, 'idempotency_key_reused');
  });

  it('is previewed by a dry run, which stores nothing', async () => {
    const headers = { 'X-Service-Dry-Run': 'true' };
    const preview = await agent.post('/invoices', draftOf(GATE), { headers });
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body).to.deep.include({ ok: true, dry_run: true });
    expect(preview.body.data).to.include({ ok: true, pending_approval: true });
    expect(preview.body.data.approval).to.include({ status: 'pending', amount_cents: GATE });
    expect(await countOf('approvals')).to.equal(0);
    const below = await agent.post('/invoices', draftOf(1), { headers });
    expect(below.body.data.status).to.equal('draft');
  });
});
