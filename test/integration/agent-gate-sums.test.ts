import { expect } from 'chai';
import { withAccounts } from '../support/accounts.js';
import { draftOf, expectHeld, GATE, newAgent, setDayBound, setGate } from '../support/approvals.js';
import type { TestClient } from '../support/client.js';
import { eventually } from '../support/poll.js';
import { withClient } from '../support/rows.js';
import { lineItem } from '../support/samples.js';
import { signIn } from '../support/sign-in.js';
import type { TestStack, TestTenant } from '../support/stack.js';

const UNDER = GATE - 100;

describe('what the approval threshold counts together', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestClient;

  withAccounts(async (account) => {
    ({ stack, tenant } = account);
    agent = await newAgent(stack, tenant.id);
    await setGate(tenant);
  });

  const newCustomer = async (more: Record<string, unknown> = {}) =>
    (await tenant.client.post('/customers', { company_name: 'C', ...more })).body.id as string;
  const newWorkOrder = async (customer_id: string | null = null, more: Record<string, unknown> = {}) =>
    (await tenant.client.post('/work-orders', { service_type: 'tow', customer_id, ...more })).body
      .id as string;
  const draft = (cents: number, target: Record<string, unknown> = {}) =>
    agent.post('/invoices', draftOf(cents, target));
  const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status);

  it('ten drafts of $999 on ten work orders of one customer: the first is made, nine are held', async () => {
    const customer = await newCustomer();
    const answers = [];
    for (let index = 0; index < 10; index += 1)
      answers.push(await draft(UNDER, { work_order_id: await newWorkOrder(customer) }));
    expect(statuses(answers)).to.deep.equal([201, ...Array(9).fill(202)]);
    expect(answers[1]?.body.approval).to.include({
      counted_cents: 2 * UNDER,
      held_by: 'agent_gate_cents',
    });
  });

  it('ten drafts at once on ten work orders of one customer: one is made', async () => {
    const customer = await newCustomer();
    const orders = await Promise.all(Array.from({ length: 10 }, () => newWorkOrder(customer)));
    const answers = await Promise.all(orders.map((work_order_id) => draft(UNDER, { work_order_id })));
    expect(statuses(answers).sort()).to.deep.equal([201, ...Array(9).fill(202)]);
  });

  it('a draft that names its customer, one on a work order of that customer, and a PATCH of either', async () => {
    const customer = await newCustomer();
    const named = await draft(GATE / 2, { customer_id: customer });
    const onOrder = await draft(1, { work_order_id: await newWorkOrder(customer) });
    expect(statuses([named, onOrder])).to.deep.equal([201, 201]);
    const patch = { line_items: [lineItem({ unit_price_cents: GATE / 2 })] };
    const held = expectHeld(await agent.patch(`/invoices/${onOrder.body.id}`, patch));
    expect(held).to.include({ amount_cents: GATE / 2, counted_cents: GATE });
  });

  it('two customers on one work order', async () => {
    const order = await newWorkOrder();
    const [one, other] = [await newCustomer(), await newCustomer()];
    expect((await draft(UNDER, { work_order_id: order, customer_id: one })).status).to.equal(201);
    expectHeld(await draft(UNDER, { work_order_id: order, customer_id: other }));
    expect((await draft(UNDER, { work_order_id: await newWorkOrder() })).status).to.equal(201);
    expect((await draft(UNDER, { customer_id: other })).status, 'what was held does not count').to.equal(201);
  });

  it('ten drafts on ten work orders without a customer: the first is made, nine are held', async () => {
    const answers = [];
    for (let index = 0; index < 10; index += 1)
      answers.push(await draft(UNDER, { work_order_id: await newWorkOrder() }));
    expect(statuses(answers)).to.deep.equal([201, ...Array(9).fill(202)]);
    const [customer, address] = [await newCustomer(), 'other@example.com'];
    expect((await draft(UNDER, { customer_id: customer })).status).to.equal(201);
    const addressed = await draft(UNDER, { work_order_id: await newWorkOrder(), billing_email: address });
    expect(addressed.status, 'somebody is billed').to.equal(201);
  });

  it('drafts for one billing address, of the draft, its work order or its customer, in any case of letters', async () => {
    const targets = [
      { work_order_id: await newWorkOrder(), billing_email: 'Pays@Example.com' },
      { work_order_id: await newWorkOrder(null, { billing_email: 'pays@EXAMPLE.com' }) },
      { customer_id: await newCustomer({ billing_email: 'PAYS@example.com' }) },
      { work_order_id: await newWorkOrder(), billing_email: ' pays@example.com ' },
    ];
    expect((await draft(UNDER, targets[0])).status).to.equal(201);
    for (const target of targets) expectHeld(await draft(UNDER, target));
    const other = { work_order_id: await newWorkOrder(), billing_email: 'other@example.com' };
    expect((await draft(UNDER, other)).status).to.equal(201);
  });

  it('a draft that its agent gives another address: it waits where that payer has drafts already', async () => {
    const to = (name: string) => ({ billing_email: `${name}@example.com` });
    const first = await draft(UNDER, { work_order_id: await newWorkOrder(), ...to('first') });
    const second = await draft(UNDER, { work_order_id: await newWorkOrder(), ...to('second') });
    expect(statuses([first, second])).to.deep.equal([201, 201]);
    const path = `/invoices/${second.body.id}`;
    const held = expectHeld(await agent.patch(path, to('FIRST')));
    expect(held).to.include({ amount_cents: UNDER, counted_cents: 2 * UNDER, held_by: 'agent_gate_cents' });
    expect((await tenant.client.get(path)).body).to.include(to('second'));
    expect((await agent.patch(path, { ...to('second'), notes: 'n' })).status).to.equal(200);
    const person = await signIn(stack, { tenantId: tenant.id });
    expect((await person.post(`/approvals/${held.id}/approve`, { hash: held.hash })).status).to.equal(409);
    const { hash } = (await person.get(`/approvals/${held.id}`)).body;
    expect((await person.post(`/approvals/${held.id}/approve`, { hash })).status).to.equal(200);
    expect((await tenant.client.get(path)).body).to.include(to('FIRST'));
  });

  it('a draft that its agent gives another address counts from then on; one that a person priced does not', async () => {
    const to = (name: string) => ({ billing_email: `${name}@example.com` });
    const old = await draft(UNDER, to('old'));
    await stack.rows(
      tenant.id,
      `update invoices set agent_priced_at = agent_priced_at - interval '24 hours' where id = $1`,
      [old.body.id],
    );
    expect((await agent.patch(`/invoices/${old.body.id}`, to('victim'))).status).to.equal(200);
    expectHeld(await draft(UNDER, { work_order_id: await newWorkOrder(), ...to('victim') }));
    const { body: persons } = await tenant.client.post('/invoices', draftOf(GATE));
    expect((await agent.patch(`/invoices/${persons.id}`, to('victim'))).status).to.equal(200);
  });

  it('all drafts of a key within 24 hours against agent_day_cents, whatever they are for', async () => {
    await setDayBound(tenant, 3 * UNDER);
    const target = async () => ({ work_order_id: await newWorkOrder(await newCustomer()) });
    const [first, second] = [await draft(UNDER, await target()), await draft(UNDER - 1, await target())];
    expect(statuses([first, second])).to.deep.equal([201, 201]);
    expect((await draft(1, await target())).status).to.equal(201);
    const held = expectHeld(await draft(UNDER, await target()));
    expect(held).to.include({ held_by: 'agent_day_cents', counted_cents: 3 * UNDER });
    const patch = { line_items: [lineItem({ unit_price_cents: 2 * UNDER })] };
    await setGate(tenant, null);
    const lifted = expectHeld(await agent.patch(`/invoices/${first.body.id}`, patch));
    expect(lifted).to.include({ held_by: 'agent_day_cents', counted_cents: 3 * UNDER });
    agent = await newAgent(stack, tenant.id);
    expect((await draft(UNDER, await target())).status, 'another key has a day of its own').to.equal(201);
  });

  it('a day that ends 24 hours after each draft was priced', async () => {
    await setGate(tenant, null);
    await setDayBound(tenant, GATE);
    const { body: first } = await draft(UNDER);
    expectHeld(await draft(UNDER));
    await stack.rows(
      tenant.id,
      `update invoices set agent_priced_at = agent_priced_at - interval '24 hours' where id = $1`,
      [first.id],
    );
    expect((await draft(UNDER)).status).to.equal(201);
  });

  it('drafts at once for different customers against agent_day_cents: none slips through', async () => {
    await setDayBound(tenant, GATE);
    const customers = await Promise.all(Array.from({ length: 12 }, () => newCustomer()));
    const answers = await Promise.all(customers.map((customer_id) => draft(GATE / 4, { customer_id })));
    expect(statuses(answers).filter((status) => status === 201)).to.have.length(3);
  });

  it('a draft that an approval makes: it takes turns with the drafts of the same key', async () => {
    const person = await signIn(stack, { tenantId: tenant.id });
    const held = expectHeld(await draft(GATE, { customer_id: await newCustomer() }));
    const turn = `hashtextextended('${tenant.id}/${held.agent_id}', 7366002)`;
    await withClient(stack.databaseUrl, async (client) => {
      await client.query(`begin; select pg_advisory_xact_lock(${turn})`);
      const deciding = person.post(`/approvals/${held.id}/approve`, {});
      await eventually('the approval waits for the turn', async () => {
        const waiting = `select 1 from pg_locks where locktype = 'advisory' and not granted`;
        return ((await client.query(waiting)).rowCount ?? 0) > 0;
      });
      await client.query('commit');
      const decided = await deciding;
      expect(decided.status, decided.text).to.equal(200);
    });
  });
});
