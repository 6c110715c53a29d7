import { expect } from 'chai';
import type { Command } from '../../shared/contracts/command.js';
import type { InvoiceCreate } from '../../shared/contracts/generated.js';
import { createInvoices } from '../../shared/resources/invoices/create-handler.js';
import { jobFactsStatement } from '../../shared/resources/rate-cards/job-facts.js';
import { runIsolated } from '../../workers/writes/isolate.js';
import { batchContextOf } from '../support/batch-context.js';
import type { Answer } from '../support/client.js';
import { commandOf } from '../support/commands.js';
import { expectError } from '../support/expect-error.js';
import { jobAfter } from '../support/lifecycle-records.js';
import { cardItem, completedJob, MILES, makeCard } from '../support/priced-jobs.js';
import { lineItem, UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

let serial = 0;
const number = () => {
  serial += 1;
  return `PRICED-${serial}`;
};
const NIGHT = cardItem({ name: 'Night', category: 'after_hours', unit_price_cents: 5000, after_hours: true });

describe('the price of a job by its rate card', () => {
  let stack: TestStack;

  before(async () => {
    stack = await TestStack.start();
  });
  after(() => stack.stop());

  /** An account of its own, so that no default card of another test counts. */
  const account = (settings = {}): Promise<TestTenant> => stack.createTenant('Priced', settings);
  const told = (lines: Answer['body'][]): string[] =>
    lines.map((line) => `${line.category} ${line.quantity} × ${line.unit_price_cents} = ${line.total_cents}`);
  const priceOf = async ({ client }: TestTenant, id: string): Promise<Answer['body']> => {
    const answer = await client.post(`/work-orders/${id}/price`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body;
  };
  const setJob = (tenant: TestTenant, id: string, columns: Record<string, string>) =>
    stack.rows(
      tenant.id,
      `update work_orders set ${Object.entries(columns).map(([name, value]) => `${name} = '${value}'`)} where tenant_id = $1 and id = $2`,
      [tenant.id, id],
    );

  it('is previewed with its lines, tax, card and reasons, and stores nothing', async () => {
    const tenant = await account({ taxRateBps: 825 });
    const card = await makeCard(tenant.client, { is_default: true, items: [cardItem(), MILES, NIGHT] });
    const job = await completedJob(tenant.client);
    await setJob(tenant, job, {
      dispatch_time: '2026-11-18T17:00:00Z',
      completion_time: '2026-11-18T18:00:00Z',
    });
    const before = (await tenant.client.get(`/work-orders/${job}`)).text;
    const price = await priceOf(tenant, job);
    expect(told(price.line_items)).to.deep.equal(['hook_up 1 × 7500 = 7500', 'mileage 7.5 × 450 = 3375']);
    expect(price).to.deep.include({
      ...{ work_order_id: job, customer_id: null, is_after_hours: false, is_invoiced: false },
      rate_card: { id: card.id, name: card.name, effective_from: '2020-01-01' },
      ...{ subtotal_cents: 10_875, tax_rate_bps: 825, tax_cents: 897, total_cents: 11_772 },
    });
    expect(price.explanation.map((one: { reason: string }) => one.reason)).to.deep.equal([
      '1 flat',
      '12.5 mile, 5 of them included',
      'not after hours',
    ]);
    const dry = await tenant.client.post(
      `/work-orders/${job}/price`,
      {},
      { headers: { 'x-service-dry-run': 'true' } },
    );
    expect(dry.body).to.deep.equal({ ok: true, dry_run: true, data: price, warnings: [] });
    expect((await tenant.client.get(`/work-orders/${job}`)).text).to.equal(before);
    expect((await tenant.client.get('/invoices')).body.data.count).to.equal(0);
    const posted = await tenant.client.post('/invoices', {
      invoice_number: number(),
      line_items: price.line_items,
    });
    expect(posted.body.total_cents, 'its lines are what POST /invoices takes').to.equal(price.total_cents);
  });

  it('becomes the invoice of a completed job that is made without lines, with what the job knows', async () => {
    const tenant = await account({ taxRateBps: 825 });
    await makeCard(tenant.client, { is_default: true });
    const customer = (await tenant.client.post('/customers', { company_name: 'Club' })).body;
    const vehicle = { make: 'Honda', model: 'Accord', year: 2019 };
    const job = await completedJob(tenant.client, {
      facts: { customer_id: customer.id, vehicle, vin: 'V1' },
    });
    const price = await priceOf(tenant, job);
    const body = { invoice_number: number(), work_order_id: job, notes: 'mine' };
    const rehearsed = await tenant.client.post('/invoices', body, {
      headers: { 'x-service-dry-run': 'true' },
    });
    expect(rehearsed.body.data.total_cents).to.equal(price.total_cents);
    const answer = await tenant.client.post('/invoices', body);
    expect(answer.status, answer.text).to.equal(201);
    expect(told(answer.body.line_items)).to.deep.equal(told(price.line_items));
    const order = (await tenant.client.get(`/work-orders/${job}`)).body;
    expect(answer.body).to.include({
      ...{ status: 'draft', customer_id: customer.id, work_order_id: job, notes: 'mine' },
      ...{ vehicle_description: '2019 Honda Accord VIN V1', service_date: order.completion_time },
      ...{ subtotal_cents: price.subtotal_cents, tax_cents: price.tax_cents, total_cents: price.total_cents },
    });
    expect(order.billing_status).to.equal('invoiced');
    const given = {
      customer_id: null,
      vehicle_description: 'Theirs',
      service_date: '2026-01-01T00:00:00.000Z',
    };
    const other = await completedJob(tenant.client, { facts: { customer_id: customer.id } });
    const kept = await tenant.client.post('/invoices', {
      invoice_number: number(),
      work_order_id: other,
      ...given,
    });
    expect(kept.body).to.include(given);
  });

  it('leaves invoices alone that bring lines, an empty list of lines or no job, and accounts without a card', async () => {
    const tenant = await account();
    const bare = await completedJob(tenant.client);
    const pending = (await tenant.client.post('/work-orders', { service_type: 'tow' })).body.id;
    const made = async (body: Record<string, unknown>): Promise<Answer['body']> => {
      const answer = await tenant.client.post('/invoices', { invoice_number: number(), ...body });
      expect(answer.status, answer.text).to.equal(201);
      return answer.body;
    };
    for (const job of [bare, pending]) {
      expect(await made({ work_order_id: job })).to.deep.include({ line_items: [], customer_id: null });
    }
    await makeCard(tenant.client, { is_default: true });
    expect((await made({ work_order_id: bare, line_items: [] })).line_items).to.deep.equal([]);
    expect((await made({ work_order_id: pending, line_items: [lineItem()] })).total_cents).to.equal(10_000);
    expect((await made({})).line_items).to.deep.equal([]);
    // An empty draft is no charge: the job may still be priced.
    expect((await made({ work_order_id: bare })).subtotal_cents).to.equal(10_875);
  });

  it('costs invoices that ask for none no statement, and finds what it needs by keys', async () => {
    const tenant = await account();
    const names: (string | undefined)[] = [];
    const plain = commandOf('invoice.create', tenant.id, {
      invoice_number: number(),
      line_items: [lineItem({ taxable: true })],
    });
    await stack.runtime.db.rehearse([tenant.id], (tx) =>
      createInvoices(
        {
          ...tx,
          query: (statement) => {
            names.push(statement.name);
            return tx.query(statement);
          },
        },
        [plain as Command<InvoiceCreate>],
      ),
    );
    expect(names).to.deep.equal(['tax-rates', 'insert-invoices', 'insert-invoice-lines']);
    const { text, values } = jobFactsStatement([
      { tenant_id: tenant.id, id: UNKNOWN_ID, customer_id: null, of_job: true },
    ]);
    const plan = await stack.runtime.db.read<{ 'QUERY PLAN': string }>(tenant.id, {
      text: `explain ${text}`,
      ...(values ? { values } : {}),
    });
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).to.not.include('Seq Scan');
  });

  it('is the same for a job that is billed by many at once: one invoice has its charges, the others are 409', async () => {
    const tenant = await account();
    await makeCard(tenant.client, { is_default: true });
    const job = await completedJob(tenant.client);
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        tenant.client.post('/invoices', { invoice_number: number(), work_order_id: job }),
      ),
    );
    expect(answers.filter(({ status }) => status === 201)).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expect(expectError(answer, 409, 'conflict')[0]).to.include({ code: 'invoiced' });
    // And of those that travel in one batch.
    const other = await completedJob(tenant.client);
    const batch = Array.from({ length: 3 }, () =>
      commandOf('invoice.create', tenant.id, { invoice_number: number(), work_order_id: other }),
    );
    const context = batchContextOf(stack.runtime);
    const results = await runIsolated(context, batch);
    expect(results.map(({ ok }) => ok)).to.have.members([true, false, false]);
    const [invoice] = (await tenant.client.get('/invoices')).body.data.items;
    await tenant.client.post(`/invoices/${invoice.id}/cancel`, { reason: 'wrong' });
    const { work_order_id } = (await tenant.client.get(`/invoices/${invoice.id}`)).body;
    const again = await tenant.client.post('/invoices', { invoice_number: number(), work_order_id });
    expect(again.body.total_cents, again.text).to.equal(invoice.total_cents);
  });

  it('is refused by name while the job is not completed, was called off, or nothing fits', async () => {
    const tenant = await account();
    await makeCard(tenant.client, { is_default: true, items: [cardItem({ service_type: 'lockout' })] });
    const ask = (job: string) =>
      tenant.client.post('/invoices', { invoice_number: number(), work_order_id: job });
    const pending = await jobAfter(tenant.client, ['assign']);
    const message = expectError(await ask(pending), 409, 'conflict')[0];
    expect(message).to.include({ field: 'work_order_id', code: 'not_completed' });
    expect(message?.message).to.match(/^WO-\d+ is dispatched/);
    const done = await completedJob(tenant.client);
    expect(expectError(await ask(done), 409, 'conflict')[0]).to.include({ code: 'nothing_fits' });
    expectError(await tenant.client.post(`/work-orders/${done}/price`), 409, 'conflict');
    const off = await jobAfter(tenant.client, []);
    await tenant.client.post(`/work-orders/${off}/cancel`, { reason: 'customer' });
    expect(expectError(await ask(off), 409, 'conflict')[0]).to.include({ code: 'not_completed' });
    expect(expectError(await tenant.client.post(`/work-orders/${off}/price`), 409, 'conflict')[0]).to.include(
      {
        code: 'not_billable',
      },
    );
    for (const id of [UNKNOWN_ID, 'x'])
      expectError(await tenant.client.post(`/work-orders/${id}/price`), 404, 'not_found');
  });

  it('of a job that came for nothing is its goa charge', async () => {
    const tenant = await account();
    const goa = cardItem({ category: 'goa', unit_price_cents: 4000 });
    await makeCard(tenant.client, { is_default: true, items: [cardItem(), goa] });
    for (const reason of ['goa', 'unsuccessful']) {
      const job = await jobAfter(tenant.client, ['assign', 'start']);
      await tenant.client.post(`/work-orders/${job}/cancel`, { reason });
      const invoice = await tenant.client.post('/invoices', { invoice_number: number(), work_order_id: job });
      expect(told(invoice.body.line_items), invoice.text).to.deep.equal(['goa 1 × 4000 = 4000']);
    }
  });

  it("is by the customer's card, whichever version it names, else by the default one, and by the rates of the customer", async () => {
    const tenant = await account({ taxRateBps: 1000 });
    await makeCard(tenant.client, { is_default: true, items: [cardItem({ unit_price_cents: 100 })] });
    const club = await makeCard(tenant.client, { items: [cardItem({ unit_price_cents: 200 })] });
    await makeCard(tenant.client, {
      ...{ name: club.name, effective_from: '2021-01-01', items: [cardItem({ unit_price_cents: 300 })] },
    });
    const body = { company_name: 'Club', rate_card_id: club.id, tax_exempt: true };
    const customer = (await tenant.client.post('/customers', body)).body;
    const priced = async (customer_id: string | null) =>
      (await priceOf(tenant, await completedJob(tenant.client, { facts: { customer_id } }))).total_cents;
    expect(await priced(customer.id)).to.equal(300);
    expect(await priced(null)).to.equal(110);
    const own = await completedJob(tenant.client);
    const answer = await tenant.client.post('/invoices', {
      ...{ invoice_number: number(), work_order_id: own, customer_id: customer.id },
    });
    expect(answer.body.total_cents, "an invoice's own customer counts").to.equal(300);
  });

  it('is by the version in force on the day of completion, in the time zone of the account', async () => {
    const tenant = await account({ timeZone: 'America/Los_Angeles' });
    const old = await makeCard(tenant.client, {
      is_default: true,
      items: [cardItem({ unit_price_cents: 100 })],
    });
    await makeCard(tenant.client, {
      ...{ name: old.name, effective_from: '2026-07-01', items: [cardItem({ unit_price_cents: 200 })] },
    });
    const at = async (time: string) =>
      (await priceOf(tenant, await completedJob(tenant.client, { at: time }))).total_cents;
    expect(await at('2026-07-01T06:59:59Z'), 'still the last day of June there').to.equal(100);
    expect(await at('2026-07-01T07:00:00Z')).to.equal(200);
    expectError(
      await tenant.client.post(
        `/work-orders/${await completedJob(tenant.client, { at: '2019-12-31T00:00:00Z' })}/price`,
      ),
      409,
      'conflict',
    );
  });

  it('has what is for after hours when the job was sent out then, by the clock of the account', async () => {
    const tenant = await account({ timeZone: 'America/New_York' });
    const job = await completedJob(tenant.client);
    const isAfter = async (dispatched: string) => {
      await setJob(tenant, job, { dispatch_time: dispatched });
      return (await priceOf(tenant, job)).is_after_hours;
    };
    const { name } = await makeCard(tenant.client, { is_default: true, items: [cardItem(), NIGHT] });
    // Wednesday; New York is five hours behind in winter, four in summer.
    const times: [string, boolean][] = [
      ['2026-01-14T22:59:59Z', false],
      ['2026-01-14T23:00:00Z', true],
      ['2026-01-15T12:59:59Z', true],
      ['2026-01-15T13:00:00Z', false],
      ['2026-07-15T21:59:59Z', false],
      ['2026-07-15T22:00:00Z', true],
      ['2026-01-17T17:00:00Z', true],
      ['2026-01-19T04:59:59Z', true],
    ];
    for (const [time, expected] of times) expect(await isAfter(time), time).to.equal(expected);
    expect(told((await priceOf(tenant, job)).line_items)).to.include('after_hours 1 × 5000 = 5000');
    const day = { start: '12:00', end: '14:00', weekends: false };
    await makeCard(tenant.client, { name, items: [cardItem(), NIGHT], after_hours_window: day });
    const noon: [string, boolean][] = [
      ['2026-01-14T16:59:59Z', false],
      ['2026-01-14T17:00:00Z', true],
      ['2026-01-17T19:00:00Z', false],
    ];
    for (const [time, expected] of noon) expect(await isAfter(time), time).to.equal(expected);
  });
});
