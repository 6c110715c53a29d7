import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { listPublishedMembers } from '../../support/openapi-validator.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('invoices', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing', { taxRateBps: 825 });

  const createRecord = async (path: string, body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const setStatus = (id: string, status: string) =>
    stack.rows(tenant.id, 'update invoices set status = $2 where tenant_id = $3 and id = $1', [
      id,
      status,
      tenant.id,
    ]);

  it('POST /invoices answers 201 with the whole invoice once it is committed', async () => {
    const { client } = tenant;
    const response = await client.post(
      '/invoices',
      invoiceInput({ line_items: [lineItem({ taxable: true })] }),
    );
    expect(response.status, response.text).to.equal(201);
    expect(response.body).to.include({ status: 'draft', subtotal_cents: 10_000, tax_cents: 825 });
    expect(response.headers.location).to.equal(`/v1/invoices/${response.body.id}`);
    const read = await client.get(`/invoices/${response.body.id}`);
    expect(read.status).to.equal(200);
    expect(read.text).to.equal(response.text);
  });

  it('POST /invoices returns exactly the published fields and every value that was sent', async () => {
    const customer = await createRecord('/customers', { company_name: 'Club' });
    const workOrder = await createRecord('/work-orders', { service_type: 'tow' });
    const values = {
      invoice_number: 'ALL-1',
      customer_id: customer.id,
      work_order_id: workOrder.id,
      billing_email: 'a@example.com',
      po_number: 'PO-7',
      vehicle_description: 'Blue Accord',
      notes: 'Thank you',
    };
    const hookUp = lineItem({
      name: 'Hook up',
      description: 'Front',
      category: 'hook_up',
      unit_type: 'flat',
      taxable: true,
    });
    const times = { service_date: '2026-11-20T08:15:30.250Z', due_date: '2026-12-20T23:00:00-05:00' };
    const invoice = await createRecord('/invoices', { ...values, ...times, line_items: [hookUp] });
    expect(Object.keys(invoice)).to.deep.equal(listPublishedMembers('Invoice'));
    expect(invoice).to.include(values);
    expect(invoice.service_date).to.equal('2026-11-20T08:15:30.250Z');
    expect(invoice.due_date).to.equal('2026-12-21T04:00:00.000Z');
    expect(Object.keys(invoice.line_items[0])).to.deep.equal(listPublishedMembers('LineItem'));
    expect(invoice.line_items[0]).to.include({ ...hookUp, position: 1 });
    expect(invoice).to.deep.include({ paid_cents: 0, sent_at: null, delivery: null });
    expect(invoice.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(invoice.updated_at).to.equal(invoice.created_at);
  });

  it('POST /invoices needs only invoice_number: other fields are null, without line items or amounts', async () => {
    const invoice = await createRecord('/invoices', { invoice_number: 'BARE-1' });
    const optionalFields = [
      'customer_id',
      'billing_email',
      'po_number',
      'due_date',
      'service_date',
      'work_order_id',
      'notes',
    ];
    expect(optionalFields.map((member) => invoice[member])).to.deep.equal(optionalFields.map(() => null));
    expect(invoice).to.deep.include({
      line_items: [],
      total_cents: 0,
      balance_due_cents: 0,
      status: 'draft',
    });
  });

  it('GET /invoices returns every field of an invoice except line_items', async () => {
    const invoice = await createRecord('/invoices', invoiceInput());
    const list = await tenant.client.get('/invoices?limit=1');
    expect(list.body).to.have.all.keys('ok', 'data');
    expect(list.body.data).to.have.all.keys('items', 'cursor', 'count');
    const { line_items: _lineItems, ...rest } = invoice;
    expect(list.body.data.items).to.deep.equal([rest]);
  });

  describe('tax and totals of invoices', () => {
    const lineItems = [
      lineItem({ quantity: 1.5, unit_price_cents: 3333, taxable: true }),
      lineItem({ quantity: 3, unit_price_cents: 1999 }),
      lineItem({ category: 'discount', unit_price_cents: -1000, taxable: true }),
    ];
    // The subtotal is 5000 + 5997 - 1000. The taxable part is 5000 - 1000.
    const subtotal_cents = 9997;

    it("an invoice is taxed once on its taxable subtotal, at the account's rate", async () => {
      const invoice = await createRecord('/invoices', invoiceInput({ line_items: lineItems }));
      expect(invoice).to.include({
        subtotal_cents,
        tax_cents: 330,
        total_cents: 10_327,
        balance_due_cents: 10_327,
      });
    });

    it('invoice tax is rounded once, not per line item, half away from zero', async () => {
      // The tax on 3 × 6 cents at 8.25 % is 1.485 cents, rounded to 1. Rounded per line item, the
      // tax would be three times 0.
      const small = Array.from({ length: 3 }, () => lineItem({ unit_price_cents: 6, taxable: true }));
      expect((await createRecord('/invoices', invoiceInput({ line_items: small }))).tax_cents).to.equal(1);
      const half = [lineItem({ unit_price_cents: 200, taxable: true })];
      expect((await createRecord('/invoices', invoiceInput({ line_items: half }))).tax_cents).to.equal(17);
    });

    for (const [name, settings, tax_cents] of [
      ["the customer's own rate", { tax_rate_bps: 1000 }, 400],
      ["a customer's rate of zero", { tax_rate_bps: 0 }, 0],
      ["the account's rate for a customer without one", {}, 330],
      ['no rate for an exempt customer, even if it has a rate', { tax_rate_bps: 1000, tax_exempt: true }, 0],
    ] as const) {
      it(`an invoice is taxed at ${name}`, async () => {
        const customer = await createRecord('/customers', { company_name: 'Taxed', ...settings });
        const body = invoiceInput({ customer_id: customer.id, line_items: lineItems });
        expect(await createRecord('/invoices', body)).to.include({
          tax_cents,
          total_cents: subtotal_cents + tax_cents,
        });
      });
    }

    it('PATCH /invoices/{id} taxes at the rate from the creation of the invoice', async () => {
      const customer = await createRecord('/customers', { company_name: 'Moving', tax_rate_bps: 1000 });
      const invoice = await createRecord(
        '/invoices',
        invoiceInput({ customer_id: customer.id, line_items: lineItems }),
      );
      await tenant.client.patch(`/customers/${customer.id}`, { tax_rate_bps: 2000 });
      const patched = await tenant.client.patch(`/invoices/${invoice.id}`, {
        line_items: lineItems.slice(0, 1),
      });
      expect(patched.body).to.include({ subtotal_cents: 5000, tax_cents: 500, total_cents: 5500 });
    });
  });

  describe('invoice numbers', () => {
    it('a taken invoice number is 409, ignoring case and blanks, and the first invoice stays unchanged', async () => {
      const first = await createRecord('/invoices', invoiceInput({ invoice_number: 'Dup-É1' }));
      for (const invoice_number of ['Dup-É1', 'DUP-É1', ' dup-É1 ']) {
        const response = await tenant.client.post(
          '/invoices',
          invoiceInput({ invoice_number, notes: 'second' }),
        );
        const details = expectError(response, 409, 'duplicate_invoice_number');
        expect(details.map(({ field }) => field)).to.deep.equal(['invoice_number']);
      }
      expect((await tenant.client.get(`/invoices/${first.id}`)).body).to.deep.equal(first);
    });

    it('an invoice number is unique only within its tenant', async () => {
      const invoice_number = 'SHARED-1';
      const other = await stack.createTenant('Other');
      for (const client of [tenant.client, other.client, other.sandbox]) {
        expect((await client.post('/invoices', { invoice_number })).status).to.equal(201);
      }
    });

    it('exactly one of 20 concurrent requests gets an invoice number', async () => {
      const body = (index: number) => ({
        invoice_number: index % 2 ? 'RACE-1' : 'race-1',
        notes: `racer ${index}`,
      });
      const responses = await Promise.all(
        Array.from({ length: 20 }, (_, index) => tenant.client.post('/invoices', body(index))),
      );
      const winners = responses.filter(({ status }) => status === 201);
      expect(winners).to.have.length(1);
      for (const response of responses)
        if (response.status !== 201) expectError(response, 409, 'duplicate_invoice_number');
      const text = "select id from invoices where lower(invoice_number) = 'race-1'";
      expect(await stack.rows(tenant.id, text)).to.deep.equal([{ id: winners[0]?.body.id }]);
    });
  });

  describe('PATCH /invoices/{id}', () => {
    it('PATCH /invoices/{id} with the current status changes nothing; a refused one is 409 with from and to', async () => {
      const invoice = await createRecord('/invoices', invoiceInput());
      const same = await tenant.client.patch(`/invoices/${invoice.id}`, { status: 'draft' });
      expect(same.status, same.text).to.equal(200);
      expect(same.body).to.deep.equal(invoice);
      const refused = await tenant.client.patch(`/invoices/${invoice.id}`, { status: 'paid', notes: 'lost' });
      const [detail] = expectError(refused, 409, 'invalid_status_transition');
      expect(detail).to.include({ from: 'draft', to: 'paid' });
      expect(detail?.allowed).to.be.an('array');
      expect((await tenant.client.get(`/invoices/${invoice.id}`)).body).to.deep.equal(invoice);
    });

    it('PATCH /invoices/{id} replaces line items in draft and needs_review, and is 409 invoice_locked otherwise', async () => {
      const invoice = await createRecord('/invoices', invoiceInput());
      const path = `/invoices/${invoice.id}`;
      const line_items = [lineItem({ unit_price_cents: 100 })];
      await setStatus(invoice.id, 'needs_review');
      expect((await tenant.client.patch(path, { line_items })).body.total_cents).to.equal(100);
      const lockedStatuses = [
        'approved',
        'sending',
        'viewed',
        'paid',
        'overdue',
        'disputed',
        'failed',
        'void',
        'cancelled',
      ];
      for (const status of lockedStatuses) {
        await setStatus(invoice.id, status);
        const response = await tenant.client.patch(path, { line_items: [], notes: 'lost' });
        const details = expectError(response, 409, 'invoice_locked');
        expect(details.map(({ field }) => field)).to.deep.equal(['line_items']);
      }
      const read = await tenant.client.get(path);
      expect(read.body).to.include({ total_cents: 100, notes: null });
      expect(read.body.line_items).to.have.length(1);
    });

    it('PATCH /invoices/{id} changes the four declared fields in every status except void and cancelled', async () => {
      const invoice = await createRecord('/invoices', invoiceInput());
      const path = `/invoices/${invoice.id}`;
      const fields = (n: number) => ({
        billing_email: `n${n}@example.com`,
        po_number: `${n}`,
        notes: `note ${n}`,
        due_date: `2026-12-0${n}T00:00:00.000Z`,
      });
      for (const [index, status] of ['approved', 'viewed', 'paid', 'disputed'].entries()) {
        await setStatus(invoice.id, status);
        const patched = await tenant.client.patch(path, fields(index + 1));
        expect(patched.body, patched.text).to.include({ ...fields(index + 1), status });
      }
      for (const status of ['void', 'cancelled']) {
        await setStatus(invoice.id, status);
        expectError(await tenant.client.patch(path, { notes: 'late' }), 409, 'invoice_locked');
        expect((await tenant.client.patch(path, { status })).body).to.include({ ...fields(4), status });
      }
    });

    it('concurrent PATCHes of one invoice lose no change', async () => {
      const invoice = await createRecord('/invoices', invoiceInput());
      const patches = [
        { notes: 'n' },
        { po_number: 'p' },
        { billing_email: 'b@example.com' },
        { due_date: '2026-12-01T00:00:00.000Z' },
      ];
      const responses = await Promise.all(
        patches.map((patch) => tenant.client.patch(`/invoices/${invoice.id}`, patch)),
      );
      expect(responses.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      expect((await tenant.client.get(`/invoices/${invoice.id}`)).body).to.include(
        Object.assign({}, ...patches),
      );
    });
  });
});
