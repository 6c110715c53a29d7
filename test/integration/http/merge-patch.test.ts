import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('PATCH as a JSON merge patch', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const create = async (path: string, body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
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
    it(`PATCH ${path}/{id} keeps absent fields`, async () => {
      const before = await create(path, body());
      const patched = await tenant.client.patch(`${path}/${before.id}`, patch);
      expect(patched.status, patched.text).to.equal(200);
      expect(patched.body).to.deep.equal({ ...before, ...patch, updated_at: patched.body.updated_at });
      expect((await tenant.client.get(`${path}/${before.id}`)).text).to.equal(patched.text);
      expect(Date.parse(patched.body.updated_at)).to.be.greaterThan(Date.parse(before.updated_at));
    });

    it(`PATCH ${path}/{id} with an empty object, no body or equal values changes nothing, not even updated_at`, async () => {
      const before = await create(path, body());
      const { line_items: _lines, invoice_number: _number, ...same } = body();
      for (const nothing of [{}, undefined, same]) {
        const patched = await tenant.client.patch(`${path}/${before.id}`, nothing);
        expect(patched.status, patched.text).to.equal(200);
        expect(patched.body).to.deep.equal(before);
      }
    });

    it(`PATCH ${path}/{id} returns the same 404 for a malformed, unknown or foreign id`, async () => {
      const foreign = await stack.createTenant('Foreign');
      const foreignId = (await foreign.client.post(path, body())).body.id;
      for (const id of [foreignId, crypto.randomUUID(), 'x', '%00', '..%2f']) {
        const response = await tenant.client.patch(`${path}/${id}`, patch);
        expectError(response, 404, 'not_found');
        expectError(await tenant.client.get(`${path}/${id}`), 404, 'not_found');
      }
      expect((await foreign.client.get(`${path}/${foreignId}`)).body).to.not.include(patch);
    });
  }

  it('PATCH /work-orders/{id} merges pickup, dropoff and vehicle field by field', async () => {
    const pickup = { address: 'a', lat: 1.5, lng: -2.25 };
    const workOrder = await create('/work-orders', {
      service_type: 'tow',
      pickup,
      dropoff: pickup,
      vehicle: { make: 'm', model: 'n', year: 2000 },
    });
    const patched = await tenant.client.patch(`/work-orders/${workOrder.id}`, {
      pickup: { lat: 3 },
      dropoff: { lng: null },
      vehicle: { model: null },
    });
    expect(patched.body.pickup).to.deep.equal({ ...pickup, lat: 3 });
    expect(patched.body.dropoff).to.deep.equal({ ...pickup, lng: null });
    expect(patched.body.vehicle).to.deep.equal({ make: 'm', model: null, year: 2000 });
  });

  it('PATCH /invoices/{id} treats two spellings of one instant as equal', async () => {
    const invoice = await create('/invoices', invoiceInput({ due_date: '2026-11-21T12:00:00Z' }));
    const patched = await tenant.client.patch(`/invoices/${invoice.id}`, {
      due_date: '2026-11-21T14:00:00+02:00',
    });
    expect(patched.body).to.deep.equal(invoice);
  });

  it('PATCH /invoices/{id} replaces line_items as a whole and recalculates the totals', async () => {
    const invoice = await create('/invoices', invoiceInput({ line_items: [lineItem(), lineItem()] }));
    const lineItems = [lineItem({ name: 'Winch', unit_price_cents: 700 })];
    const patched = await tenant.client.patch(`/invoices/${invoice.id}`, { line_items: lineItems });
    expect(patched.body.line_items.map((line: { name: string }) => line.name)).to.deep.equal(['Winch']);
    expect(patched.body).to.include({ subtotal_cents: 700, total_cents: 700, balance_due_cents: 700 });
    const emptied = await tenant.client.patch(`/invoices/${invoice.id}`, { line_items: [] });
    expect(emptied.body).to.deep.include({ line_items: [], total_cents: 0 });
  });

  describe('null in a PATCH', () => {
    it('PATCH /invoices/{id} with null clears every nullable field', async () => {
      const values = {
        billing_email: 'a@example.com',
        po_number: 'p',
        due_date: '2026-01-01T00:00:00Z',
        notes: 'n',
      };
      const invoice = await create('/invoices', invoiceInput(values));
      const nulls = Object.fromEntries(Object.keys(values).map((key) => [key, null]));
      const patched = await tenant.client.patch(`/invoices/${invoice.id}`, nulls);
      expect(patched.status, patched.text).to.equal(200);
      expect(patched.body).to.include(nulls);
    });

    it('PATCH /work-orders/{id} with null clears every nullable field', async () => {
      const customer = await create('/customers', { company_name: 'C' });
      const flat = {
        customer_id: customer.id,
        vin: 'V',
        unit_number: '1',
        contact_name: 'c',
        contact_phone: '2',
        notes: 'n',
      };
      const nested = {
        pickup: { address: 'a', lat: 1, lng: 2 },
        dropoff: { address: 'd', lat: 3, lng: 4 },
        vehicle: { make: 'm', model: 'n', year: 2000 },
      };
      const workOrder = await create('/work-orders', { service_type: 'tow', ...flat, ...nested });
      const nulls = Object.fromEntries(Object.keys(flat).map((key) => [key, null]));
      const patched = await tenant.client.patch(`/work-orders/${workOrder.id}`, {
        ...nulls,
        pickup: null,
        dropoff: null,
        vehicle: null,
      });
      expect(patched.body).to.include({ ...nulls, pickup_location: null, dropoff_location: null });
      const nowhere = { address: null, lat: null, lng: null };
      expect([patched.body.pickup, patched.body.dropoff]).to.deep.equal([nowhere, nowhere]);
      expect(patched.body.vehicle).to.deep.equal({ make: null, model: null, year: null });
    });

    it('PATCH /customers/{id} with null clears every nullable field', async () => {
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
      const customer = await create('/customers', { company_name: 'N', ...values });
      expect(customer).to.include(values);
      const nulls = Object.fromEntries(Object.keys(values).map((key) => [key, null]));
      const patched = await tenant.client.patch(`/customers/${customer.id}`, nulls);
      expect(patched.body).to.include(nulls);
    });

    it('PATCH and POST refuse null for a required field', async () => {
      const customer = await create('/customers', { company_name: 'R' });
      const workOrder = await create('/work-orders', { service_type: 'tow' });
      const nulls = { company_name: null, company_type: null, is_active: null, tax_exempt: null };
      expect(
        listValidationErrors(await tenant.client.patch(`/customers/${customer.id}`, nulls)),
      ).to.deep.equal(
        Object.keys(nulls)
          .map((key) => `${key} base`)
          .sort(),
      );
      const response = await tenant.client.patch(`/work-orders/${workOrder.id}`, { service_type: null });
      expect(listValidationErrors(response)).to.deep.equal(['service_type base']);
      expectError(await tenant.client.post('/invoices', { invoice_number: null }), 400, 'validation_error');
    });
  });
});
