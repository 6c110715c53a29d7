import { expect } from 'chai';
import fc from 'fast-check';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DAY_MS = 86_400_000;

describe('the account statement of a customer', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let client: TestClient;

  before(async () => {
    client = stack.createClient(
      await stack.createKey(tenant.id, { permissions: ['read', 'write', 'approve'] }),
    );
  });

  async function createCustomer(): Promise<string> {
    return (await client.post('/customers', { company_name: 'Acme Motor Club' })).body.id;
  }

  async function createInvoice(customerId: string, totalCents: number): Promise<string> {
    const line_items = [lineItem({ quantity: 1, unit_price_cents: totalCents, total_cents: totalCents })];
    const input = invoiceInput({ customer_id: customerId, billing_email: 'b@example.com', line_items });
    return (await client.post('/invoices', input)).body.id;
  }

  async function release(id: string): Promise<void> {
    for (const action of ['approve', 'send']) {
      expect((await client.post(`/invoices/${id}/${action}`, {})).status).to.equal(200);
    }
  }

  async function pay(id: string, amountCents: number): Promise<string> {
    const input = { amount_cents: amountCents, method: 'check', reference: 'No 17' };
    return (await client.post(`/invoices/${id}/payments`, input)).body.id;
  }

  it('GET /customers/{id}/statement lists invoices, payments and refunds in sequence, with the balance after each', async () => {
    const customer = await createCustomer();
    await createInvoice(customer, 99_999);
    const invoice = await createInvoice(customer, 10_000);
    await release(invoice);
    const payment = await pay(invoice, 12_000);
    await client.post(`/payments/${payment}/refund`, { amount_cents: 500, reason: 'Paid too much' });
    const { status, body } = await client.get(`/customers/${customer}/statement`);
    expect(status).to.equal(200);
    expect(body).to.include({
      customer_id: customer,
      company_name: 'Acme Motor Club',
      opening_balance_cents: 0,
      invoiced_cents: 10_000,
      paid_cents: 12_000,
      refunded_cents: 500,
      closing_balance_cents: -1_500,
    });
    const entries = body.entries.map((entry: Record<string, unknown>) => [
      entry.kind,
      entry.reference,
      entry.amount_cents,
      entry.balance_cents,
    ]);
    const number = (await client.get(`/invoices/${invoice}`)).body.invoice_number;
    // The statement omits the draft invoice, because a draft is not owed yet.
    expect(entries).to.deep.equal([
      ['invoice', number, 10_000, 10_000],
      ['payment', 'No 17', -12_000, -2_000],
      ['refund', 'Paid too much', 500, -1_500],
    ]);
  });

  it('GET /customers/{id}/statement opens with the balance before its period and closes with the balance at its end', async () => {
    const customer = await createCustomer();
    const invoice = await createInvoice(customer, 8_000);
    await release(invoice);
    await stack.rows(
      tenant.id,
      `update invoices set released_at = now() - interval '40 days' where tenant_id = '${tenant.id}' and id = '${invoice}'`,
    );
    await pay(invoice, 3_000);
    const day = (days: number) => new Date(Date.now() - days * DAY_MS).toISOString();
    const read = async (query: string) =>
      (await client.get(`/customers/${customer}/statement?${query}`)).body;
    const recent = await read(`since=${day(10).slice(0, 10)}`);
    expect([recent.opening_balance_cents, recent.entries.length, recent.closing_balance_cents]).to.deep.equal(
      [8_000, 1, 5_000],
    );
    const earlier = await read(`since=${day(60)}&until=${day(20)}`);
    expect([
      earlier.opening_balance_cents,
      earlier.entries.length,
      earlier.closing_balance_cents,
    ]).to.deep.equal([0, 1, 8_000]);
    // The invoice was released 40 days ago with terms of 30 days, so it has been overdue for 10
    // days.
    expect(recent.aging).to.deep.equal({
      current_cents: 0,
      days_1_30_cents: 5_000,
      days_31_60_cents: 0,
      days_61_90_cents: 0,
      over_90_cents: 0,
    });
  });

  it('the closing balance of a statement equals balance less credit after any invoices, payments, refunds and voids', async () => {
    const cents = fc.integer({ min: 1, max: 5_000 });
    const deal = fc.record({
      total: cents,
      isReleased: fc.boolean(),
      payments: fc.array(fc.record({ amount: cents, refund: fc.option(cents) }), { maxLength: 3 }),
      isVoided: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(deal, { minLength: 1, maxLength: 3 }), async (deals) => {
        const customer = await createCustomer();
        for (const { total, isReleased, payments, isVoided } of deals) {
          const invoice = await createInvoice(customer, total);
          if (isReleased) await release(invoice);
          for (const { amount, refund } of isReleased ? payments : []) {
            const payment = await pay(invoice, amount);
            if (refund === null) continue;
            await client.post(`/payments/${payment}/refund`, {
              amount_cents: Math.min(refund, amount),
              reason: 'x',
            });
          }
          if (isVoided) await client.post(`/invoices/${invoice}/void`, { reason: 'Wrong customer' });
        }
        const [{ body: read }, { body: statement }] = [
          await client.get(`/customers/${customer}`),
          await client.get(`/customers/${customer}/statement`),
        ];
        expect(statement.closing_balance_cents).to.equal(read.balance_cents - read.credit_cents);
        const { opening_balance_cents, invoiced_cents, paid_cents, refunded_cents } = statement;
        expect(opening_balance_cents + invoiced_cents - paid_cents + refunded_cents).to.equal(
          statement.closing_balance_cents,
        );
        const open = Object.values(statement.aging as Record<string, number>).reduce(
          (sum, part) => sum + part,
          0,
        );
        expect(open).to.equal(read.balance_cents);
      }),
      { numRuns: 15 },
    );
  });

  it('GET /customers/{id}/statement refuses too many entries with 400, and returns 404 to another tenant', async () => {
    const customer = await createCustomer();
    const invoice = await createInvoice(customer, 5_000);
    await stack.rows(
      tenant.id,
      `insert into payments (tenant_id, id, invoice_id, customer_id, amount_cents, method, applied_cents)
       select '${tenant.id}', gen_random_uuid(), '${invoice}', '${customer}', 1, 'cash', 0 from generate_series(1, 2001)`,
    );
    const response = await client.get(`/customers/${customer}/statement`);
    expectError(response, 400, 'validation_error');
    expect(response.body.error.details[0].field).to.equal('since');
    const other = stack.createClient(await stack.createKey((await stack.createTenant()).id, {}));
    expectError(await other.get(`/customers/${customer}/statement`), 404, 'not_found');
    expectError(await client.get('/customers/nonsense/statement'), 404, 'not_found');
    const invalid = await client.get(`/customers/${customer}/statement?since=x&until=y`);
    expectError(invalid, 400, 'validation_error');
    expect(invalid.body.error.details.map(({ field }: { field: string }) => field)).to.deep.equal([
      'since',
      'until',
    ]);
  });
});
