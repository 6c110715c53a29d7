import { expect } from 'chai';
import { newId } from '../../../../shared/platform/ids.js';
import { connectAgent, type TestAgent } from '../../../support/agents/agent.js';
import type { Json } from '../../../support/client.js';
import { useAccountPerTest } from '../../../support/records/accounts.js';
import {
  buildRateCardItem,
  createCompletedWorkOrder,
  MILEAGE_ITEM,
  makeRateCard,
} from '../../../support/records/priced-work-orders.js';
import { invoiceInput } from '../../../support/records/samples.js';
import type { TestStack, TestTenant } from '../../../support/stack.js';

const LINE_ITEM = {
  name: 'Tow',
  category: 'tow',
  quantity: 1.5,
  unit_type: 'hour',
  unit_price_cents: 333,
  taxable: true,
};
const invoiceNumber = (n: number) => `INV-${String(n).padStart(6, '0')}`;

describe('create_invoice_draft', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let agent: TestAgent;

  useAccountPerTest(
    async (account) => {
      ({ stack, tenant } = account);
      agent = await connectAgent(stack, tenant);
      return () => agent.client.close();
    },
    { account: ['Drafts', { taxRateBps: 1_000 }] },
  );

  const createWorkOrder = async (body: Record<string, unknown> = {}, of = tenant) =>
    (await of.client.post('/work-orders', { service_type: 'tow', ...body })).body.id as string;
  const createDraft = (
    work_order_id: string,
    more: Record<string, unknown> = {},
    by = agent,
  ): Promise<Json> => by.callOk('create_invoice_draft', { work_order_id, line_items: [LINE_ITEM], ...more });
  const useInvoiceNumber = async (invoice_number: string) => {
    const drafted = await tenant.client.post('/invoices', invoiceInput({ invoice_number }));
    expect(drafted.status, drafted.text).to.equal(201);
  };

  it('create_invoice_draft takes the next invoice number of its account', async () => {
    const id = await createWorkOrder();
    expect((await createDraft(id)).invoice_number).to.equal(invoiceNumber(1));
    expect((await createDraft(id)).invoice_number).to.equal(invoiceNumber(2));
    const other = await stack.createTenant();
    const neighbour = await connectAgent(stack, other);
    expect((await createDraft(await createWorkOrder({}, other), {}, neighbour)).invoice_number).to.equal(
      invoiceNumber(1),
    );
    await neighbour.client.close();
  });

  it('create_invoice_draft skips numbers in use, whatever their case, and continues after them', async () => {
    const id = await createWorkOrder();
    await useInvoiceNumber('INV-000001');
    await useInvoiceNumber('inv-000002');
    expect((await createDraft(id)).invoice_number).to.equal(invoiceNumber(3));
    for (let n = 4; n <= 13; n += 1) await useInvoiceNumber(invoiceNumber(n));
    const { invoice_number } = await createDraft(id);
    expect(Number(invoice_number.slice(4))).to.be.within(14, 24);
    expect((await createDraft(id)).invoice_number).to.equal(
      invoiceNumber(Number(invoice_number.slice(4)) + 1),
    );
  });

  it('concurrent drafts in two accounts get distinct invoice numbers per account', async () => {
    const other = await stack.createTenant();
    const neighbour = await connectAgent(stack, other);
    const more = await Promise.all([1, 2, 3].map(() => connectAgent(stack, tenant)));
    await useInvoiceNumber(invoiceNumber(5));
    const [ownWorkOrder, foreignWorkOrder] = [await createWorkOrder(), await createWorkOrder({}, other)];
    const workOrderIds = await Promise.all(Array.from({ length: 12 }, () => createWorkOrder()));
    const drafted = await Promise.all([
      ...workOrderIds.map((id, index) => createDraft(id, {}, [agent, ...more][index % 4])),
      ...workOrderIds.map(() => createDraft(foreignWorkOrder, {}, neighbour)),
      createDraft(ownWorkOrder),
    ]);
    const numbers = (of: Json[]) => of.map(({ invoice_number }) => invoice_number).sort();
    const ownNumbers = numbers([...drafted.slice(0, 12), drafted[24]]);
    expect(new Set(ownNumbers).size).to.equal(13);
    expect(ownNumbers).to.not.include(invoiceNumber(5));
    expect(Number(ownNumbers.at(-1)?.slice(4))).to.be.within(14, 20);
    expect(numbers(drafted.slice(12, 24))).to.deep.equal(
      Array.from({ length: 12 }, (_, i) => invoiceNumber(i + 1)),
    );
    await Promise.all([neighbour, ...more].map(({ client }) => client.close()));
  });

  it('refused drafts and dry runs of create_invoice_draft use no invoice number', async () => {
    const id = await createWorkOrder();
    const negativeLineItem = { ...LINE_ITEM, category: 'discount', unit_price_cents: -5 };
    for (const [code, args] of [
      ['validation_error', { work_order_id: newId() }],
      ['validation_error', { work_order_id: id, line_items: [negativeLineItem] }],
    ] as [string, Record<string, unknown>][])
      expect((await agent.callRefused('create_invoice_draft', args)).code).to.equal(code);
    await createDraft(id, { dry_run: true });
    expect((await createDraft(id)).invoice_number).to.equal(invoiceNumber(1));
    // Every second draft is refused, because its line item is negative.
    const drafted = await Promise.all(
      Array.from({ length: 6 }, (_, index) =>
        agent.call('create_invoice_draft', {
          work_order_id: id,
          line_items: [index % 2 ? negativeLineItem : LINE_ITEM],
        }),
      ),
    );
    expect(drafted.filter(({ isError }) => isError)).to.have.length(3);
    expect((await createDraft(id)).invoice_number).to.equal(invoiceNumber(5));
  });

  it('create_invoice_draft copies customer, vehicle and billing e-mail from the work order and links it', async () => {
    const customer_id = (await tenant.client.post('/customers', { company_name: 'C' })).body.id;
    const { id } = await agent.callOk('create_work_order', {
      service_type: 'tow',
      customer_id,
      vin: '1HGCM82633A004352',
      unit_number: '7',
      billing_email: 'ap@example.com',
    });
    const drafted = await createDraft(id, { notes: 'Seen' });
    expect(drafted).to.include({
      status: 'draft',
      work_order_id: id,
      customer_id,
      billing_email: 'ap@example.com',
    });
    expect(drafted).to.include({ vehicle_description: 'VIN 1HGCM82633A004352 unit 7', notes: 'Seen' });
    // 1.5 × 333 = 499.5, rounded half away from zero to 500, plus 10 % tax.
    expect([drafted.subtotal_cents, drafted.tax_cents, drafted.total_cents]).to.deep.equal([500, 50, 550]);
    expect(drafted.line_items[0]).to.include({ total_cents: 500, taxable: true });
    expect((await createDraft(id, { billing_email: 'other@example.com' })).billing_email).to.equal(
      'other@example.com',
    );
    expect((await tenant.client.get(`/work-orders/${id}`)).body.billing_status).to.equal('invoiced');
    const empty = await agent.callOk('create_invoice_draft', { work_order_id: id });
    expect(empty).to.include({ customer_id, billing_email: 'ap@example.com', total_cents: 0 });
  });

  it('create_invoice_draft without line items prices the work order from the rate card', async () => {
    const customer_id = (await tenant.client.post('/customers', { company_name: 'C' })).body.id;
    await makeRateCard(tenant.client, { is_default: true, items: [buildRateCardItem(), MILEAGE_ITEM] });
    const id = await createCompletedWorkOrder(tenant.client, { facts: { customer_id } });
    const drafted = await agent.callOk('create_invoice_draft', { work_order_id: id });
    expect(drafted.line_items.map((line: Json) => line.category)).to.deep.equal(['hook_up', 'mileage']);
    const { completion_time } = (await tenant.client.get(`/work-orders/${id}`)).body;
    expect(drafted).to.include({
      customer_id,
      service_date: completion_time,
      invoice_number: invoiceNumber(1),
    });
    const twice = await agent.callRefused('create_invoice_draft', { work_order_id: id });
    expect([twice.code, twice.details[0].code]).to.deep.equal(['conflict', 'invoiced']);
  });

  it('create_invoice_draft for an open or cancelled work order needs line items', async () => {
    await makeRateCard(tenant.client, { is_default: true });
    const id = await createWorkOrder();
    const open = await agent.callRefused('create_invoice_draft', { work_order_id: id });
    expect([open.code, open.details[0].code]).to.deep.equal(['conflict', 'not_completed']);
    expect((await tenant.client.post(`/work-orders/${id}/cancel`, { reason: 'customer' })).status).to.equal(
      200,
    );
    expect((await agent.callRefused('create_invoice_draft', { work_order_id: id })).code).to.equal(
      'conflict',
    );
    expect((await createDraft(id)).invoice_number, 'a person decides on what is charged for it').to.equal(
      invoiceNumber(1),
    );
  });
});
