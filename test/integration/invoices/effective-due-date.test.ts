import { expect } from 'chai';
import type { Json } from '../../support/client.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DAY_MS = 86_400_000;

describe('effective_due_date of invoices', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  async function createInvoice(overrides: Record<string, unknown> = {}): Promise<Json> {
    const input = invoiceInput({ billing_email: 'b@example.com', ...overrides });
    return (await tenant.client.post('/invoices', input)).body;
  }

  async function releaseInvoice(overrides: Record<string, unknown> = {}): Promise<Json> {
    const { id } = await createInvoice(overrides);
    await tenant.client.post(`/invoices/${id}/approve`, {});
    return (await tenant.client.post(`/invoices/${id}/send`, {})).body;
  }

  it('effective_due_date is due_date if set, and null for a draft without one', async () => {
    const due_date = '2027-01-16T02:00:00.000Z';
    expect((await createInvoice({ due_date })).effective_due_date).to.equal(due_date);
    expect((await releaseInvoice({ due_date })).effective_due_date).to.equal(due_date);
    expect((await createInvoice()).effective_due_date).to.equal(null);
  });

  it("effective_due_date is the release plus the customer's or account's terms, in the account's time zone", async () => {
    const { body: customer } = await tenant.client.post('/customers', { company_name: 'C', terms_days: 10 });
    const byCustomer = await releaseInvoice({ customer_id: customer.id });
    const byAccount = await releaseInvoice();
    // The payment terms include 1 November 2026. That day has 25 hours in New York, because
    // daylight saving time ends.
    await stack.rows(
      tenant.id,
      `update invoices set released_at = '2026-10-30T16:00:00Z' where tenant_id = $1 and id = any($2::uuid[])`,
      [tenant.id, [byCustomer.id, byAccount.id]],
    );
    const read = async (id: string) => (await tenant.client.get(`/invoices/${id}`)).body.effective_due_date;
    expect(await read(byCustomer.id)).to.equal('2026-11-09T17:00:00.000Z');
    expect(await read(byAccount.id)).to.equal('2026-11-29T17:00:00.000Z');
  });

  it('effective_due_date is the same in lists and events as in the invoice', async () => {
    const invoice = await releaseInvoice();
    const due = invoice.effective_due_date;
    expect(Date.parse(due) - Date.now()).to.be.within(29 * DAY_MS, 31 * DAY_MS);
    const { items } = (await tenant.client.get('/invoices?limit=200')).body.data;
    expect(items.find(({ id }: Json) => id === invoice.id).effective_due_date).to.equal(due);
    const events = (await tenant.client.get('/events?type=invoice.sent')).body.data.items;
    const event = events.find(({ data }: Json) => data.object.id === invoice.id);
    expect(event.data.object.effective_due_date).to.equal(due);
  });
});
