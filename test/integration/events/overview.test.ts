import { expect } from 'chai';
import type { Overview } from '../../../shared/contracts/generated.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Database } from '../../../shared/platform/postgres/database.js';
import {
  MAX_COUNTED,
  MAX_COUNTED_OF_HOUR,
  MIN_KEPT_RECORDS,
} from '../../../shared/resources/overview/limits.js';
import { OverviewReader } from '../../../shared/resources/overview/overview-reader.js';
import { buildOverviewQuery, type OverviewRow } from '../../../shared/resources/overview/queries.js';
import type { TestClient } from '../../support/client.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { insertAttempt, insertDeliveries, insertEndpoint } from '../../support/webhooks/webhook-rows.js';

const HOUR_MS = 3_600_000;
const AGES = ['current_cents', 'days_1_30_cents', 'days_31_60_cents', 'days_61_90_cents', 'over_90_cents'];

describe('GET /overview', () => {
  const stack = useStack();

  async function read(client: TestClient): Promise<Overview> {
    const { status, body } = await client.get('/overview');
    expect(status).to.equal(200);
    return body;
  }

  /** Inserts deliveries that were created now, one for each status. Returns the endpoint. */
  async function deliver({ id }: TestTenant, statuses: string[]): Promise<string> {
    const target = { stack, tenantId: id };
    const endpoint = await insertEndpoint(target);
    await insertDeliveries(
      target,
      statuses.map((status) => ({ endpoint_id: endpoint, status })),
    );
    return endpoint;
  }

  it('GET /overview of a new account has only zeros, and 24 hours', async () => {
    const { client } = await stack.createTenant();
    const overview = await read(client);
    expect(overview.work_orders).to.deep.equal({ open: 0, unassigned: 0 });
    expect(overview.invoices.by_status).to.have.length(13);
    for (const status of overview.invoices.by_status)
      expect(status).to.include({ count: 0, total_cents: 0, has_more: false });
    expect(overview.invoices).to.include({ overdue_count: 0, overdue_cents: 0 });
    expect(overview.hours).to.have.length(24);
    for (const { hour: _hour, ...counts } of overview.hours)
      expect(counts).to.deep.equal({
        work_orders: 0,
        deliveries_succeeded: 0,
        deliveries_failed: 0,
        attempts_p50_ms: null,
        attempts_p95_ms: null,
      });
    expect(overview.delivery_success_rate).to.equal(null);
    expect(overview.last_failures).to.deep.equal([]);
    // Creating an API key is the first step. The key that sends this request has completed it.
    const done = Object.entries(overview.first_steps).filter(([, isDone]) => isDone);
    expect(done).to.deep.equal([['api_key_created', true]]);
  });

  it('GET /overview counts open work orders as the dispatch board does, and those of each hour', async () => {
    const { client, id } = await stack.createTenant();
    const orders = await Promise.all(
      [1, 2, 3, 4].map(async () => (await client.post('/work-orders', { service_type: 'tow' })).body.id),
    );
    const { body: truck } = await client.post('/trucks', { unit_number: '7', duty_class: 'light' });
    await client.post(`/work-orders/${orders[0]}/assign`, { truck_id: truck.id });
    await client.post(`/work-orders/${orders[1]}/cancel`, { reason: 'customer' });
    // GET /overview covers the last 24 hours. A work order created 25 hours ago is too old. One
    // created 22.5 hours ago is in the first or second hour, depending on the current minute.
    const move =
      'update work_orders set created_at = now() - make_interval(mins => $3) where tenant_id = $1 and id = $2';
    await stack.rows(id, move, [id, orders[2], 25 * 60]);
    await stack.rows(id, move, [id, orders[3], 22.5 * 60]);
    const { work_orders: counts, hours } = await read(client);
    const { body: board } = await client.get('/dispatch-board');
    expect(counts).to.deep.equal({ open: 3, unassigned: 2 });
    expect(counts.unassigned).to.equal(board.counts.unassigned_work_orders);
    expect(counts.open).to.equal(board.counts.unassigned_work_orders + board.counts.active_jobs);
    const created = hours.map(({ work_orders: count }) => count);
    expect(created.slice(0, 3).reduce((sum, count) => sum + count)).to.equal(1);
    expect(created.slice(-2).reduce((sum, count) => sum + count)).to.equal(2);
    expect(created.reduce((sum, count) => sum + count)).to.equal(3);
  });

  it('GET /overview counts invoices by status, and its money by age is the sum of all account statements', async () => {
    const { client, id } = await stack.createTenant('Kiwi Towing', { timeZone: 'Pacific/Auckland' });
    const terms = [null, 0, 45, 365];
    const customers = await Promise.all(
      terms.map(
        async (terms_days) => (await client.post('/customers', { company_name: 'Club', terms_days })).body.id,
      ),
    );
    // Insert an invoice for every half day, so that all ages and both sides of midnight occur.
    await stack.rows(
      id,
      `insert into invoices (tenant_id, id, invoice_number, status, customer_id, due_date, released_at, subtotal_cents, total_cents)
       select $1, gen_random_uuid(), 'I-' || n || '-' || c.position, case when n % 3 = 0 then 'overdue' else 'viewed' end, c.id,
         case when n % 5 = 0 then now() - make_interval(hours => 12 * (n - 40)) end, now() - make_interval(hours => 12 * n), 100 + n, 100 + n
       from generate_series(1, 300) n, unnest($2::uuid[]) with ordinality c(id, position)`,
      [id, customers],
    );
    await client.post('/invoices', invoiceInput());
    const { invoices } = await read(client);
    const accounts = await Promise.all(
      customers.map(async (customer) => (await client.get(`/customers/${customer}/statement`)).body),
    );
    for (const age of AGES) {
      const sum = accounts.reduce((total, { aging }) => total + aging[age], 0);
      expect(sum, age).to.be.above(0);
      expect(invoices.aging, age).to.have.property(age, sum);
    }
    const byStatus = new Map(invoices.by_status.map(({ status, ...counts }) => [status, counts]));
    const overdueCents = 4 * Array.from({ length: 100 }, (_, n) => 103 + 3 * n).reduce((sum, n) => sum + n);
    expect(byStatus.get('overdue')).to.deep.equal({ count: 400, total_cents: overdueCents, has_more: false });
    expect(byStatus.get('draft')).to.include({ count: 1 });
    expect(invoices).to.include({ overdue_count: 400, overdue_cents: overdueCents });
  });

  it('GET /overview shows deliveries and durations by hour, the success rate and the newest failures', async () => {
    const tenant = await stack.createTenant();
    const endpointId = await deliver(tenant, [
      ...Array<string>(8).fill('succeeded'),
      ...Array<string>(4).fill('exhausted'),
      ...Array<string>(4).fill('failed'),
      'cancelled',
      'pending',
    ]);
    const attempt = { deliveryId: newId(), endpointId, attempt: 1 };
    for (let n = 1; n <= 20; n += 1)
      await insertAttempt({ stack, tenantId: tenant.id }, { ...attempt, total_ms: 10 * n });
    const overview = await read(tenant.client);
    expect(overview.delivery_success_rate).to.equal(0.5);
    const recent = overview.hours.slice(-2);
    const sum = (name: 'deliveries_succeeded' | 'deliveries_failed') =>
      recent.reduce((total, hour) => total + hour[name], 0);
    expect([sum('deliveries_succeeded'), sum('deliveries_failed')]).to.deep.equal([8, 8]);
    if (recent[1]?.attempts_p95_ms !== null && recent[0]?.attempts_p95_ms === null)
      expect(recent[1]).to.include({ attempts_p50_ms: 100, attempts_p95_ms: 190 });
    expect(overview.last_failures).to.have.length(5);
    const ids = overview.last_failures.map(({ id }) => id);
    expect(ids).to.deep.equal([...ids].sort().reverse());
    for (const failure of overview.last_failures) {
      const { body } = await tenant.client.get(`/webhook-deliveries/${failure.id}`);
      expect(failure).to.deep.equal(body);
    }
  });

  it('the hours of GET /overview are those of the account’s time zone, without a gap', async () => {
    const { client } = await stack.createTenant('Mumbai Towing', { timeZone: 'Asia/Kolkata' });
    const { hours } = await read(client);
    const starts = hours.map(({ hour }) => Date.parse(hour));
    for (const [index, start] of starts.entries())
      expect(start).to.equal((starts[0] as number) + index * HOUR_MS);
    expect(hours[0]?.hour).to.match(/:30:00\.000Z$/);
    expect(Date.now() - (starts[23] as number)).to.be.within(0, HOUR_MS + 60_000);
  });

  it('GET /overview shows no account what happened in another, nor live what happened in the sandbox', async () => {
    const [busy, idle] = [await stack.createTenant(), await stack.createTenant()];
    await busy.sandbox.post('/work-orders', { service_type: 'tow' });
    await busy.sandbox.post('/invoices', invoiceInput());
    await deliver({ ...busy, id: busy.sandboxId }, ['succeeded', 'exhausted']);
    const { generated_at: _now, ...seen } = await read(busy.client);
    const { generated_at: _then, ...empty } = await read(idle.client);
    expect(seen).to.deep.equal(empty);
    const sandbox = await read(busy.sandbox);
    expect(sandbox.work_orders.open).to.equal(1);
    expect(sandbox.delivery_success_rate).to.equal(0.5);
  });

  it('GET /overview ticks the first steps off once they are done', async () => {
    const tenant = await stack.createTenant();
    const { client, id } = tenant;
    const endpoint = await deliver(tenant, []);
    await client.post('/trucks', { unit_number: '7', duty_class: 'light' });
    await client.post('/work-orders', { service_type: 'tow' });
    const { body: invoice } = await client.post(
      '/invoices',
      invoiceInput({ billing_email: 'a@example.com' }),
    );
    for (const action of ['approve', 'send']) await client.post(`/invoices/${invoice.id}/${action}`, {});
    await client.post(`/invoices/${invoice.id}/payments`, { amount_cents: 100, method: 'cash' });
    await client.post('/exports', { resource: 'customers', format: 'csv' });
    await client.post('/agent-keys', { name: 'Agent', scopes: ['read_invoices'] });
    expect((await read(client)).first_steps).to.deep.equal({
      api_key_created: true,
      api_key_used: false,
      agent_key_created: true,
      agent_key_used: false,
      webhook_endpoint_created: true,
      webhook_delivered: false,
      truck_created: true,
      work_order_created: true,
      invoice_created: true,
      payment_recorded: true,
      export_created: true,
      approval_decided: false,
    });
    await stack.rows(id, 'update api_keys set last_used_at = now() where tenant_id = $1', [id]);
    const success =
      'update webhook_lanes set last_success_at = now() where tenant_id = $1 and endpoint_id = $2';
    await stack.rows(id, success, [id, endpoint]);
    expect((await read(client)).first_steps).to.include({
      api_key_used: true,
      agent_key_used: true,
      webhook_delivered: true,
    });
  });

  it('GET /overview stops to count at its limits, and says so', async () => {
    const tenant = await stack.createTenant();
    const { client, id } = tenant;
    await stack.rows(
      id,
      `insert into invoices (tenant_id, id, invoice_number, subtotal_cents, total_cents)
       select $1, gen_random_uuid(), 'I-' || n, 100, 100 from generate_series(1, $2::int) n`,
      [id, MAX_COUNTED + 1],
    );
    await deliver(tenant, Array<string>(MAX_COUNTED_OF_HOUR + 1).fill('succeeded'));
    const { invoices, hours } = await read(client);
    expect(invoices.by_status[0]).to.deep.equal({
      status: 'draft',
      count: MAX_COUNTED,
      total_cents: 100 * MAX_COUNTED,
      has_more: true,
    });
    for (const hour of hours) expect(hour.deliveries_succeeded).to.be.at.most(MAX_COUNTED_OF_HOUR);
  });

  it('the overview of a large account is kept for its account, and that of a small one is not', async () => {
    let reads = 0;
    let records = MIN_KEPT_RECORDS - 1;
    const readRow = async () => {
      reads += 1;
      return [{ body: `${reads}`, records }];
    };
    const overviews = new OverviewReader({ read: readRow } as unknown as Database);
    const readFor = async (tenantId: string) =>
      `${await overviews.read({ tenantId, timeZone: 'America/New_York' })}`;
    expect([await readFor('a'), await readFor('a')]).to.deep.equal(['1', '2']);
    records = MIN_KEPT_RECORDS;
    expect([await readFor('a'), await readFor('a'), await readFor('b')]).to.deep.equal(['3', '3', '4']);
  });

  it('PostgreSQL reports how many records an overview took', async () => {
    const { client, id } = await stack.createTenant();
    await client.post('/work-orders', { service_type: 'tow' });
    await client.post('/invoices', invoiceInput());
    const query = buildOverviewQuery({ tenantId: id, timeZone: 'America/New_York' });
    const [row] = await stack.runtime.db.read<OverviewRow>(id, query);
    expect(row?.records).to.equal(2);
  });
});
