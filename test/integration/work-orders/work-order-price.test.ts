import { expect } from 'chai';
import { buildPricingFactsQuery } from '../../../shared/billing/pricing-facts.js';
import type { Command } from '../../../shared/contracts/command.js';
import type { InvoiceCreate } from '../../../shared/contracts/generated.js';
import { createInvoices } from '../../../shared/resources/invoices/handlers/create-handler.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import type { TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { createWorkOrderAfter } from '../../support/records/lifecycle-records.js';
import {
  buildRateCardItem,
  createCompletedWorkOrder,
  MILEAGE_ITEM,
  makeRateCard,
} from '../../support/records/priced-work-orders.js';
import { lineItem, UNKNOWN_ID } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { buildCommand } from '../../support/writes/commands.js';

let serial = 0;
const nextInvoiceNumber = () => {
  serial += 1;
  return `PRICED-${serial}`;
};
const NIGHT = buildRateCardItem({
  name: 'Night',
  category: 'after_hours',
  unit_price_cents: 5000,
  after_hours: true,
});

describe('price of a work order by its rate card', () => {
  const stack = useStack();

  /** Creates a separate account, so that default rate cards of other tests do not apply. */
  const createAccount = (settings = {}): Promise<TestTenant> => stack.createTenant('Priced', settings);
  const postInvoice = ({ client }: TestTenant, body: Record<string, unknown>) =>
    client.post('/invoices', { invoice_number: nextInvoiceNumber(), ...body });
  const makeDefaultCard = ({ client }: TestTenant, items: Record<string, unknown>[]) =>
    makeRateCard(client, { is_default: true, items });
  const formatLineItems = (lineItems: TestResponse['body'][]): string[] =>
    lineItems.map(
      (item) => `${item.category} ${item.quantity} × ${item.unit_price_cents} = ${item.total_cents}`,
    );
  const getPrice = async ({ client }: TestTenant, id: string): Promise<TestResponse['body']> => {
    const response = await client.post(`/work-orders/${id}/price`);
    expect(response.status, response.text).to.equal(200);
    return response.body;
  };
  const updateWorkOrder = (tenant: TestTenant, id: string, columns: Record<string, string>) =>
    stack.rows(
      tenant.id,
      `update work_orders set ${Object.entries(columns).map(([name, value]) => `${name} = '${value}'`)} where tenant_id = $1 and id = $2`,
      [tenant.id, id],
    );

  it('POST /work-orders/{id}/price previews line items, tax, card and reasons, and stores nothing', async () => {
    const tenant = await createAccount({ taxRateBps: 825 });
    const card = await makeDefaultCard(tenant, [buildRateCardItem(), MILEAGE_ITEM, NIGHT]);
    const workOrderId = await createCompletedWorkOrder(tenant.client);
    await updateWorkOrder(tenant, workOrderId, {
      dispatch_time: '2026-11-18T17:00:00Z',
      completion_time: '2026-11-18T18:00:00Z',
    });
    const before = (await tenant.client.get(`/work-orders/${workOrderId}`)).text;
    const price = await getPrice(tenant, workOrderId);
    expect(formatLineItems(price.line_items)).to.deep.equal([
      'hook_up 1 × 7500 = 7500',
      'mileage 7.5 × 450 = 3375',
    ]);
    expect(price).to.deep.include({
      work_order_id: workOrderId,
      customer_id: null,
      is_after_hours: false,
      is_invoiced: false,
      rate_card: { id: card.id, name: card.name, effective_from: '2020-01-01' },
      subtotal_cents: 10_875,
      tax_rate_bps: 825,
      tax_cents: 897,
      total_cents: 11_772,
    });
    expect(price.explanation.map((one: { reason: string }) => one.reason)).to.deep.equal([
      '1 flat',
      '12.5 mile, 5 of them included',
      'not after hours',
    ]);
    const dry = await tenant.client.post(
      `/work-orders/${workOrderId}/price`,
      {},
      { headers: { 'x-service-dry-run': 'true' } },
    );
    expect(dry.body).to.deep.equal({ ok: true, dry_run: true, data: price, warnings: [] });
    expect((await tenant.client.get(`/work-orders/${workOrderId}`)).text).to.equal(before);
    expect((await tenant.client.get('/invoices')).body.data.count).to.equal(0);
    const posted = await postInvoice(tenant, { line_items: price.line_items });
    expect(posted.body.total_cents, 'POST /invoices accepts these line items').to.equal(price.total_cents);
  });

  it('POST /invoices without line items bills a completed work order and copies its customer, vehicle and date', async () => {
    const tenant = await createAccount({ taxRateBps: 825 });
    await makeRateCard(tenant.client, { is_default: true });
    const customer = (await tenant.client.post('/customers', { company_name: 'Club' })).body;
    const vehicle = { make: 'Honda', model: 'Accord', year: 2019 };
    const workOrderId = await createCompletedWorkOrder(tenant.client, {
      facts: { customer_id: customer.id, vehicle, vin: 'V1' },
    });
    const price = await getPrice(tenant, workOrderId);
    const body = { invoice_number: nextInvoiceNumber(), work_order_id: workOrderId, notes: 'mine' };
    const rehearsed = await tenant.client.post('/invoices', body, {
      headers: { 'x-service-dry-run': 'true' },
    });
    expect(rehearsed.body.data.total_cents).to.equal(price.total_cents);
    const response = await tenant.client.post('/invoices', body);
    expect(response.status, response.text).to.equal(201);
    expect(formatLineItems(response.body.line_items)).to.deep.equal(formatLineItems(price.line_items));
    const workOrder = (await tenant.client.get(`/work-orders/${workOrderId}`)).body;
    expect(response.body).to.include({
      status: 'draft',
      customer_id: customer.id,
      work_order_id: workOrderId,
      notes: 'mine',
      vehicle_description: '2019 Honda Accord VIN V1',
      service_date: workOrder.completion_time,
      subtotal_cents: price.subtotal_cents,
      tax_cents: price.tax_cents,
      total_cents: price.total_cents,
    });
    expect(workOrder.billing_status).to.equal('invoiced');
    const given = {
      customer_id: null,
      vehicle_description: 'Theirs',
      service_date: '2026-01-01T00:00:00.000Z',
    };
    const other = await createCompletedWorkOrder(tenant.client, { facts: { customer_id: customer.id } });
    const kept = await postInvoice(tenant, { work_order_id: other, ...given });
    expect(kept.body).to.include(given);
  });

  it('POST /invoices prices nothing with line_items, even empty ones, without a work order or without a rate card', async () => {
    const tenant = await createAccount();
    const completedId = await createCompletedWorkOrder(tenant.client);
    const pendingId = (await tenant.client.post('/work-orders', { service_type: 'tow' })).body.id;
    const createInvoice = async (body: Record<string, unknown>): Promise<TestResponse['body']> => {
      const response = await postInvoice(tenant, body);
      expect(response.status, response.text).to.equal(201);
      return response.body;
    };
    for (const workOrderId of [completedId, pendingId]) {
      expect(await createInvoice({ work_order_id: workOrderId })).to.deep.include({
        line_items: [],
        customer_id: null,
      });
    }
    await makeRateCard(tenant.client, { is_default: true });
    expect((await createInvoice({ work_order_id: completedId, line_items: [] })).line_items).to.deep.equal(
      [],
    );
    expect(
      (await createInvoice({ work_order_id: pendingId, line_items: [lineItem()] })).total_cents,
    ).to.equal(10_000);
    expect((await createInvoice({})).line_items).to.deep.equal([]);
    // The empty draft above bills nothing, so another invoice can still charge the work order.
    expect((await createInvoice({ work_order_id: completedId })).subtotal_cents).to.equal(10_875);
  });

  it('an invoice without pricing runs no pricing query, and the pricing query uses indexes', async () => {
    const tenant = await createAccount();
    const names: (string | undefined)[] = [];
    const plain = buildCommand('invoice.create', tenant.id, {
      invoice_number: nextInvoiceNumber(),
      line_items: [lineItem({ taxable: true })],
    });
    await stack.runtime.db.runAndRollBack([tenant.id], (tx) =>
      createInvoices(
        {
          ...tx,
          query: (query) => {
            names.push(query.name);
            return tx.query(query);
          },
        },
        [plain as Command<InvoiceCreate>],
      ),
    );
    expect(names).to.deep.equal(['tax-rates', 'insert-invoices', 'insert-invoice-lines']);
    const { text, values } = buildPricingFactsQuery([
      { tenant_id: tenant.id, id: UNKNOWN_ID, customer_id: null, of_job: true },
    ]);
    const plan = await stack.runtime.db.read<{ 'QUERY PLAN': string }>(tenant.id, {
      text: `explain ${text}`,
      ...(values ? { values } : {}),
    });
    expect(plan.map((row) => row['QUERY PLAN']).join('\n')).to.not.include('Seq Scan');
  });

  it('of several concurrent invoices for one work order, one has its charges and the others are 409', async () => {
    const tenant = await createAccount();
    await makeRateCard(tenant.client, { is_default: true });
    const workOrderId = await createCompletedWorkOrder(tenant.client);
    const responses = await Promise.all(
      Array.from({ length: 8 }, () => postInvoice(tenant, { work_order_id: workOrderId })),
    );
    expect(responses.filter(({ status }) => status === 201)).to.have.length(1);
    for (const response of responses.filter(({ status }) => status !== 201))
      expect(expectError(response, 409, 'conflict')[0]).to.include({ code: 'invoiced' });
    // The commands of one batch also exclude each other: exactly one succeeds.
    const other = await createCompletedWorkOrder(tenant.client);
    const batch = Array.from({ length: 3 }, () =>
      buildCommand('invoice.create', tenant.id, {
        invoice_number: nextInvoiceNumber(),
        work_order_id: other,
      }),
    );
    const context = createBatchContext(stack.runtime);
    const results = await runIsolated(context, batch);
    expect(results.map(({ ok }) => ok)).to.have.members([true, false, false]);
    const [invoice] = (await tenant.client.get('/invoices')).body.data.items;
    await tenant.client.post(`/invoices/${invoice.id}/cancel`, { reason: 'wrong' });
    const { work_order_id } = (await tenant.client.get(`/invoices/${invoice.id}`)).body;
    const again = await postInvoice(tenant, { work_order_id });
    expect(again.body.total_cents, again.text).to.equal(invoice.total_cents);
  });

  it('pricing is 409 with a reason if the work order is not completed, is cancelled or fits no card item', async () => {
    const tenant = await createAccount();
    await makeDefaultCard(tenant, [buildRateCardItem({ service_type: 'lockout' })]);
    const createInvoice = (workOrderId: string) => postInvoice(tenant, { work_order_id: workOrderId });
    const pendingId = await createWorkOrderAfter(tenant.client, ['assign']);
    const problem = expectError(await createInvoice(pendingId), 409, 'conflict')[0];
    expect(problem).to.include({ field: 'work_order_id', code: 'not_completed' });
    expect(problem?.message).to.match(/^WO-\d+ is dispatched/);
    const completedId = await createCompletedWorkOrder(tenant.client);
    expect(expectError(await createInvoice(completedId), 409, 'conflict')[0]).to.include({
      code: 'nothing_fits',
    });
    expectError(await tenant.client.post(`/work-orders/${completedId}/price`), 409, 'conflict');
    const cancelledId = await createWorkOrderAfter(tenant.client, []);
    await tenant.client.post(`/work-orders/${cancelledId}/cancel`, { reason: 'customer' });
    expect(expectError(await createInvoice(cancelledId), 409, 'conflict')[0]).to.include({
      code: 'not_completed',
    });
    expect(
      expectError(await tenant.client.post(`/work-orders/${cancelledId}/price`), 409, 'conflict')[0],
    ).to.include({
      code: 'not_billable',
    });
    for (const id of [UNKNOWN_ID, 'x'])
      expectError(await tenant.client.post(`/work-orders/${id}/price`), 404, 'not_found');
  });

  it('a work order cancelled as goa or unsuccessful is priced by the goa item', async () => {
    const tenant = await createAccount();
    const goa = buildRateCardItem({ category: 'goa', unit_price_cents: 4000 });
    await makeDefaultCard(tenant, [buildRateCardItem(), goa]);
    for (const reason of ['goa', 'unsuccessful']) {
      const workOrderId = await createWorkOrderAfter(tenant.client, ['assign', 'start']);
      await tenant.client.post(`/work-orders/${workOrderId}/cancel`, { reason });
      const invoice = await postInvoice(tenant, { work_order_id: workOrderId });
      expect(formatLineItems(invoice.body.line_items), invoice.text).to.deep.equal(['goa 1 × 4000 = 4000']);
    }
  });

  it("a price uses the current version of the customer's rate card, else the default card, and the customer's tax", async () => {
    const tenant = await createAccount({ taxRateBps: 1000 });
    await makeDefaultCard(tenant, [buildRateCardItem({ unit_price_cents: 100 })]);
    const club = await makeRateCard(tenant.client, { items: [buildRateCardItem({ unit_price_cents: 200 })] });
    await makeRateCard(tenant.client, {
      name: club.name,
      effective_from: '2021-01-01',
      items: [buildRateCardItem({ unit_price_cents: 300 })],
    });
    const body = { company_name: 'Club', rate_card_id: club.id, tax_exempt: true };
    const customer = (await tenant.client.post('/customers', body)).body;
    const getTotalFor = async (customer_id: string | null) =>
      (await getPrice(tenant, await createCompletedWorkOrder(tenant.client, { facts: { customer_id } })))
        .total_cents;
    expect(await getTotalFor(customer.id)).to.equal(300);
    expect(await getTotalFor(null)).to.equal(110);
    const own = await createCompletedWorkOrder(tenant.client);
    const response = await postInvoice(tenant, { work_order_id: own, customer_id: customer.id });
    expect(response.body.total_cents, "an invoice's own customer counts").to.equal(300);
  });

  it("a price uses the card version in force on the completion day in the account's time zone", async () => {
    const tenant = await createAccount({ timeZone: 'America/Los_Angeles' });
    const old = await makeDefaultCard(tenant, [buildRateCardItem({ unit_price_cents: 100 })]);
    await makeRateCard(tenant.client, {
      name: old.name,
      effective_from: '2026-07-01',
      items: [buildRateCardItem({ unit_price_cents: 200 })],
    });
    const getTotalAt = async (time: string) =>
      (await getPrice(tenant, await createCompletedWorkOrder(tenant.client, { at: time }))).total_cents;
    expect(await getTotalAt('2026-07-01T06:59:59Z'), 'still the last day of June there').to.equal(100);
    expect(await getTotalAt('2026-07-01T07:00:00Z')).to.equal(200);
    expectError(
      await tenant.client.post(
        `/work-orders/${await createCompletedWorkOrder(tenant.client, { at: '2019-12-31T00:00:00Z' })}/price`,
      ),
      409,
      'conflict',
    );
  });

  it("after-hours items apply if the work order was dispatched after hours in the account's time zone", async () => {
    const tenant = await createAccount({ timeZone: 'America/New_York' });
    const workOrderId = await createCompletedWorkOrder(tenant.client);
    const isAfter = async (dispatched: string) => {
      await updateWorkOrder(tenant, workOrderId, { dispatch_time: dispatched });
      return (await getPrice(tenant, workOrderId)).is_after_hours;
    };
    const { name } = await makeDefaultCard(tenant, [buildRateCardItem(), NIGHT]);
    // 14 January 2026 is a Wednesday. New York is at UTC-5 in winter and UTC-4 in summer.
    const winterAndSummer: [string, boolean][] = [
      ['2026-01-14T22:59:59Z', false],
      ['2026-01-14T23:00:00Z', true],
      ['2026-01-15T12:59:59Z', true],
      ['2026-01-15T13:00:00Z', false],
      ['2026-07-15T21:59:59Z', false],
      ['2026-07-15T22:00:00Z', true],
      ['2026-01-17T17:00:00Z', true],
      ['2026-01-19T04:59:59Z', true],
    ];
    for (const [time, expected] of winterAndSummer) expect(await isAfter(time), time).to.equal(expected);
    expect(formatLineItems((await getPrice(tenant, workOrderId)).line_items)).to.include(
      'after_hours 1 × 5000 = 5000',
    );
    const day = { start: '12:00', end: '14:00', weekends: false };
    await makeRateCard(tenant.client, { name, items: [buildRateCardItem(), NIGHT], after_hours_window: day });
    const noon: [string, boolean][] = [
      ['2026-01-14T16:59:59Z', false],
      ['2026-01-14T17:00:00Z', true],
      ['2026-01-17T19:00:00Z', false],
    ];
    for (const [time, expected] of noon) expect(await isAfter(time), time).to.equal(expected);
  });
});
