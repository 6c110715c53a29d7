import { assert } from 'chai';
import fc from 'fast-check';
import {
  calculateLineTotalCents,
  calculateTaxCents,
  countDecimalPlaces,
  MAX_QUANTITY,
  MAX_TAX_RATE_BPS,
  MAX_UNIT_PRICE_CENTS,
  type PricedLine,
  priceInvoice,
} from '../../../shared/billing/money.js';
import { countRuns } from '../../support/count-runs.js';

const SEVERAL_RUNS = { numRuns: countRuns(3000) };

/** Independent model of rounding: to the nearest integer, with ties away from zero. */
function roundRatio(numerator: bigint, denominator: bigint): bigint {
  if (numerator < 0n) return -roundRatio(-numerator, denominator);
  return (2n * numerator + denominator) / (2n * denominator);
}

/** Generates quantities in units of 1/10000. */
const tenThousandths = fc.oneof(
  fc.integer({ min: 1, max: 50_000 }),
  fc.integer({ min: 1, max: MAX_QUANTITY * 10_000 }),
  fc.integer({ min: 1, max: 200 }).map((halves) => halves * 5_000),
);
const unitPrice = fc.oneof(
  fc.integer({ min: -100_000, max: 100_000 }),
  fc.integer({ min: -MAX_UNIT_PRICE_CENTS, max: MAX_UNIT_PRICE_CENTS }),
  fc.constantFrom(-MAX_UNIT_PRICE_CENTS, MAX_UNIT_PRICE_CENTS, 0, 1, -1),
);
const rate = fc.integer({ min: 0, max: MAX_TAX_RATE_BPS });
/** Formats a quantity without floating point, as PostgreSQL formats numeric(11,4). */
const formatDecimal = (units: number) =>
  `${Math.floor(units / 10_000)}.${String(units % 10_000).padStart(4, '0')}`;

const lineItem: fc.Arbitrary<PricedLine> = fc.record({
  quantity: tenThousandths.map((units) => Number(formatDecimal(units))),
  unit_price_cents: unitPrice,
  taxable: fc.boolean(),
});

/**
 * Computes the totals of an invoice independently of the tested code. Takes each quantity from its
 * decimal text, to avoid floating point.
 */
function modelInvoice(lineItems: PricedLine[], rateBps: number) {
  const totals = lineItems.map(({ quantity, unit_price_cents }) => {
    const units = BigInt(quantity.toFixed(4).replace('.', ''));
    return roundRatio(units * BigInt(unit_price_cents), 10_000n);
  });
  const sum = (values: bigint[]) => values.reduce((total, value) => total + value, 0n);
  const taxable = sum(totals.filter((_, index) => lineItems[index]!.taxable));
  const tax = taxable < 0n ? 0n : roundRatio(taxable * BigInt(rateBps), 10_000n);
  return {
    lineTotals: totals.map(Number),
    subtotalCents: Number(sum(totals)),
    taxCents: Number(tax),
    totalCents: Number(sum(totals) + tax),
  };
}

describe('total of a line item', () => {
  it('a line total rounds half away from zero', () => {
    const cases: [quantity: number | string, price: number, total: number][] = [
      [0.5, 1, 1],
      [0.5, -1, -1],
      [1.5, 3, 5],
      [1.5, -3, -5],
      [0.4999, 1, 0],
      [0.4999, -1, 0],
      [1.005, 100, 101],
      [1.005, -100, -101],
      [2.675, 100, 268],
      [0.0001, 4999, 0],
      [0.0001, 5000, 1],
      [1_000_000, 1_000_000_000, 1e15],
      [999_999.9999, -999_999_999, -999_999_998_900_000],
      ['12.5000', 450, 5625],
      ['3', 7, 21],
      ['0.50000', 1, 1],
    ];
    for (const [quantity, price, total] of cases) {
      assert.strictEqual(calculateLineTotalCents(quantity, price), total, `${quantity} × ${price}`);
    }
  });

  it('a line total equals the exact rational result, for numbers and decimal text', () => {
    const property = fc.property(tenThousandths, unitPrice, (units, price) => {
      const expected = Number(roundRatio(BigInt(units) * BigInt(price), 10_000n));
      assert.strictEqual(calculateLineTotalCents(formatDecimal(units), price), expected);
      assert.strictEqual(calculateLineTotalCents(Number(formatDecimal(units)), price), expected);
      assert.strictEqual(calculateLineTotalCents(units / 10_000, price), expected);
    });
    fc.assert(property, SEVERAL_RUNS);
  });

  it('a line total rounds every half away from zero, in both signs', () => {
    const property = fc.property(fc.integer({ min: 0, max: 499_999 }), (whole) => {
      const price = 2 * whole + 1;
      assert.strictEqual(calculateLineTotalCents(0.5, price), whole + 1);
      assert.strictEqual(calculateLineTotalCents(0.5, -price), -whole - 1);
    });
    fc.assert(property, SEVERAL_RUNS);
  });

  it('quantities and unit prices outside their limits are refused', () => {
    const quantities = [0, -1, 1.00001, 1e-7, 1_000_000.0001, 1_000_001, 1e21, Number.NaN, Infinity];
    const texts = '|0|0.0000|-1|+1|1e3|1.|.5| 1|1,5|0x1|1.00001|12345678'.split('|');
    for (const quantity of [...quantities, ...texts]) {
      assert.throws(() => calculateLineTotalCents(quantity, 1), RangeError, /quantity/);
    }
    for (const price of [0.5, 1_000_000_001, -1_000_000_001, Number.NaN, Number.NEGATIVE_INFINITY]) {
      assert.throws(() => calculateLineTotalCents(1, price), RangeError, /unit price/);
    }
  });
});

describe('number of decimal places', () => {
  it('decimal places are counted, also with exponents', () => {
    const cases = {
      0: 0,
      12: 0,
      12.5: 1,
      0.0001: 4,
      '-1.25': 2,
      '1e-7': 7,
      '1.5e-7': 8,
      '1e21': 0,
      '1.25e21': 0,
    };
    for (const [number, places] of Object.entries(cases)) {
      assert.equal(countDecimalPlaces(Number(number)), places, number);
    }
    assert.equal(countDecimalPlaces(Number.NaN), Number.POSITIVE_INFINITY);
    assert.equal(countDecimalPlaces(Number.NEGATIVE_INFINITY), Number.POSITIVE_INFINITY);
  });

  it('the number of decimal places is the smallest that reproduces the number', () => {
    const property = fc.property(fc.double({ min: -1e6, max: 1e6, noNaN: true }), (number) => {
      const places = countDecimalPlaces(number);
      if (places > 100) return;
      assert.equal(Number(number.toFixed(places)), number);
      if (places > 0) assert.notEqual(Number(number.toFixed(places - 1)), number);
    });
    fc.assert(property, SEVERAL_RUNS);
  });
});

describe('tax', () => {
  it('tax rounds once, half away from zero', () => {
    assert.strictEqual(calculateTaxCents(10_000, 825), 825);
    assert.strictEqual(calculateTaxCents(50, 100), 1);
    assert.strictEqual(calculateTaxCents(-50, 100), -1);
    assert.strictEqual(calculateTaxCents(49, 100), 0);
    assert.strictEqual(calculateTaxCents(-49, 100), 0);
    assert.strictEqual(calculateTaxCents(0, 825), 0);
    assert.strictEqual(calculateTaxCents(Number.MAX_SAFE_INTEGER, 10_000), Number.MAX_SAFE_INTEGER);
  });

  it('agrees with exact rationals', () => {
    const property = fc.property(fc.maxSafeInteger(), rate, (subtotal, bps) => {
      const expected = Number(roundRatio(BigInt(subtotal) * BigInt(bps), 10_000n));
      assert.strictEqual(calculateTaxCents(subtotal, bps), expected);
    });
    fc.assert(property, SEVERAL_RUNS);
  });

  it('tax rates and subtotals outside their limits are refused', () => {
    for (const bps of [-1, 0.5, 10_001, Number.NaN]) {
      assert.throws(() => calculateTaxCents(1, bps), RangeError, /rate/);
    }
    for (const subtotal of [0.5, 2 ** 53, Number.NaN]) {
      assert.throws(() => calculateTaxCents(subtotal, 1), RangeError, /subtotal/);
    }
  });
});

describe('priceInvoice', () => {
  it('priceInvoice returns line totals, subtotal, tax and total', () => {
    const lineItems = [
      { quantity: 1, unit_price_cents: 12_500, taxable: true },
      { quantity: 12.5, unit_price_cents: 451, taxable: false },
      { quantity: 1, unit_price_cents: -500, taxable: true },
    ];
    const sums = { subtotalCents: 17_638, taxCents: 990, totalCents: 18_628 };
    assert.deepStrictEqual(priceInvoice(lineItems, 825), { lineTotals: [12_500, 5_638, -500], ...sums });
    const nothing = { lineTotals: [], subtotalCents: 0, taxCents: 0, totalCents: 0 };
    assert.deepStrictEqual(priceInvoice([], 825), nothing);
  });

  it('a negative taxable subtotal has no tax', () => {
    const lineItems = [
      { quantity: 1, unit_price_cents: -500, taxable: true },
      { quantity: 1, unit_price_cents: 900, taxable: false },
    ];
    assert.deepInclude(priceInvoice(lineItems, 1_000), { subtotalCents: 400, taxCents: 0, totalCents: 400 });
  });

  it('invoice totals equal the exact rational result, however large', () => {
    // The total of this line item is odd and near 10^15. Sums of many such totals are too large for
    // doubles to represent exactly.
    const largeLineItem = { quantity: 999_999, unit_price_cents: 999_999_937, taxable: true };
    const anyLineItem = fc.oneof(
      lineItem,
      fc.constantFrom(largeLineItem, { ...largeLineItem, unit_price_cents: -1e9 }),
    );
    const property = fc.property(
      fc.array(anyLineItem, { maxLength: 30, size: 'max' }),
      rate,
      (lineItems, bps) => {
        assert.deepStrictEqual(priceInvoice(lineItems, bps), modelInvoice(lineItems, bps));
      },
    );
    fc.assert(property, { numRuns: countRuns(1000) });
  });

  it('invoice totals add up and do not depend on the sequence of line items', () => {
    // The sums are safe integers, so plain addition can check them.
    const lineItems = fc.array(lineItem, { minLength: 1, maxLength: 4 });
    const shuffled = lineItems.chain((original) =>
      fc.tuple(fc.constant(original), fc.shuffledSubarray(original, { minLength: original.length })),
    );
    const property = fc.property(shuffled, rate, ([original, shuffledItems], bps) => {
      const price = priceInvoice(original, bps);
      const sum = price.lineTotals.reduce((before, total) => before + total, 0);
      assert.equal(sum, price.subtotalCents);
      assert.equal(price.subtotalCents + price.taxCents, price.totalCents);
      const { lineTotals, ...sums } = priceInvoice(shuffledItems, bps);
      assert.deepInclude(price, sums);
      assert.sameMembers(lineTotals, price.lineTotals);
    });
    fc.assert(property, { numRuns: countRuns(1000) });
  });

  it('priceInvoice refuses quantities and rates outside their limits', () => {
    const bad = { quantity: 0, unit_price_cents: 1, taxable: false };
    assert.throws(() => priceInvoice([bad], 0), RangeError);
    assert.throws(() => priceInvoice([], -1), RangeError);
  });
});
