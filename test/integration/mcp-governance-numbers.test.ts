import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { withAccounts } from '../support/accounts.js';
import { newAgent, type TestAgent } from '../support/agent.js';
import type { Json } from '../support/client.js';
import { cardItem, completedJob, MILES, makeCard } from '../support/priced-jobs.js';
import { invoiceInput } from '../support/samples.js';
import type { TestStack, TestTenant } from '../support/stack.js';

const LINE = {
  name: 'Tow',
  category: 'tow',
  quantity: 1.5,
  unit_type: 'hour',
  unit_price_cents: 333,
  taxable: true,
};
const nth = (n: number) => `INV-${String(n).padStart(6, '0')}`;

describe('drafts of agents', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  withAccounts(
    async (account) => {
      ({ stack, tenant } = account);
      agent = await newAgent(stack, tenant);
      return () => agent.client.close();
    },
    { account: ['Drafts', { taxRateBps: 1_000 }] },
  );

  const job = async (body: Record<string, unknown> = {}, of = tenant) =>
    (await of.client.post('/work-orders', { service_type: 'tow', ...body })).body.id as string;
  const draft = (work_order_id: string, more: Record<string, unknown> = {}, by = agent): Promise<Json> =>
    by.ok('create_invoice_draft', { work_order_id, line_items: [LINE], ...more });
  const take = async (invoice_number: string) => {
    const made = await tenant.client.post('/invoices', invoiceInput({ invoice_number }));
    expect(made.status, made.text).to.equal(201);
  };

  it('take the next number of their account, one after the other', async () => {
    const id = await job();
    expect((await draft(id)).invoice_number).to.equal(nth(1));
    expect((await draft(id)).invoice_number).to.equal(nth(2));
    const other = await stack.createTenant();
    const neighbour = await newAgent(stack, other);
    expect((await draft(await job({}, other), {}, neighbour)).invoice_number).to.equal(nth(1));
    await neighbour.client.close();
  });

  it('pass the numbers that others gave, in whatever case, and go on behind them', async () => {
    const id = await job();
    await take('INV-000001');
    await take('inv-000002');
    expect((await draft(id)).invoice_number).to.equal(nth(3));
    for (let n = 4; n <= 13; n += 1) await take(nth(n));
    const { invoice_number } = await draft(id);
    expect(Number(invoice_number.slice(4))).to.be.within(14, 24);
    expect((await draft(id)).invoice_number).to.equal(nth(Number(invoice_number.slice(4)) + 1));
  });

  it('get numbers of their own when many come at once, in two accounts', async () => {
    const other = await stack.createTenant();
    const neighbour = await newAgent(stack, other);
    const more = await Promise.all([1, 2, 3].map(() => newAgent(stack, tenant)));
    await take(nth(5));
    const [mine, theirs] = [await job(), await job({}, other)];
    const jobs = await Promise.all(Array.from({ length: 12 }, () => job()));
    const made = await Promise.all([
      ...jobs.map((id, index) => draft(id, {}, [agent, ...more][index % 4])),
      ...jobs.map(() => draft(theirs, {}, neighbour)),
      draft(mine),
    ]);
    const numbers = (of: Json[]) => of.map(({ invoice_number }) => invoice_number).sort();
    const own = numbers([...made.slice(0, 12), made[24]]);
    expect(new Set(own).size).to.equal(13);
    expect(own).to.not.include(nth(5));
    expect(Number(own.at(-1)?.slice(4))).to.be.within(14, 20);
    expect(numbers(made.slice(12, 24))).to.deep.equal(Array.from({ length: 12 }, (_, i) => nth(i + 1)));
    await Promise.all([neighbour, ...more].map(({ client }) => client.close()));
  });

  it('leave no gap when they are refused or only rehearsed', async () => {
    const id = await job();
    const minus = { ...LINE, category: 'discount', unit_price_cents: -5 };
    for (const [code, args] of [
      ['validation_error', { work_order_id: newId() }],
      ['validation_error', { work_order_id: id, line_items: [minus] }],
    ] as [string, Record<string, unknown>][])
      expect((await agent.refused('create_invoice_draft', args)).code).to.equal(code);
    await draft(id, { dry_run: true });
    expect((await draft(id)).invoice_number).to.equal(nth(1));
    // Of one batch, the refused ones between the others.
    const made = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        agent.call('create_invoice_draft', { work_order_id: id, line_items: [index % 2 ? minus : LINE] }),
      ),
    );
    expect(made.filter(({ isError }) => isError)).to.have.length(3);
    expect((await draft(id)).invoice_number).to.equal(nth(5));
  });

  it('take customer, vehicle, date and billing e-mail from the job, and link it', async () => {
    const customer_id = (await tenant.client.post('/customers', { company_name: 'C' })).body.id;
    const { id } = await agent.ok('create_work_order', {
      ...{ service_type: 'tow', customer_id, vin: '1HGCM82633A004352', unit_number: '7' },
      billing_email: 'ap@example.com',
    });
    const made = await draft(id, { notes: 'Seen' });
    expect(made).to.include({
      ...{ status: 'draft', work_order_id: id, customer_id },
      billing_email: 'ap@example.com',
    });
    expect(made).to.include({ vehicle_description: 'VIN 1HGCM82633A004352 unit 7', notes: 'Seen' });
    // 1.5 × 333 is 499.5: half away from zero, and 10 % tax.
    expect([made.subtotal_cents, made.tax_cents, made.total_cents]).to.deep.equal([500, 50, 550]);
    expect(made.line_items[0]).to.include({ total_cents: 500, taxable: true });
    expect((await draft(id, { billing_email: 'other@example.com' })).billing_email).to.equal(
      'other@example.com',
    );
    expect((await tenant.client.get(`/work-orders/${id}`)).body.billing_status).to.equal('invoiced');
    const empty = await agent.ok('create_invoice_draft', { work_order_id: id });
    expect(empty).to.include({ customer_id, billing_email: 'ap@example.com', total_cents: 0 });
  });

  it('are priced from the rate card when they bring no lines', async () => {
    const customer_id = (await tenant.client.post('/customers', { company_name: 'C' })).body.id;
    await makeCard(tenant.client, { is_default: true, items: [cardItem(), MILES] });
    const id = await completedJob(tenant.client, { facts: { customer_id } });
    const made = await agent.ok('create_invoice_draft', { work_order_id: id });
    expect(made.line_items.map((line: Json) => line.category)).to.deep.equal(['hook_up', 'mileage']);
    const { completion_time } = (await tenant.client.get(`/work-orders/${id}`)).body;
    expect(made).to.include({ customer_id, service_date: completion_time, invoice_number: nth(1) });
    const twice = await agent.refused('create_invoice_draft', { work_order_id: id });
    expect([twice.code, twice.details[0].code]).to.deep.equal(['conflict', 'invoiced']);
  });

  it('of a job that is not done or was called off take lines of their own, and no price', async () => {
    await makeCard(tenant.client, { is_default: true });
    const id = await job();
    const open = await agent.refused('create_invoice_draft', { work_order_id: id });
    expect([open.code, open.details[0].code]).to.deep.equal(['conflict', 'not_completed']);
    expect((await tenant.client.post(`/work-orders/${id}/cancel`, { reason: 'customer' })).status).to.equal(
      200,
    );
    expect((await agent.refused('create_invoice_draft', { work_order_id: id })).code).to.equal('conflict');
    expect((await draft(id)).invoice_number, 'a person decides on what is charged for it').to.equal(nth(1));
  });
});
