import { expect } from 'chai';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('invoice line items', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  const createInvoice = (...line_items: object[]): Promise<TestResponse> =>
    tenant.client.post('/invoices', invoiceInput({ line_items }));

  describe('total_cents of a line item', () => {
    // 2.5 × 1999 = 4997.5, rounded half away from zero to 4998.
    const line = { quantity: 2.5, unit_price_cents: 1999 };

    for (const total_cents of [4997, 4998, 4999]) {
      it(`POST /invoices accepts a line item total of ${total_cents} where 4998 is exact, and stores 4998`, async () => {
        const response = await createInvoice(lineItem({ ...line, total_cents }));
        expect(response.status, response.text).to.equal(201);
        expect(response.body.line_items[0].total_cents).to.equal(4998);
        expect(response.body.total_cents).to.equal(4998);
      });
    }

    it('POST and PATCH compute a line item total that is omitted, and the audit log has its amount', async () => {
      const { total_cents: _total, ...untotalled } = lineItem(line);
      const { body: invoice } = await createInvoice(untotalled, lineItem());
      expect(invoice.line_items.map(({ total_cents }: { total_cents: number }) => total_cents)).to.deep.equal(
        [4998, 10_000],
      );
      expect(invoice.total_cents).to.equal(14_998);
      const patched = await tenant.client.patch(`/invoices/${invoice.id}`, { line_items: [untotalled] });
      expect(patched.body.total_cents, patched.text).to.equal(4998);
      const { body: log } = await tenant.client.get(`/audit-log?entity_id=${invoice.id}&outcome=ok`);
      const amounts = log.data.items.map(
        ({ changes }: { changes: { field: string; to: { total_cents: number } }[] }) =>
          changes.find(({ field }) => field === 'line_items')?.to.total_cents,
      );
      expect(amounts).to.deep.equal([4998, 14_998]);
    });

    for (const total_cents of [4996, 5000]) {
      it(`POST /invoices refuses a line item total of ${total_cents} with line_total_mismatch and names 4998`, async () => {
        const response = await createInvoice(lineItem(), lineItem({ ...line, total_cents }));
        const details = expectError(response, 400, 'line_total_mismatch');
        expect(details.map(({ field }) => field)).to.deep.equal(['line_items[1].total_cents']);
        expect(details[0]?.message).to.include('4998');
      });
    }

    it('POST /invoices rounds the total of a negative line item half away from zero', async () => {
      const discount = { category: 'discount', quantity: 0.5, unit_price_cents: -333, total_cents: -167 };
      const response = await createInvoice(lineItem(), lineItem(discount));
      expect(response.status, response.text).to.equal(201);
      expect(response.body.line_items[1].total_cents).to.equal(-167);
      expect(response.body.subtotal_cents).to.equal(10_000 - 167);
    });

    it('POST /invoices reports a wrong line item total and an empty name in one validation_error', async () => {
      const response = await createInvoice(lineItem({ total_cents: 1 }), lineItem({ name: '' }));
      expect(listValidationErrors(response)).to.deep.equal([
        'line_items[0].total_cents line_total_mismatch',
        'line_items[1].name empty',
      ]);
    });

    it('POST /invoices reports an invalid quantity without a total mismatch', async () => {
      expect(
        listValidationErrors(await createInvoice(lineItem({ quantity: -1, total_cents: 5 }))),
      ).to.deep.equal(['line_items[0].quantity greater']);
    });

    it('PATCH /invoices/{id} checks line item totals', async () => {
      const { id } = (await createInvoice(lineItem())).body;
      const response = await tenant.client.patch(`/invoices/${id}`, {
        line_items: [lineItem({ total_cents: 1 })],
      });
      expectError(response, 400, 'line_total_mismatch');
    });
  });

  describe('negative unit_price_cents', () => {
    for (const category of ['discount', 'adjustment']) {
      it(`POST /invoices accepts a negative unit_price_cents in the category ${category}`, async () => {
        const response = await createInvoice(lineItem(), lineItem({ category, unit_price_cents: -2500 }));
        expect(response.status, response.text).to.equal(201);
        expect(response.body.total_cents).to.equal(7500);
      });
    }

    for (const category of ['tow', 'other', 'discounts']) {
      it(`POST /invoices refuses a negative unit_price_cents in the category ${category}`, async () => {
        const response = await createInvoice(lineItem(), lineItem({ category, unit_price_cents: -1 }));
        expect(listValidationErrors(response)).to.deep.equal([
          'line_items[1].unit_price_cents negativePrice',
        ]);
      });
    }

    it('negative line items may reduce an invoice to zero but not below', async () => {
      const zero = await createInvoice(
        lineItem(),
        lineItem({ category: 'discount', unit_price_cents: -10_000 }),
      );
      expect(zero.body.total_cents, zero.text).to.equal(0);
      const below = await createInvoice(
        lineItem(),
        lineItem({ category: 'discount', unit_price_cents: -10_001 }),
      );
      expect(listValidationErrors(below)).to.deep.equal(['line_items negative_total']);
      const { id } = zero.body;
      const patch = { line_items: [lineItem({ category: 'adjustment', unit_price_cents: -1 })] };
      expect(listValidationErrors(await tenant.client.patch(`/invoices/${id}`, patch))).to.deep.equal([
        'line_items negative_total',
      ]);
      expect((await tenant.client.get(`/invoices/${id}`)).body).to.deep.equal(zero.body);
    });
  });

  describe('quantity of a line item', () => {
    for (const quantity of [0.0001, 0.3333, 1.25, 12, 999_999.9999]) {
      it(`POST /invoices stores the quantity ${quantity} exactly`, async () => {
        const response = await createInvoice(lineItem({ quantity, unit_price_cents: 100 }));
        expect(response.status, response.text).to.equal(201);
        const read = await tenant.client.get(`/invoices/${response.body.id}`);
        expect(read.body.line_items[0].quantity).to.equal(quantity);
      });
    }

    for (const [quantity, code] of [
      [0, 'greater'],
      [-1, 'greater'],
      [0.00001, 'decimals'],
      [1.23456, 'decimals'],
    ] as const) {
      it(`POST /invoices refuses the quantity ${quantity}`, async () => {
        const response = await createInvoice(lineItem({ quantity, total_cents: 0 }));
        expect(listValidationErrors(response)).to.deep.equal([`line_items[0].quantity ${code}`]);
      });
    }
  });

  it('line items accept any slug as category and unit_type, known or not', async () => {
    const response = await createInvoice(lineItem({ category: 'drone_recovery', unit_type: 'furlong' }));
    expect(response.status, response.text).to.equal(201);
    expect(response.body.line_items[0]).to.include({ category: 'drone_recovery', unit_type: 'furlong' });
    expect(
      listValidationErrors(await createInvoice(lineItem({ category: 'Tow', unit_type: '2x' }))),
    ).to.deep.equal(['line_items[0].category pattern', 'line_items[0].unit_type pattern']);
  });

  it('line items keep their sequence, are numbered from 1, and are not taxable by default', async () => {
    const response = await createInvoice(...['c', 'a', 'b'].map((name) => lineItem({ name })));
    const lineItems = response.body.line_items as { name: string; position: number; taxable: boolean }[];
    expect(lineItems.map(({ name, position, taxable }) => [name, position, taxable])).to.deep.equal([
      ['c', 1, false],
      ['a', 2, false],
      ['b', 3, false],
    ]);
  });
});
