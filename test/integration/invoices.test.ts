import { expect } from 'chai';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('invoices', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Hudson Towing', { taxRateBps: 825 });
  });
  after(() => stack.stop());

  it('answers 201 with the whole invoice only once it is committed', async () => {
    const { client } = tenant;
    const created = await client.post('/invoices', {
      invoice_number: 'INV-1',
      line_items: [
        { name: 'Tow', category: 'tow', quantity: 1, unit_type: 'each', unit_price_cents: 10_000, total_cents: 10_000, taxable: true },
      ],
    });
    expect(created.status, created.text).to.equal(201);
    expect(created.body).to.include({ invoice_number: 'INV-1', status: 'draft', subtotal_cents: 10_000, tax_cents: 825 });
    expect(created.headers.location).to.equal(`/v1/invoices/${created.body.id}`);
    const read = await client.get(`/invoices/${created.body.id}`);
    expect(read.text).to.equal(created.text);
    const list = await client.get('/invoices');
    expect(list.body.data.count).to.equal(1);
  });
});
