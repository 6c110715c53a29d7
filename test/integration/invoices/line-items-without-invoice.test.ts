import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { buildLineItemInsert } from '../../../shared/resources/invoices/handlers/line-item-rows.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack } from '../../support/use-stack.js';

describe('line items and their invoice', () => {
  const stack = useStack();

  const countLines = async (tenantId: string) =>
    (await stack.rows(tenantId, 'select from invoice_line_items')).length;

  it('an invoice whose number is taken stores no line items', async () => {
    const { client, id } = await stack.createTenant('Hudson Towing');
    expect((await client.post('/invoices', invoiceInput({ invoice_number: 'INV-7' }))).status).to.equal(201);
    const before = await countLines(id);
    const refused = await client.post('/invoices', invoiceInput({ invoice_number: 'inv-7' }));
    expect(refused.body.error.code).to.equal('duplicate_invoice_number');
    expect(before).to.be.above(0);
    expect(await countLines(id)).to.equal(before);
  });

  it('a line item of an unknown invoice, or of an invoice of another tenant, is not stored', async () => {
    const [own, other] = [await stack.createTenant('Own'), await stack.createTenant('Other')];
    const { body: foreign } = await other.client.post('/invoices', invoiceInput());
    const row = {
      tenant_id: own.id,
      position: 1,
      id: newId(),
      name: 'Tow',
      category: 'tow',
      quantity: 1,
      unit_type: 'each',
      unit_price_cents: 100,
      total_cents: 100,
      taxable: false,
    };
    for (const invoice_id of [newId(), foreign.id]) {
      const { text, values } = buildLineItemInsert([{ ...row, invoice_id }]);
      await stack.rows(own.id, text, values);
    }
    expect(await countLines(own.id)).to.equal(0);
  });
});
