import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import {
  createCompletedWorkOrder,
  MILEAGE_ITEM,
  makeRateCard,
} from '../../support/records/priced-work-orders.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { runBillingWatch } from '../../support/records/suggestions.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('suggestions about what a customer does not cover', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Covered Towing', { timeZone: 'UTC' });

  const createClub = async (coverage: Json | null, fields: Json = {}): Promise<string> => {
    const body = {
      company_name: 'Tri-State Club',
      company_type: 'motor_club',
      tax_rate_bps: 825,
      coverage,
      ...fields,
    };
    const club = await tenant.client.post('/customers', body);
    expect(club.status, club.text).to.equal(201);
    return club.body.id;
  };
  const completeFor = (customerId: string) =>
    createCompletedWorkOrder(tenant.client, { facts: { customer_id: customerId } });
  const mileage = (quantity: number) => ({
    name: 'Loaded miles',
    category: 'mileage',
    quantity,
    unit_type: 'mile',
    unit_price_cents: 450,
  });
  const createInvoice = async (customerId: string, workOrderId: string, miles: number): Promise<Json> => {
    const body = invoiceInput({
      customer_id: customerId,
      work_order_id: workOrderId,
      billing_email: 'b@example.com',
      line_items: [
        lineItem({
          category: 'tow',
          quantity: 1,
          unit_type: 'flat',
          unit_price_cents: 10_000,
          taxable: true,
        }),
        lineItem({ ...mileage(miles), taxable: false }),
      ],
    });
    const invoice = await tenant.client.post('/invoices', body);
    expect(invoice.status, invoice.text).to.equal(201);
    return invoice.body;
  };
  const find = async (invoiceId: string, status = 'open'): Promise<Json[]> => {
    await runBillingWatch(stack);
    const { body } = await tenant.client.get(
      `/suggestions?invoice_id=${invoiceId}&status=${status}&detector=beyond_coverage`,
    );
    return body.data.items;
  };
  const setCoverage = async (customerId: string, coverage: Json | null) => {
    const result = await tenant.client.patch(`/customers/${customerId}`, { coverage });
    expect(result.status, result.text).to.equal(200);
  };
  const accept = (suggestion: Json | undefined) =>
    tenant.client.post(`/suggestions/${suggestion?.id}/accept`, {});

  it('accepting takes the miles and the amount beyond off the invoice, and tax is calculated again', async () => {
    const club = await createClub({ loaded_miles: 10, amount_cents: 13_000 });
    const invoice = await createInvoice(club, await completeFor(club), 30);
    const [found, ...rest] = await find(invoice.id);
    expect(rest).to.deep.equal([]);
    expect(found).to.deep.include({
      kind: 'anomaly',
      entity_type: 'invoice',
      title: 'More is billed than the customer covers',
      amount_cents: 10_500,
      rationale:
        '$235.00 before tax are billed. The customer covers 10 loaded miles of a work order; 30 are billed here: 20 miles for $90.00 are beyond. The customer covers $130.00 of a work order. Beyond the coverage are $105.00. Accepting takes them off this invoice; charge them to the motorist.',
    });
    const accepted = await accept(found);
    expect(accepted.status, accepted.text).to.equal(200);
    const { body: after } = await tenant.client.get(`/invoices/${invoice.id}`);
    // Of the 15 dollars beyond the amount, 100 of 145 dollars are taxable: 10.34 dollars.
    expect(
      after.line_items.slice(-3).map(({ total_cents, taxable }: Json) => [total_cents, taxable]),
    ).to.deep.equal([
      [-9_000, false],
      [-1_034, true],
      [-466, false],
    ]);
    expect(after).to.include({ subtotal_cents: 13_000, tax_cents: 740, total_cents: 13_740 });
    expect(await find(invoice.id)).to.deep.equal([]);
  });

  it('a suggestion of an invoice that has changed since is refused, and the next scan replaces it', async () => {
    const club = await createClub({ loaded_miles: 10 });
    const invoice = await createInvoice(club, await completeFor(club), 30);
    const [stale] = await find(invoice.id);
    const lines = [lineItem({ ...mileage(20), taxable: false })];
    await tenant.client.patch(`/invoices/${invoice.id}`, { line_items: lines });
    const refused = await accept(stale);
    expect(refused.status, refused.text).to.equal(409);
    expect(refused.body.error.code).to.equal('conflict');
    const [found] = await find(invoice.id);
    expect(found?.amount_cents).to.equal(4_500);
    expect((await find(invoice.id, 'expired')).map(({ id }) => id)).to.deep.equal([stale?.id]);
    expect((await accept(found)).status).to.equal(200);
    expect((await tenant.client.get(`/invoices/${invoice.id}`)).body.subtotal_cents).to.equal(4_500);
  });

  it('a change of the coverage opens and closes suggestions, and a dismissed one does not come back', async () => {
    const club = await createClub(null);
    const invoice = await createInvoice(club, await completeFor(club), 30);
    expect(await find(invoice.id)).to.deep.equal([]);
    await setCoverage(club, { loaded_miles: 10 });
    const [first] = await find(invoice.id);
    expect(first?.amount_cents).to.equal(9_000);
    await setCoverage(club, { loaded_miles: 20 });
    const [second] = await find(invoice.id);
    expect(second?.amount_cents).to.equal(4_500);
    await setCoverage(club, null);
    expect(await find(invoice.id)).to.deep.equal([]);
    await setCoverage(club, { loaded_miles: 20 });
    const [back] = await find(invoice.id);
    expect(back?.amount_cents).to.equal(4_500);
    await tenant.client.post(`/suggestions/${back?.id}/dismiss`, {});
    await tenant.client.patch(`/customers/${club}`, { city: 'Albany' });
    await tenant.client.patch(`/invoices/${invoice.id}`, { notes: 'Approved by the club' });
    expect(await find(invoice.id)).to.deep.equal([]);
  });

  it('a new version of the rate card changes the free miles, and so the finding', async () => {
    const card = await makeRateCard(tenant.client);
    const club = await createClub({ loaded_miles: 10 }, { rate_card_id: card.id });
    const invoice = await createInvoice(club, await completeFor(club), 30);
    expect((await find(invoice.id))[0]?.amount_cents, 'five free miles').to.equal(11_250);
    await makeRateCard(tenant.client, {
      name: card.name,
      items: [{ ...MILEAGE_ITEM, included_quantity: 2 }],
    });
    expect((await find(invoice.id))[0]?.amount_cents, 'two free miles').to.equal(9_900);
  });

  it('earlier invoices of the work order use up the coverage, and their changes count', async () => {
    const club = await createClub({ amount_cents: 30_000 });
    const workOrderId = await completeFor(club);
    const earlier = await createInvoice(club, workOrderId, 10);
    const later = await createInvoice(club, workOrderId, 10);
    expect(await find(later.id)).to.deep.equal([]);
    const lines = [lineItem({ category: 'tow', quantity: 1, unit_price_cents: 20_000 })];
    await tenant.client.patch(`/invoices/${earlier.id}`, { line_items: lines });
    expect((await find(later.id))[0]?.amount_cents).to.equal(4_500);
    expect(await find(earlier.id)).to.deep.equal([]);
    await tenant.client.post(`/invoices/${earlier.id}/cancel`, { reason: 'Billed twice' });
    expect(await find(later.id)).to.deep.equal([]);
  });

  it('an approved invoice stays as it is, and a released one has no suggestion', async () => {
    const club = await createClub({ loaded_miles: 10 });
    const invoice = await createInvoice(club, await completeFor(club), 30);
    await tenant.client.post(`/invoices/${invoice.id}/approve`, {});
    const [found] = await find(invoice.id);
    const refused = await accept(found);
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'invoice_locked']);
    const sent = await tenant.client.post(`/invoices/${invoice.id}/send`, { channel: 'email' });
    expect(sent.status, sent.text).to.equal(200);
    expect(await find(invoice.id)).to.deep.equal([]);
    await setCoverage(club, { loaded_miles: 5 });
    expect(await find(invoice.id)).to.deep.equal([]);
    expect((await tenant.client.get(`/invoices/${invoice.id}`)).body.subtotal_cents).to.equal(23_500);
  });

  it('a service that is not covered changes no invoice on acceptance, and correcting the service closes it', async () => {
    const club = await createClub({ service_types: ['jump_start'] });
    const workOrderId = await completeFor(club);
    const invoice = await createInvoice(club, workOrderId, 10);
    const [found] = await find(invoice.id);
    expect(found).to.deep.include({ amount_cents: 14_500, proposed_lines: [] });
    await tenant.client.patch(`/work-orders/${workOrderId}`, { service_type: 'jump_start' });
    expect(await find(invoice.id)).to.deep.equal([]);
    await tenant.client.patch(`/work-orders/${workOrderId}`, { service_type: 'tow' });
    const [back] = await find(invoice.id);
    expect((await accept(back)).status).to.equal(200);
    expect((await tenant.client.get(`/invoices/${invoice.id}`)).body.subtotal_cents).to.equal(14_500);
    expect(await find(invoice.id)).to.deep.equal([]);
  });
});
