import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { invoiceInput, lineItem } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('PATCH as a JSON merge', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const created = async (path: string, body: unknown): Promise<Answer['body']> => {
    const answer = await tenant.client.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };

  const CREATIONS: [string, () => Record<string, unknown>, Record<string, unknown>][] = [
    ['/invoices', () => invoiceInput({ po_number: 'p', notes: 'n' }), { notes: 'other' }],
    [
      '/work-orders',
      () => ({ service_type: 'tow', notes: 'n', vehicle: { make: 'm', year: 2000 } }),
      { vin: 'V1' },
    ],
    ['/customers', () => ({ company_name: 'A', city: 'c' }), { zip: '1' }],
  ];

  for (const [path, body, patch] of CREATIONS) {
    it(`of ${path}: what is absent keeps its value`, async () => {
      const before = await created(path, body());
      const patched = await tenant.client.patch(`${path}/${before.id}`, patch);
      expect(patched.status, patched.text).to.equal(200);
      expect(patched.body).to.deep.equal({ ...before, ...patch, updated_at: patched.body.updated_at });
      expect((await tenant.client.get(`${path}/${before.id}`)).text).to.equal(patched.text);
      expect(Date.parse(patched.body.updated_at)).to.be.greaterThan(Date.parse(before.updated_at));
    });

    it(`of ${path}: an empty object, no body at all and equal values change nothing, updated_at neither`, async () => {
      const before = await created(path, body());
      const { line_items: _lines, invoice_number: _number, ...same } = body();
      for (const nothing of [{}, undefined, same]) {
        const patched = await tenant.client.patch(`${path}/${before.id}`, nothing);
        expect(patched.status, patched.text).to.equal(200);
        expect(patched.body).to.deep.equal(before);
      }
    });

    it(`of ${path}: a malformed, unknown or foreign id is the same 404`, async () => {
      const foreign = await stack.createTenant('Foreign');
      const theirs = (await foreign.client.post(path, body())).body.id;
      for (const id of [theirs, crypto.randomUUID(), 'x', '%00', '..%2f']) {
        const answer = await tenant.client.patch(`${path}/${id}`, patch);
        expectError(answer, 404, 'not_found');
        expectError(await tenant.client.get(`${path}/${id}`), 404, 'not_found');
      }
      expect((await foreign.client.get(`${path}/${theirs}`)).body).to.not.include(patch);
    });
  }

  it('merges pickup and vehicle member by member', async () => {
    const pickup = { address: 'a', lat: 1.5, lng: -2.25 };
    const order = await created('/work-orders', {
      service_type: 'tow',
      pickup,
      vehicle: { make: 'm', model: 'n', year: 2000 },
    });
    const patched = await tenant.client.patch(`/work-orders/${order.id}`, {
      pickup: { lat: 3 },
      vehicle: { model: null },
    });
    expect(patched.body.pickup).to.deep.equal({ ...pickup, lat: 3 });
    expect(patched.body.vehicle).to.deep.equal({ make: 'm', model: null, year: 2000 });
  });

  it('takes two spellings of one instant for the same', async () => {
    const invoice = await created('/invoices', invoiceInput({ due_date: '2026-11-21T12:00:00Z' }));
    const patched = await tenant.client.patch(`/invoices/${invoice.id}`, {
      due_date: '2026-11-21T14:00:00+02:00',
    });
    expect(patched.body).to.deep.equal(invoice);
  });

  it('replaces line_items as a whole and prices the invoice anew', async () => {
    const invoice = await created('/invoices', invoiceInput({ line_items: [lineItem(), lineItem()] }));
    const lines = [lineItem({ name: 'Winch', unit_price_cents: 700 })];
    const patched = await tenant.client.patch(`/invoices/${invoice.id}`, { line_items: lines });
    expect(patched.body.line_items.map((line: { name: string }) => line.name)).to.deep.equal(['Winch']);
    expect(patched.body).to.include({ subtotal_cents: 700, total_cents: 700, balance_due_cents: 700 });
    const emptied = await tenant.client.patch(`/invoices/${invoice.id}`, { line_items: [] });
    expect(emptied.body).to.deep.include({ line_items: [], total_cents: 0 });
  });

  describe('null in a PATCH', () => {
    it('clears every nullable member of an invoice', async () => {
      const values = {
        billing_email: 'a@example.com',
        po_number: 'p',
        due_date: '2026-01-01T00:00:00Z',
        notes: 'n',
      };
      const invoice = await created('/invoices', invoiceInput(values));
      const nulls = Object.fromEntries(Object.keys(values).map((key) => [key, null]));
      const patched = await tenant.client.patch(`/invoices/${invoice.id}`, nulls);
      expect(patched.status, patched.text).to.equal(200);
      expect(patched.body).to.include(nulls);
    });

    it('clears every nullable member of a work order', async () => {
      const customer = await created('/customers', { company_name: 'C' });
      const flat = {
        customer_id: customer.id,
        dropoff_location: 'd',
        vin: 'V',
        unit_number: '1',
        contact_name: 'c',
        contact_phone: '2',
        notes: 'n',
      };
      const nested = {
        pickup: { address: 'a', lat: 1, lng: 2 },
        vehicle: { make: 'm', model: 'n', year: 2000 },
      };
      const order = await created('/work-orders', { service_type: 'tow', ...flat, ...nested });
      const nulls = Object.fromEntries(Object.keys(flat).map((key) => [key, null]));
      const patched = await tenant.client.patch(`/work-orders/${order.id}`, {
        ...nulls,
        pickup: null,
        vehicle: null,
      });
      expect(patched.body).to.include(nulls);
      expect(patched.body.pickup_location).to.equal(null);
      expect(patched.body.pickup).to.deep.equal({ address: null, lat: null, lng: null });
      expect(patched.body.vehicle).to.deep.equal({ make: null, model: null, year: null });
    });

    it('clears every nullable member of a customer', async () => {
      const values = {
        billing_email: 'a@example.com',
        primary_phone: '1',
        address: 'a',
        city: 'c',
        state: 's',
        zip: 'z',
        terms_days: 1,
        tax_rate_bps: 1,
      };
      const customer = await created('/customers', { company_name: 'N', ...values });
      expect(customer).to.include(values);
      const nulls = Object.fromEntries(Object.keys(values).map((key) => [key, null]));
      const patched = await tenant.client.patch(`/customers/${customer.id}`, nulls);
      expect(patched.body).to.include(nulls);
    });

    it('is refused where a value must be', async () => {
      const customer = await created('/customers', { company_name: 'R' });
      const order = await created('/work-orders', { service_type: 'tow' });
      const nulls = { company_name: null, company_type: null, is_active: null, tax_exempt: null };
      expect(faultsOf(await tenant.client.patch(`/customers/${customer.id}`, nulls))).to.deep.equal(
        Object.keys(nulls)
          .map((key) => `${key} base`)
          .sort(),
      );
      const answer = await tenant.client.patch(`/work-orders/${order.id}`, { service_type: null });
      expect(faultsOf(answer)).to.deep.equal(['service_type base']);
      expectError(await tenant.client.post('/invoices', { invoice_number: null }), 400, 'validation_error');
    });
  });
});
