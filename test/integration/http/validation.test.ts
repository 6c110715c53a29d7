import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput, lineItem, UNKNOWN_ID } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };

describe('validation of writes', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Own Towing');
  let foreign: TestTenant;

  before(async () => {
    foreign = await stack.createTenant('Foreign Towing');
  });

  const create = async (path: string, body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };

  describe('all validation errors in one response', () => {
    const invalidLineItem = {
      name: 7,
      category: 'Tow!',
      quantity: 0,
      unit_type: '',
      unit_price_cents: 1.5,
      total_cents: '1',
      taxable: 'yes',
    };
    const invalidInvoice = {
      billing_email: 'nobody',
      po_number: 5,
      due_date: '2026-02-30T00:00:00Z',
      notes: ['x'],
      line_items: [lineItem(), invalidLineItem],
    };
    const lineItemErrors = [
      'line_items[1].category pattern',
      'line_items[1].name base',
      'line_items[1].quantity greater',
      'line_items[1].taxable base',
      'line_items[1].total_cents base',
      'line_items[1].unit_price_cents integer',
      'line_items[1].unit_type empty',
    ];
    const commonErrors = [
      'billing_email email',
      'due_date dateTime',
      ...lineItemErrors,
      'notes base',
      'po_number base',
    ];

    it('POST /invoices reports every validation error', async () => {
      const ids = { customer_id: 'x', work_order_id: 1, service_date: 'yesterday', vehicle_description: {} };
      const response = await tenant.client.post('/invoices', { ...invalidInvoice, ...ids });
      expect(listValidationErrors(response)).to.deep.equal(
        [
          ...commonErrors,
          'customer_id guid',
          'invoice_number required',
          'service_date dateTime',
          'vehicle_description base',
          'work_order_id base',
        ].sort(),
      );
    });

    it('PATCH /invoices/{id} reports every validation error and changes nothing', async () => {
      const invoice = await create('/invoices', invoiceInput());
      const response = await tenant.client.patch(`/invoices/${invoice.id}`, {
        ...invalidInvoice,
        status: 'lost',
      });
      expect(listValidationErrors(response)).to.deep.equal([...commonErrors, 'status only'].sort());
      expect((await tenant.client.get(`/invoices/${invoice.id}`)).body).to.deep.equal(invoice);
    });

    const invalidWorkOrder = {
      service_type: 'Tow Truck',
      customer_id: 'x',
      pickup_location: 1,
      vin: '1HGCM82633A00435I',
      contact_name: false,
      pickup: { address: 1, lat: 91, lng: '2' },
      dropoff: { address: false, lat: '1', lng: -181 },
      vehicle: { make: 1, model: [], year: 1066 },
    };
    const workOrderErrors = [
      'contact_name base',
      'customer_id guid',
      'dropoff.address base',
      'dropoff.lat base',
      'dropoff.lng min',
      'pickup.address base',
      'pickup.lat max',
      'pickup.lng base',
      'pickup_location base',
      'service_type pattern',
      'vehicle.make base',
      'vehicle.model base',
      'vehicle.year min',
      'vin vin',
    ];

    it('POST and PATCH of work orders report every validation error', async () => {
      const order = await create('/work-orders', { service_type: 'tow' });
      expect(listValidationErrors(await tenant.client.post('/work-orders', invalidWorkOrder))).to.deep.equal(
        workOrderErrors,
      );
      const patched = await tenant.client.patch(`/work-orders/${order.id}`, invalidWorkOrder);
      expect(listValidationErrors(patched)).to.deep.equal(workOrderErrors);
    });

    it('POST and PATCH of customers report every validation error', async () => {
      const customer = await create('/customers', { company_name: 'A' });
      const invalid = {
        company_name: ' ',
        billing_email: 'a@',
        terms_days: 366,
        tax_exempt: 1,
        tax_rate_bps: -1,
        zip: 1,
      };
      const expected = [
        'billing_email email',
        'company_name empty',
        'tax_exempt base',
        'tax_rate_bps min',
        'terms_days max',
        'zip base',
      ];
      expect(listValidationErrors(await tenant.client.post('/customers', invalid))).to.deep.equal(expected);
      const patched = await tenant.client.patch(`/customers/${customer.id}`, { ...invalid, is_active: 'no' });
      expect(listValidationErrors(patched)).to.deep.equal([...expected, 'is_active base'].sort());
    });

    it('POST /api-keys and POST /api-keys/{id}/roll report every validation error', async () => {
      const key = await create('/api-keys', { name: 'k' });
      const invalid = { permissions: ['read', 'fly'], read_only: 'yes', tier: 'gold', expires_at: 'soon' };
      expect(listValidationErrors(await tenant.client.post('/api-keys', invalid))).to.deep.equal([
        'expires_at dateTime',
        'name required',
        'permissions[1] only',
        'read_only base',
        'tier only',
      ]);
      const roll = await tenant.client.post(`/api-keys/${key.id}/roll`, { overlap_hours: 169 });
      expect(listValidationErrors(roll)).to.deep.equal(['overlap_hours max']);
    });
  });

  describe('text members of request bodies', () => {
    it('texts are trimmed, and a text of whitespace counts as empty', async () => {
      const customer = await create('/customers', {
        company_name: '  Hudson  Towing\t',
        billing_email: ' a@example.com ',
      });
      expect(customer).to.include({ company_name: 'Hudson  Towing', billing_email: 'a@example.com' });
      expect(
        listValidationErrors(await tenant.client.post('/customers', { company_name: ' \t\n ' })),
      ).to.deep.equal(['company_name empty']);
    });

    it('notes, descriptions and addresses keep newline, carriage return and tab; other texts refuse them', async () => {
      const layout = 'one\r\n\ttwo';
      const lineItems = [lineItem({ description: layout })];
      const invoice = await create('/invoices', invoiceInput({ notes: layout, line_items: lineItems }));
      expect([invoice.notes, invoice.line_items[0].description]).to.deep.equal([layout, layout]);
      const order = await create('/work-orders', {
        service_type: 'tow',
        pickup_location: layout,
        notes: layout,
      });
      expect([order.pickup_location, order.notes]).to.deep.equal([layout, layout]);
      expect((await create('/customers', { company_name: 'L', address: layout })).address).to.equal(layout);
      const response = await tenant.client.post('/customers', {
        company_name: layout,
        city: layout,
        primary_phone: '1\n2',
      });
      expect(listValidationErrors(response)).to.deep.equal([
        'city pattern',
        'company_name pattern',
        'primary_phone pattern',
      ]);
    });

    for (const control of ['\u0001', '\u0008', '\u000b', '\u001b', '\u007f', '\u0085', '\u009f']) {
      it(`every text refuses the control character ${JSON.stringify(control)}`, async () => {
        const text = `a${control}b`;
        const invoice = invoiceInput({
          invoice_number: text,
          notes: text,
          line_items: [lineItem({ description: text })],
        });
        expect(listValidationErrors(await tenant.client.post('/invoices', invoice))).to.deep.equal([
          'invoice_number pattern',
          'line_items[0].description pattern',
          'notes pattern',
        ]);
      });
    }

    it('texts of any script are stored and returned unchanged', async () => {
      const company_name = 'Ægir Bärgning — 拖车 🚛 👩‍🔧 \u200fعربي';
      const customer = await create('/customers', { company_name });
      expect((await tenant.client.get(`/customers/${customer.id}`)).body.company_name).to.equal(company_name);
    });

    it('strings are not coerced to numbers, booleans, objects or lists', async () => {
      const invalidLineItem = {
        ...lineItem(),
        quantity: '1',
        unit_price_cents: '100',
        total_cents: '100',
        taxable: 'true',
      };
      expect(
        listValidationErrors(
          await tenant.client.post('/invoices', invoiceInput({ line_items: [invalidLineItem] })),
        ),
      ).to.deep.equal([
        'line_items[0].quantity base',
        'line_items[0].taxable base',
        'line_items[0].total_cents base',
        'line_items[0].unit_price_cents base',
      ]);
      const place = { service_type: 'tow', pickup: { lat: '1', lng: '2' }, vehicle: { year: '2019' } };
      expect(listValidationErrors(await tenant.client.post('/work-orders', place))).to.deep.equal([
        'pickup.lat base',
        'pickup.lng base',
        'vehicle.year base',
      ]);
      const objects = { service_type: 'tow', pickup: '{"lat":1}', vehicle: '{"year":2019}' };
      expect(listValidationErrors(await tenant.client.post('/work-orders', objects))).to.deep.equal([
        'pickup base',
        'vehicle base',
      ]);
      expect(
        listValidationErrors(await tenant.client.post('/invoices', invoiceInput({ line_items: '[]' }))),
      ).to.deep.equal(['line_items base']);
    });
  });

  describe('ids in request bodies', () => {
    it('an unknown id and an id of another tenant give the same 400, which names the field', async () => {
      const theirs = (await foreign.client.post('/customers', { company_name: 'Theirs' })).body.id;
      const theirWorkOrder = (await foreign.client.post('/work-orders', { service_type: 'tow' })).body.id;
      for (const customer_id of [UNKNOWN_ID, theirs]) {
        const invoice = await tenant.client.post('/invoices', invoiceInput({ customer_id }));
        expect(listValidationErrors(invoice)).to.deep.equal(['customer_id unknown']);
        const order = await tenant.client.post('/work-orders', { service_type: 'tow', customer_id });
        expect(listValidationErrors(order)).to.deep.equal(['customer_id unknown']);
      }
      const both = await tenant.client.post(
        '/invoices',
        invoiceInput({ customer_id: theirs, work_order_id: theirWorkOrder }),
      );
      expect(listValidationErrors(both)).to.deep.equal(['customer_id unknown', 'work_order_id unknown']);
    });

    it('a PATCH with an unknown id has no effect', async () => {
      const order = await create('/work-orders', { service_type: 'tow' });
      const patch = { customer_id: UNKNOWN_ID, notes: 'lost' };
      expect(
        listValidationErrors(await tenant.client.patch(`/work-orders/${order.id}`, patch)),
      ).to.deep.equal(['customer_id unknown']);
      expect((await tenant.client.get(`/work-orders/${order.id}`)).body).to.deep.equal(order);
    });

    it('ids are accepted in any letter case and returned in lower case', async () => {
      const customer = await create('/customers', { company_name: 'Case' });
      const order = await create('/work-orders', {
        service_type: 'tow',
        customer_id: customer.id.toUpperCase(),
      });
      expect(order.customer_id).to.equal(customer.id);
    });
  });

  describe('VINs of work orders', () => {
    const createWithVin = async (vin: string) =>
      (await create('/work-orders', { service_type: 'tow', vin })).vin;

    it('a VIN is stored in upper case, and a VIN shorter than 17 characters may contain I, O and Q', async () => {
      expect(await createWithVin(' 1hgcm82633a004352 ')).to.equal('1HGCM82633A004352');
      expect(await createWithVin('ioq-123')).to.equal('IOQ-123');
      expect(await createWithVin('1hgcm82633a00435i'.slice(1))).to.equal('HGCM82633A00435I');
    });

    for (const vin of ['1HGCM82633A00435I', '1hgcm82633a00435o', 'QHGCM82633A004352']) {
      it(`a VIN of 17 characters with I, O or Q is refused: ${vin}`, async () => {
        expect(
          listValidationErrors(await tenant.client.post('/work-orders', { service_type: 'tow', vin })),
        ).to.deep.equal(['vin vin']);
      });
    }
  });

  describe('unknown members of request bodies', () => {
    it('unknown members are ignored, and a dry run lists each with its path', async () => {
      const body = {
        ...invoiceInput({ invoice_number: 'U-1', colour: 'red', toString: 1 }),
        line_items: [lineItem(), { ...lineItem(), sku: 'x' }],
      };
      const preview = await tenant.client.post('/invoices', body, DRY_RUN);
      expect(preview.status, preview.text).to.equal(200);
      expect(preview.body.warnings).to.deep.equal([
        'line_items[1].sku is not known and was ignored',
        'colour is not known and was ignored',
        'toString is not known and was ignored',
      ]);
      const invoice = await create('/invoices', body);
      expect(invoice).to.not.have.any.keys('colour', 'toString');
      expect(invoice.line_items[1]).to.not.have.property('sku');
    });

    it('members that a client may not set are ignored: id, status of a new invoice, amounts, times', async () => {
      const forbidden = {
        id: UNKNOWN_ID,
        status: 'paid',
        total_cents: 1,
        paid_cents: 1,
        created_at: '2020-01-01T00:00:00Z',
      };
      const preview = await tenant.client.post('/invoices', invoiceInput(forbidden), DRY_RUN);
      expect(preview.body.warnings).to.have.length(Object.keys(forbidden).length);
      const invoice = await create('/invoices', invoiceInput(forbidden));
      expect(invoice).to.include({ status: 'draft', total_cents: 10_000, paid_cents: 0 });
      expect(invoice.id).to.not.equal(UNKNOWN_ID);
      expect(invoice.created_at).to.not.match(/^2020/);
    });

    it('an unknown member does not replace a required one', async () => {
      expect(
        listValidationErrors(await tenant.client.post('/work-orders', { serviceType: 'tow' })),
      ).to.deep.equal(['service_type required']);
    });
  });
});
