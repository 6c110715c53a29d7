import { expect } from 'chai';
import { listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

describe('input limits of writes', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const LENGTHS: Record<string, Record<string, number>> = {
    '/invoices': { invoice_number: 64, po_number: 64, vehicle_description: 500, notes: 5000 },
    '/work-orders': {
      pickup_location: 500,
      dropoff_location: 500,
      vin: 17,
      unit_number: 32,
      contact_name: 200,
      contact_phone: 32,
      notes: 5000,
      service_type: 64,
    },
    '/customers': {
      company_name: 200,
      company_type: 64,
      primary_phone: 32,
      address: 500,
      city: 120,
      state: 50,
      zip: 20,
    },
    '/trucks': { unit_number: 32, vin: 17, plate: 20, make: 100, model: 100 },
    '/drivers': { name: 200, phone: 32 },
    '/inspections': { notes: 5000 },
    '/api-keys': { name: 100 },
    '/agent-keys': { name: 100 },
    '/users': { name: 100 },
    '/webhook-endpoints': { description: 200 },
  };
  const REQUIRED: Record<string, Record<string, unknown>> = {
    '/invoices': { invoice_number: 'B-1' },
    '/work-orders': { service_type: 'tow' },
    '/customers': { company_name: 'B' },
    '/trucks': { unit_number: 'B-1', duty_class: 'light' },
    '/drivers': { name: 'b' },
    '/inspections': { kind: 'pre_trip' },
    '/api-keys': { name: 'b' },
    '/agent-keys': { name: 'b', scopes: ['read_audit'] },
    '/users': { name: 'b', email: 'b@example.com' },
    '/webhook-endpoints': { url: 'https://example.com', event_types: ['*'] },
  };
  for (const [path, fields] of Object.entries(LENGTHS)) {
    it(`POST ${path} accepts each text at its maximum length and refuses one more character`, async () => {
      for (const [field, longest] of Object.entries(fields)) {
        const buildBody = (length: number) => ({ ...REQUIRED[path], [field]: 'a'.repeat(length) });
        const accepted = await tenant.client.post(path, buildBody(longest), DRY_RUN);
        expect(accepted.status, `${field} ${accepted.text}`).to.equal(200);
        expect(listValidationErrors(await tenant.client.post(path, buildBody(longest + 1))))
          .to.have.length(1)
          .and.match(new RegExp(`^${field} `));
      }
    });
  }

  it('POST /customers accepts a billing_email of 254 characters and refuses 255', async () => {
    const buildBody = (length: number) => {
      const domain = `${'b'.repeat(63)}.${'c'.repeat(63)}.`;
      return {
        company_name: 'E',
        billing_email: `${'a'.repeat(60)}@${domain}${'d'.repeat(length - 61 - domain.length - 4)}.com`,
      };
    };
    const accepted = await tenant.client.post('/customers', buildBody(254), DRY_RUN);
    expect(accepted.status, accepted.text).to.equal(200);
    expect(accepted.body.data.billing_email).to.have.length(254);
    expect(
      new Set(listValidationErrors(await tenant.client.post('/customers', buildBody(255)))).has(
        'billing_email max',
      ),
    ).to.equal(true);
  });

  const invoiceWithLine = (item: Parameters<typeof lineItem>[0]) =>
    invoiceInput({ line_items: [lineItem(item)] });

  const lineItemLimits: [string, object, object, string][] = [
    ['name', { name: 'n'.repeat(200) }, { name: 'n'.repeat(201) }, 'name max'],
    ['description', { description: 'd'.repeat(2000) }, { description: 'd'.repeat(2001) }, 'description max'],
    [
      'quantity',
      { quantity: 1e6, unit_price_cents: 1 },
      { quantity: 1e6 + 1, unit_price_cents: 1 },
      'quantity max',
    ],
    ['quantity decimals', { quantity: 0.0001 }, { quantity: 0.00001, total_cents: 0 }, 'quantity decimals'],
    ['unit price', { unit_price_cents: 1e9 }, { unit_price_cents: 1e9 + 1 }, 'unit_price_cents max'],
    [
      'negative unit price',
      { category: 'discount', unit_price_cents: -1e9 },
      { category: 'discount', unit_price_cents: -1e9 - 1 },
      'unit_price_cents min',
    ],
  ];
  for (const [name, inside, outside, errorText] of lineItemLimits) {
    it(`POST /invoices accepts a line item at the limit of its ${name} and refuses one beyond it`, async () => {
      const offset = name === 'negative unit price' ? [lineItem({ unit_price_cents: 1e9 })] : [];
      const accepted = await tenant.client.post(
        '/invoices',
        { ...invoiceInput(), line_items: [lineItem(inside), ...offset] },
        DRY_RUN,
      );
      expect(accepted.status, accepted.text).to.equal(200);
      expect(
        listValidationErrors(await tenant.client.post('/invoices', invoiceWithLine(outside))),
      ).to.deep.equal([`line_items[0].${errorText}`]);
    });
  }

  it('POST /invoices accepts 200 line items and refuses 201', async () => {
    const buildBody = (count: number) =>
      invoiceInput({ line_items: Array.from({ length: count }, () => lineItem()) });
    const accepted = await tenant.client.post('/invoices', buildBody(200), DRY_RUN);
    expect(accepted.body.data.line_items).to.have.length(200);
    expect(listValidationErrors(await tenant.client.post('/invoices', buildBody(201)))).to.deep.equal([
      'line_items max',
    ]);
  });

  it('POST /invoices accepts a total of 1e11 cents and refuses one cent more', async () => {
    const hundred = { line_items: [lineItem({ quantity: 100, unit_price_cents: 1e9 })] };
    const accepted = await tenant.client.post('/invoices', invoiceInput(hundred), DRY_RUN);
    expect(accepted.body.data?.total_cents, accepted.text).to.equal(1e11);
    const over = invoiceInput({ line_items: [...hundred.line_items, lineItem({ unit_price_cents: 1 })] });
    expect(listValidationErrors(await tenant.client.post('/invoices', over))).to.deep.equal([
      'line_items total_too_large',
    ]);
  });

  it('POST /invoices accepts due_date only as an existing time in UTC or with an offset', async () => {
    for (const due_date of [
      '2024-02-29T12:00:00Z',
      '2026-12-31T23:59:59.999+14:00',
      '0001-01-01T00:00:00Z',
    ]) {
      const accepted = await tenant.client.post('/invoices', invoiceInput({ due_date }), DRY_RUN);
      expect(accepted.status, due_date).to.equal(200);
      expect(Date.parse(accepted.body.data.due_date)).to.equal(Date.parse(due_date));
    }
    const refused = [
      '2025-02-29T12:00:00Z',
      '2025-02-29',
      '2026-01-01T00:00:00',
      '2026-01-01T24:00:00Z',
      '0000-01-01T00:00:00Z',
    ];
    for (const due_date of [
      ...refused,
      '2026-01-01T00:00:00+23:59',
      '9999-12-31T23:59:59-12:00',
      1767225600,
    ]) {
      const response = await tenant.client.post('/invoices', invoiceInput({ due_date }));
      expect(listValidationErrors(response), String(due_date))
        .to.have.length(1)
        .and.match(/^due_date /);
    }
  });
});
