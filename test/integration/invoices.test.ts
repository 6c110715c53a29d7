import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput, lineItem } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

/** The 15 fields of the specification, then the additive ones, in the order of the answer. */
const MEMBERS = [
  ...[
    'id',
    'invoice_number',
    'status',
    'customer_id',
    'billing_email',
    'po_number',
    'due_date',
    'service_date',
  ],
  ...['subtotal_cents', 'tax_cents', 'total_cents', 'paid_cents', 'balance_due_cents', 'work_order_id'],
  ...['vehicle_description', 'notes', 'sent_at', 'delivery', 'allowed_actions', 'effective_due_date'],
  ...['created_at', 'updated_at'],
];
const LINE_MEMBERS = [
  ...['id', 'position', 'name', 'description', 'category', 'quantity', 'unit_type', 'unit_price_cents'],
  ...['total_cents', 'taxable'],
];

describe('invoices', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Hudson Towing', { taxRateBps: 825 });
  });
  after(() => stack.stop());

  const created = async (path: string, body: unknown): Promise<Answer['body']> => {
    const answer = await tenant.client.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const setStatus = (id: string, status: string) =>
    stack.rows(tenant.id, 'update invoices set status = $2 where tenant_id = $3 and id = $1', [
      id,
      status,
      tenant.id,
    ]);

  it('answers 201 with the whole invoice only once it is committed', async () => {
    const { client } = tenant;
    const answer = await client.post(
      '/invoices',
      invoiceInput({ line_items: [lineItem({ taxable: true })] }),
    );
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body).to.include({ status: 'draft', subtotal_cents: 10_000, tax_cents: 825 });
    expect(answer.headers.location).to.equal(`/v1/invoices/${answer.body.id}`);
    const read = await client.get(`/invoices/${answer.body.id}`);
    expect(read.status).to.equal(200);
    expect(read.text).to.equal(answer.text);
  });

  it('has exactly the published members, and gives back every value that was sent', async () => {
    const customer = await created('/customers', { company_name: 'Club' });
    const order = await created('/work-orders', { service_type: 'tow' });
    const values = {
      ...{
        invoice_number: 'ALL-1',
        customer_id: customer.id,
        work_order_id: order.id,
        billing_email: 'a@example.com',
      },
      ...{ po_number: 'PO-7', vehicle_description: 'Blue Accord', notes: 'Thank you' },
    };
    const line = lineItem({
      name: 'Hook up',
      description: 'Front',
      category: 'hook_up',
      unit_type: 'flat',
      taxable: true,
    });
    const times = { service_date: '2026-11-20T08:15:30.250Z', due_date: '2026-12-20T23:00:00-05:00' };
    const invoice = await created('/invoices', { ...values, ...times, line_items: [line] });
    expect(Object.keys(invoice)).to.deep.equal([...MEMBERS, 'line_items']);
    expect(invoice).to.include(values);
    expect(invoice.service_date).to.equal('2026-11-20T08:15:30.250Z');
    expect(invoice.due_date).to.equal('2026-12-21T04:00:00.000Z');
    expect(Object.keys(invoice.line_items[0])).to.deep.equal(LINE_MEMBERS);
    expect(invoice.line_items[0]).to.include({ ...line, position: 1 });
    expect(invoice).to.deep.include({ paid_cents: 0, sent_at: null, delivery: null });
    expect(invoice.created_at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(invoice.updated_at).to.equal(invoice.created_at);
  });

  it('needs its number alone: the rest is null, no line, nothing owed', async () => {
    const invoice = await created('/invoices', { invoice_number: 'BARE-1' });
    const nothing = [
      'customer_id',
      'billing_email',
      'po_number',
      'due_date',
      'service_date',
      'work_order_id',
      'notes',
    ];
    expect(nothing.map((member) => invoice[member])).to.deep.equal(nothing.map(() => null));
    expect(invoice).to.deep.include({
      line_items: [],
      total_cents: 0,
      balance_due_cents: 0,
      status: 'draft',
    });
  });

  it('lists the same members without line_items, bare of nothing else', async () => {
    const invoice = await created('/invoices', invoiceInput());
    const list = await tenant.client.get('/invoices?limit=1');
    expect(list.body).to.have.all.keys('ok', 'data');
    expect(list.body.data).to.have.all.keys('items', 'cursor', 'count');
    const { line_items: _lines, ...rest } = invoice;
    expect(list.body.data.items).to.deep.equal([rest]);
  });

  describe('money', () => {
    const lines = [
      lineItem({ quantity: 1.5, unit_price_cents: 3333, taxable: true }),
      lineItem({ quantity: 3, unit_price_cents: 1999 }),
      lineItem({ category: 'discount', unit_price_cents: -1000, taxable: true }),
    ];
    // 5000 + 5997 - 1000; taxable are 5000 - 1000.
    const subtotal_cents = 9997;

    it("is taxed once, over the taxable subtotal, at the tenant's rate", async () => {
      const invoice = await created('/invoices', invoiceInput({ line_items: lines }));
      expect(invoice).to.include({
        subtotal_cents,
        tax_cents: 330,
        total_cents: 10_327,
        balance_due_cents: 10_327,
      });
    });

    it('rounds tax once, not line by line, half away from zero', async () => {
      // 3 × 6 cents at 8.25 % is 1.485, and by line it would be 0 three times.
      const small = Array.from({ length: 3 }, () => lineItem({ unit_price_cents: 6, taxable: true }));
      expect((await created('/invoices', invoiceInput({ line_items: small }))).tax_cents).to.equal(1);
      const half = [lineItem({ unit_price_cents: 200, taxable: true })];
      expect((await created('/invoices', invoiceInput({ line_items: half }))).tax_cents).to.equal(17);
    });

    for (const [name, settings, tax_cents] of [
      ["the customer's own rate", { tax_rate_bps: 1000 }, 400],
      ["a customer's rate of zero", { tax_rate_bps: 0 }, 0],
      ["the tenant's rate for a customer without one", {}, 330],
      ['none for an exempt customer, whatever its rate', { tax_rate_bps: 1000, tax_exempt: true }, 0],
    ] as const) {
      it(`is taxed at ${name}`, async () => {
        const customer = await created('/customers', { company_name: 'Taxed', ...settings });
        const body = invoiceInput({ customer_id: customer.id, line_items: lines });
        expect(await created('/invoices', body)).to.include({
          tax_cents,
          total_cents: subtotal_cents + tax_cents,
        });
      });
    }

    it('is taxed by PATCH at the rate the invoice was made with', async () => {
      const customer = await created('/customers', { company_name: 'Moving', tax_rate_bps: 1000 });
      const invoice = await created(
        '/invoices',
        invoiceInput({ customer_id: customer.id, line_items: lines }),
      );
      await tenant.client.patch(`/customers/${customer.id}`, { tax_rate_bps: 2000 });
      const patched = await tenant.client.patch(`/invoices/${invoice.id}`, { line_items: lines.slice(0, 1) });
      expect(patched.body).to.include({ subtotal_cents: 5000, tax_cents: 500, total_cents: 5500 });
    });
  });

  describe('a number', () => {
    it('that is taken is 409, whatever its case and blanks, and the first invoice stays as it was', async () => {
      const first = await created('/invoices', invoiceInput({ invoice_number: 'Dup-É1' }));
      for (const invoice_number of ['Dup-É1', 'DUP-É1', ' dup-É1 ']) {
        const answer = await tenant.client.post(
          '/invoices',
          invoiceInput({ invoice_number, notes: 'second' }),
        );
        const details = expectError(answer, 409, 'duplicate_invoice_number');
        expect(details.map(({ field }) => field)).to.deep.equal(['invoice_number']);
      }
      expect((await tenant.client.get(`/invoices/${first.id}`)).body).to.deep.equal(first);
    });

    it('is taken within its tenant only', async () => {
      const invoice_number = 'SHARED-1';
      const other = await stack.createTenant('Other');
      for (const client of [tenant.client, other.client, other.sandbox]) {
        expect((await client.post('/invoices', { invoice_number })).status).to.equal(201);
      }
    });

    it('goes to exactly one of 20 that race for it', async () => {
      const body = (index: number) => ({
        invoice_number: index % 2 ? 'RACE-1' : 'race-1',
        notes: `racer ${index}`,
      });
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, index) => tenant.client.post('/invoices', body(index))),
      );
      const winners = answers.filter(({ status }) => status === 201);
      expect(winners).to.have.length(1);
      for (const answer of answers)
        if (answer.status !== 201) expectError(answer, 409, 'duplicate_invoice_number');
      const text = "select id from invoices where lower(invoice_number) = 'race-1'";
      expect(await stack.rows(tenant.id, text)).to.deep.equal([{ id: winners[0]?.body.id }]);
    });
  });

  describe('PATCH', () => {
    it('with the status it has is 200 and changes nothing; with another it is 409 that says from and to', async () => {
      const invoice = await created('/invoices', invoiceInput());
      const same = await tenant.client.patch(`/invoices/${invoice.id}`, { status: 'draft' });
      expect(same.status, same.text).to.equal(200);
      expect(same.body).to.deep.equal(invoice);
      const moved = await tenant.client.patch(`/invoices/${invoice.id}`, { status: 'paid', notes: 'lost' });
      const [detail] = expectError(moved, 409, 'invalid_status_transition');
      expect(detail).to.include({ from: 'draft', to: 'paid' });
      expect(detail?.allowed).to.be.an('array');
      expect((await tenant.client.get(`/invoices/${invoice.id}`)).body).to.deep.equal(invoice);
    });

    it('replaces lines in draft and needs_review, and is 409 invoice_locked in every other status', async () => {
      const invoice = await created('/invoices', invoiceInput());
      const path = `/invoices/${invoice.id}`;
      const line_items = [lineItem({ unit_price_cents: 100 })];
      await setStatus(invoice.id, 'needs_review');
      expect((await tenant.client.patch(path, { line_items })).body.total_cents).to.equal(100);
      const locked = [
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
      for (const status of locked) {
        await setStatus(invoice.id, status);
        const answer = await tenant.client.patch(path, { line_items: [], notes: 'lost' });
        const details = expectError(answer, 409, 'invoice_locked');
        expect(details.map(({ field }) => field)).to.deep.equal(['line_items']);
      }
      const read = await tenant.client.get(path);
      expect(read.body).to.include({ total_cents: 100, notes: null });
      expect(read.body.line_items).to.have.length(1);
    });

    it('changes the four declared fields in every status but void and cancelled', async () => {
      const invoice = await created('/invoices', invoiceInput());
      const path = `/invoices/${invoice.id}`;
      const fields = (n: number) => ({
        ...{ billing_email: `n${n}@example.com`, po_number: `${n}`, notes: `note ${n}` },
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

    it('of one invoice by many at once loses none of them', async () => {
      const invoice = await created('/invoices', invoiceInput());
      const patches = [
        { notes: 'n' },
        { po_number: 'p' },
        { billing_email: 'b@example.com' },
        { due_date: '2026-12-01T00:00:00.000Z' },
      ];
      const answers = await Promise.all(
        patches.map((patch) => tenant.client.patch(`/invoices/${invoice.id}`, patch)),
      );
      expect(answers.map(({ status }) => status)).to.deep.equal([200, 200, 200, 200]);
      expect((await tenant.client.get(`/invoices/${invoice.id}`)).body).to.include(
        Object.assign({}, ...patches),
      );
    });
  });
});
