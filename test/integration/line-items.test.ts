import { expect } from 'chai';
import type { Answer } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { invoiceInput, lineItem } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('line items', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
  });
  after(() => stack.stop());

  const post = (...line_items: object[]): Promise<Answer> =>
    tenant.client.post('/invoices', invoiceInput({ line_items }));

  describe('total_cents', () => {
    // 2.5 × 1999 = 4997.5, half away from zero: 4998.
    const line = { quantity: 2.5, unit_price_cents: 1999 };

    for (const total_cents of [4997, 4998, 4999]) {
      it(`may be a cent off (${total_cents}), and the server's own is stored`, async () => {
        const answer = await post(lineItem({ ...line, total_cents }));
        expect(answer.status, answer.text).to.equal(201);
        expect(answer.body.line_items[0].total_cents).to.equal(4998);
        expect(answer.body.total_cents).to.equal(4998);
      });
    }

    for (const total_cents of [4996, 5000]) {
      it(`two cents off (${total_cents}) is line_total_mismatch and tells what is right`, async () => {
        const answer = await post(lineItem(), lineItem({ ...line, total_cents }));
        const details = expectError(answer, 400, 'line_total_mismatch');
        expect(details.map(({ field }) => field)).to.deep.equal(['line_items[1].total_cents']);
        expect(details[0]?.message).to.include('4998');
      });
    }

    it('rounds half away from zero for negative lines too', async () => {
      const discount = { category: 'discount', quantity: 0.5, unit_price_cents: -333, total_cents: -167 };
      const answer = await post(lineItem(), lineItem(discount));
      expect(answer.status, answer.text).to.equal(201);
      expect(answer.body.line_items[1].total_cents).to.equal(-167);
      expect(answer.body.subtotal_cents).to.equal(10_000 - 167);
    });

    it('that is wrong beside another fault is one validation_error with both', async () => {
      const answer = await post(lineItem({ total_cents: 1 }), lineItem({ name: '' }));
      expect(faultsOf(answer)).to.deep.equal([
        'line_items[0].total_cents line_total_mismatch',
        'line_items[1].name empty',
      ]);
    });

    it('is not called wrong when quantity or price is: each fault is told once', async () => {
      expect(faultsOf(await post(lineItem({ quantity: -1, total_cents: 5 })))).to.deep.equal([
        'line_items[0].quantity greater',
      ]);
    });

    it('is checked by PATCH as well', async () => {
      const { id } = (await post(lineItem())).body;
      const answer = await tenant.client.patch(`/invoices/${id}`, {
        line_items: [lineItem({ total_cents: 1 })],
      });
      expectError(answer, 400, 'line_total_mismatch');
    });
  });

  describe('a negative price', () => {
    for (const category of ['discount', 'adjustment']) {
      it(`is taken in the category ${category}`, async () => {
        const answer = await post(lineItem(), lineItem({ category, unit_price_cents: -2500 }));
        expect(answer.status, answer.text).to.equal(201);
        expect(answer.body.total_cents).to.equal(7500);
      });
    }

    for (const category of ['tow', 'other', 'discounts']) {
      it(`is refused in the category ${category}`, async () => {
        const answer = await post(lineItem(), lineItem({ category, unit_price_cents: -1 }));
        expect(faultsOf(answer)).to.deep.equal(['line_items[1].unit_price_cents negativePrice']);
      });
    }

    it('may bring an invoice to zero, never below', async () => {
      const zero = await post(lineItem(), lineItem({ category: 'discount', unit_price_cents: -10_000 }));
      expect(zero.body.total_cents, zero.text).to.equal(0);
      const below = await post(lineItem(), lineItem({ category: 'discount', unit_price_cents: -10_001 }));
      expect(faultsOf(below)).to.deep.equal(['line_items negative_total']);
      const { id } = zero.body;
      const patch = { line_items: [lineItem({ category: 'adjustment', unit_price_cents: -1 })] };
      expect(faultsOf(await tenant.client.patch(`/invoices/${id}`, patch))).to.deep.equal([
        'line_items negative_total',
      ]);
      expect((await tenant.client.get(`/invoices/${id}`)).body).to.deep.equal(zero.body);
    });
  });

  describe('a quantity', () => {
    for (const quantity of [0.0001, 0.3333, 1.25, 12, 999_999.9999]) {
      it(`of ${quantity} is stored exactly`, async () => {
        const answer = await post(lineItem({ quantity, unit_price_cents: 100 }));
        expect(answer.status, answer.text).to.equal(201);
        const read = await tenant.client.get(`/invoices/${answer.body.id}`);
        expect(read.body.line_items[0].quantity).to.equal(quantity);
      });
    }

    for (const [quantity, fault] of [
      [0, 'greater'],
      [-1, 'greater'],
      [0.00001, 'decimals'],
      [1.23456, 'decimals'],
    ] as const) {
      it(`of ${quantity} is refused`, async () => {
        const answer = await post(lineItem({ quantity, total_cents: 0 }));
        expect(faultsOf(answer)).to.deep.equal([`line_items[0].quantity ${fault}`]);
      });
    }
  });

  it('take any slug as category and unit_type, known or not', async () => {
    const answer = await post(lineItem({ category: 'drone_recovery', unit_type: 'furlong' }));
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.body.line_items[0]).to.include({ category: 'drone_recovery', unit_type: 'furlong' });
    expect(faultsOf(await post(lineItem({ category: 'Tow', unit_type: '2x' })))).to.deep.equal([
      'line_items[0].category pattern',
      'line_items[0].unit_type pattern',
    ]);
  });

  it('keep their order and are numbered from 1; taxable left out is false', async () => {
    const answer = await post(...['c', 'a', 'b'].map((name) => lineItem({ name })));
    const lines = answer.body.line_items as { name: string; position: number; taxable: boolean }[];
    expect(lines.map(({ name, position, taxable }) => [name, position, taxable])).to.deep.equal([
      ['c', 1, false],
      ['a', 2, false],
      ['b', 3, false],
    ]);
  });
});
