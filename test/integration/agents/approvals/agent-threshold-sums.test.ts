import { expect } from 'chai';
import {
  APPROVAL_THRESHOLD_CENTS,
  buildDraft,
  createAgentClient,
  expectHeld,
  setAgentDayLimit,
  setApprovalThreshold,
} from '../../../support/agents/approvals.js';
import type { TestClient } from '../../../support/client.js';
import { eventually } from '../../../support/poll.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import { lineItem } from '../../../support/records/samples.js';
import { openSession } from '../../../support/records/sign-in.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';
import { withPgClient } from '../../../support/writes/rows.js';

const BELOW_THRESHOLD = APPROVAL_THRESHOLD_CENTS - 100;

describe('drafts that the approval thresholds count together', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;

  useAccountPerTest(async (account) => {
    ({ stack, tenant } = account);
    agent = await createAgentClient(stack, tenant.id);
    await setApprovalThreshold(tenant);
  });

  const createCustomer = async (more: Record<string, unknown> = {}) =>
    (await tenant.client.post('/customers', { company_name: 'C', ...more })).body.id as string;
  const createWorkOrder = async (customer_id: string | null = null, more: Record<string, unknown> = {}) =>
    (await tenant.client.post('/work-orders', { service_type: 'tow', customer_id, ...more })).body
      .id as string;
  const createDraft = (cents: number, target: Record<string, unknown> = {}) =>
    agent.post('/invoices', buildDraft(cents, target));
  const listStatuses = (responses: { status: number }[]) => responses.map(({ status }) => status);

  it('of ten drafts of $999 on ten work orders of one customer, the first is created and nine are held', async () => {
    const customer = await createCustomer();
    const responses = [];
    for (let index = 0; index < 10; index += 1)
      responses.push(await createDraft(BELOW_THRESHOLD, { work_order_id: await createWorkOrder(customer) }));
    expect(listStatuses(responses)).to.deep.equal([201, ...Array(9).fill(202)]);
    expect(responses[1]?.body.approval).to.include({
      counted_cents: 2 * BELOW_THRESHOLD,
      held_by: 'agent_gate_cents',
    });
  });

  it('of ten concurrent drafts on ten work orders of one customer, one is created and nine are held', async () => {
    const customer = await createCustomer();
    const workOrderIds = await Promise.all(Array.from({ length: 10 }, () => createWorkOrder(customer)));
    const responses = await Promise.all(
      workOrderIds.map((work_order_id) => createDraft(BELOW_THRESHOLD, { work_order_id })),
    );
    expect(listStatuses(responses).sort()).to.deep.equal([201, ...Array(9).fill(202)]);
  });

  it('a draft for a customer counts together with a draft on a work order of that customer, also on PATCH', async () => {
    const customer = await createCustomer();
    const forCustomer = await createDraft(APPROVAL_THRESHOLD_CENTS / 2, { customer_id: customer });
    const onWorkOrder = await createDraft(1, { work_order_id: await createWorkOrder(customer) });
    expect(listStatuses([forCustomer, onWorkOrder])).to.deep.equal([201, 201]);
    const patch = { line_items: [lineItem({ unit_price_cents: APPROVAL_THRESHOLD_CENTS / 2 })] };
    const held = expectHeld(await agent.patch(`/invoices/${onWorkOrder.body.id}`, patch));
    expect(held).to.include({
      amount_cents: APPROVAL_THRESHOLD_CENTS / 2,
      counted_cents: APPROVAL_THRESHOLD_CENTS,
    });
  });

  it('drafts on one work order for two customers count together, and held drafts do not count', async () => {
    const workOrder = await createWorkOrder();
    const [one, other] = [await createCustomer(), await createCustomer()];
    expect(
      (await createDraft(BELOW_THRESHOLD, { work_order_id: workOrder, customer_id: one })).status,
    ).to.equal(201);
    expectHeld(await createDraft(BELOW_THRESHOLD, { work_order_id: workOrder, customer_id: other }));
    expect((await createDraft(BELOW_THRESHOLD, { work_order_id: await createWorkOrder() })).status).to.equal(
      201,
    );
    expect(
      (await createDraft(BELOW_THRESHOLD, { customer_id: other })).status,
      'a held draft does not count',
    ).to.equal(201);
  });

  it('of ten drafts on ten work orders without a customer, the first is created and nine are held', async () => {
    const responses = [];
    for (let index = 0; index < 10; index += 1)
      responses.push(await createDraft(BELOW_THRESHOLD, { work_order_id: await createWorkOrder() }));
    expect(listStatuses(responses)).to.deep.equal([201, ...Array(9).fill(202)]);
    const [customer, address] = [await createCustomer(), 'other@example.com'];
    expect((await createDraft(BELOW_THRESHOLD, { customer_id: customer })).status).to.equal(201);
    const addressed = await createDraft(BELOW_THRESHOLD, {
      work_order_id: await createWorkOrder(),
      billing_email: address,
    });
    expect(addressed.status, 'a draft with a billing address').to.equal(201);
  });

  it('drafts with one billing address count together: from draft, work order or customer, in any letter case', async () => {
    const targets = [
      { work_order_id: await createWorkOrder(), billing_email: 'Pays@Example.com' },
      { work_order_id: await createWorkOrder(null, { billing_email: 'pays@EXAMPLE.com' }) },
      { customer_id: await createCustomer({ billing_email: 'PAYS@example.com' }) },
      { work_order_id: await createWorkOrder(), billing_email: ' pays@example.com ' },
    ];
    expect((await createDraft(BELOW_THRESHOLD, targets[0])).status).to.equal(201);
    for (const target of targets) expectHeld(await createDraft(BELOW_THRESHOLD, target));
    const other = { work_order_id: await createWorkOrder(), billing_email: 'other@example.com' };
    expect((await createDraft(BELOW_THRESHOLD, other)).status).to.equal(201);
  });

  it('a new billing address holds a draft if it then reaches the threshold with drafts of that address', async () => {
    const billTo = (name: string) => ({ billing_email: `${name}@example.com` });
    const first = await createDraft(BELOW_THRESHOLD, {
      work_order_id: await createWorkOrder(),
      ...billTo('first'),
    });
    const second = await createDraft(BELOW_THRESHOLD, {
      work_order_id: await createWorkOrder(),
      ...billTo('second'),
    });
    expect(listStatuses([first, second])).to.deep.equal([201, 201]);
    const path = `/invoices/${second.body.id}`;
    const held = expectHeld(await agent.patch(path, billTo('FIRST')));
    expect(held).to.include({
      amount_cents: BELOW_THRESHOLD,
      counted_cents: 2 * BELOW_THRESHOLD,
      held_by: 'agent_gate_cents',
    });
    expect((await tenant.client.get(path)).body).to.include(billTo('second'));
    expect((await agent.patch(path, { ...billTo('second'), notes: 'n' })).status).to.equal(200);
    const person = await openSession(stack, { tenantId: tenant.id });
    expect((await person.post(`/approvals/${held.id}/approve`, { hash: held.hash })).status).to.equal(409);
    const { hash } = (await person.get(`/approvals/${held.id}`)).body;
    expect((await person.post(`/approvals/${held.id}/approve`, { hash })).status).to.equal(200);
    expect((await tenant.client.get(path)).body).to.include(billTo('FIRST'));
  });

  it('a draft counts again once its agent changes the billing address, but a draft priced by a person does not', async () => {
    const billTo = (name: string) => ({ billing_email: `${name}@example.com` });
    const old = await createDraft(BELOW_THRESHOLD, billTo('old'));
    await stack.rows(
      tenant.id,
      `update invoices set agent_priced_at = agent_priced_at - interval '24 hours' where id = $1`,
      [old.body.id],
    );
    expect((await agent.patch(`/invoices/${old.body.id}`, billTo('victim'))).status).to.equal(200);
    expectHeld(
      await createDraft(BELOW_THRESHOLD, { work_order_id: await createWorkOrder(), ...billTo('victim') }),
    );
    const { body: persons } = await tenant.client.post('/invoices', buildDraft(APPROVAL_THRESHOLD_CENTS));
    expect((await agent.patch(`/invoices/${persons.id}`, billTo('victim'))).status).to.equal(200);
  });

  it('agent_day_cents limits all drafts of one agent key within 24 hours, for any customer or work order', async () => {
    await setAgentDayLimit(tenant, 3 * BELOW_THRESHOLD);
    const target = async () => ({ work_order_id: await createWorkOrder(await createCustomer()) });
    const [first, second] = [
      await createDraft(BELOW_THRESHOLD, await target()),
      await createDraft(BELOW_THRESHOLD - 1, await target()),
    ];
    expect(listStatuses([first, second])).to.deep.equal([201, 201]);
    expect((await createDraft(1, await target())).status).to.equal(201);
    const held = expectHeld(await createDraft(BELOW_THRESHOLD, await target()));
    expect(held).to.include({ held_by: 'agent_day_cents', counted_cents: 3 * BELOW_THRESHOLD });
    const patch = { line_items: [lineItem({ unit_price_cents: 2 * BELOW_THRESHOLD })] };
    await setApprovalThreshold(tenant, null);
    const lifted = expectHeld(await agent.patch(`/invoices/${first.body.id}`, patch));
    expect(lifted).to.include({ held_by: 'agent_day_cents', counted_cents: 3 * BELOW_THRESHOLD });
    agent = await createAgentClient(stack, tenant.id);
    expect(
      (await createDraft(BELOW_THRESHOLD, await target())).status,
      'another agent key has its own sum',
    ).to.equal(201);
  });

  it('a draft stops counting towards agent_day_cents 24 hours after it was priced', async () => {
    await setApprovalThreshold(tenant, null);
    await setAgentDayLimit(tenant, APPROVAL_THRESHOLD_CENTS);
    const { body: first } = await createDraft(BELOW_THRESHOLD);
    expectHeld(await createDraft(BELOW_THRESHOLD));
    await stack.rows(
      tenant.id,
      `update invoices set agent_priced_at = agent_priced_at - interval '24 hours' where id = $1`,
      [first.id],
    );
    expect((await createDraft(BELOW_THRESHOLD)).status).to.equal(201);
  });

  it('concurrent drafts for different customers stay below agent_day_cents together', async () => {
    await setAgentDayLimit(tenant, APPROVAL_THRESHOLD_CENTS);
    const customers = await Promise.all(Array.from({ length: 12 }, () => createCustomer()));
    const responses = await Promise.all(
      customers.map((customer_id) => createDraft(APPROVAL_THRESHOLD_CENTS / 4, { customer_id })),
    );
    expect(listStatuses(responses).filter((status) => status === 201)).to.have.length(3);
  });

  it('approving a held draft waits for the agent lock that drafts of the same key take', async () => {
    const person = await openSession(stack, { tenantId: tenant.id });
    const held = expectHeld(
      await createDraft(APPROVAL_THRESHOLD_CENTS, { customer_id: await createCustomer() }),
    );
    const lockKey = `hashtextextended('${tenant.id}/${held.agent_id}', 7366002)`;
    await withPgClient(stack.databaseUrl, async (client) => {
      await client.query(`begin; select pg_advisory_xact_lock(${lockKey})`);
      const deciding = person.post(`/approvals/${held.id}/approve`, {});
      await eventually('the approval waits for the agent lock', async () => {
        const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
        return ((await client.query(waiting)).rowCount ?? 0) > 0;
      });
      await client.query('commit');
      const decided = await deciding;
      expect(decided.status, decided.text).to.equal(200);
    });
  });
});
