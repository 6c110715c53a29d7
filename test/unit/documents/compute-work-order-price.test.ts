import { expect } from 'chai';
import fc from 'fast-check';
import {
  computeWorkOrderPrice,
  findStorageItem,
  type PricingFacts,
} from '../../../shared/billing/compute-work-order-price.js';
import { calculateLineTotalCents, priceInvoice } from '../../../shared/billing/money.js';
import type { RateCardItem } from '../../../shared/contracts/generated.js';

const createItem = (overrides: Partial<RateCardItem> = {}): RateCardItem => ({
  name: 'Hook-up',
  service_type: null,
  category: 'hook_up',
  unit_type: 'flat',
  unit_price_cents: 7500,
  included_quantity: 0,
  minimum_cents: null,
  after_hours: false,
  taxable: true,
  ...overrides,
});
const createFacts = (overrides: Partial<PricingFacts> = {}): PricingFacts => ({
  serviceType: 'tow',
  isGoa: false,
  isAfterHours: false,
  miles: null,
  quarterHours: null,
  storage: null,
  isStorageOnly: false,
  ...overrides,
});
const MILES = createItem({
  name: 'Miles',
  category: 'mileage',
  unit_type: 'mile',
  unit_price_cents: 450,
  included_quantity: 5,
});
const STORAGE = createItem({
  name: 'Storage',
  category: 'storage',
  unit_type: 'day',
  unit_price_cents: 4500,
});

const formatLineItems = (items: RateCardItem[], facts: PricingFacts) =>
  computeWorkOrderPrice(items, facts).lineItems.map(
    (lineItem) =>
      `${lineItem.name}: ${lineItem.quantity} ${lineItem.unit_type} × ${lineItem.unit_price_cents} = ${lineItem.total_cents}`,
  );

describe('price of a work order', () => {
  it('hook-up is charged once, and loaded miles beyond the included ones to four decimals', () => {
    expect(formatLineItems([createItem(), MILES], createFacts({ miles: 12.5 }))).to.deep.equal([
      'Hook-up: 1 flat × 7500 = 7500',
      'Miles: 7.5 mile × 450 = 3375',
    ]);
    expect(formatLineItems([MILES], createFacts({ miles: 12.34567 }))).to.deep.equal([
      'Miles: 7.3457 mile × 450 = 3306',
    ]);
    for (const miles of [0, 4.9, 5])
      expect(formatLineItems([MILES], createFacts({ miles }))).to.deep.equal([]);
  });

  it('the explanation says why an item is not charged: unknown miles, included ones, time of day', () => {
    const surcharge = createItem({ category: 'after_hours', after_hours: true });
    const { explanation } = computeWorkOrderPrice(
      [MILES, surcharge, createItem({ unit_type: 'gallon' })],
      createFacts(),
    );
    expect(explanation.map(({ line: lineItem, reason }) => [lineItem, reason])).to.deep.equal([
      [null, 'the miles of this job are not known'],
      [null, 'not after hours'],
      [null, 'the gallons of this job are not known'],
    ]);
    const [counted] = computeWorkOrderPrice([MILES], createFacts({ miles: 3 })).explanation;
    expect(counted).to.include({
      line: null,
      measured_quantity: 3,
      included_quantity: 5,
      charged_quantity: 0,
    });
  });

  it('time is charged per started quarter hour, in quarters or in hours', () => {
    const hourly = createItem({
      name: 'Wrecker',
      category: 'tow',
      unit_type: 'hour',
      unit_price_cents: 32_500,
      included_quantity: 1,
    });
    const waitItem = createItem({
      name: 'Wait',
      category: 'wait_time',
      unit_type: 'quarter_hour',
      unit_price_cents: 2200,
    });
    expect(formatLineItems([hourly, waitItem], createFacts({ quarterHours: 7 }))).to.deep.equal([
      'Wrecker: 0.75 hour × 32500 = 24375',
      'Wait: 7 quarter_hour × 2200 = 15400',
    ]);
  });

  it('a line item is raised to its minimum, and the explanation says so', () => {
    const items = [{ ...MILES, minimum_cents: 5000 }];
    const { lineItems, explanation } = computeWorkOrderPrice(items, createFacts({ miles: 6 }));
    expect(lineItems[0]).to.include({
      quantity: 1,
      unit_type: 'flat',
      unit_price_cents: 5000,
      total_cents: 5000,
    });
    expect(explanation[0]).to.include({ minimum_applied: true, charged_quantity: 1 });
    expect(formatLineItems(items, createFacts({ miles: 5 })), 'nothing to raise').to.deep.equal([]);
    expect(formatLineItems(items, createFacts({ miles: 30 }))).to.deep.equal([
      'Miles: 25 mile × 450 = 11250',
    ]);
  });

  it('an item for the exact service replaces the general item of the same category only', () => {
    const heavy = createItem({
      name: 'Heavy hook-up',
      service_type: 'heavy_duty_tow',
      unit_price_cents: 25_000,
    });
    const items = [
      createItem(),
      heavy,
      MILES,
      createItem({ name: 'Lockout', service_type: 'lockout', category: 'roadside' }),
    ];
    expect(formatLineItems(items, createFacts({ serviceType: 'heavy_duty_tow', miles: 6 }))).to.deep.equal([
      'Heavy hook-up: 1 flat × 25000 = 25000',
      'Miles: 1 mile × 450 = 450',
    ]);
    expect(formatLineItems(items, createFacts({ serviceType: 'lockout' }))).to.deep.equal([
      'Hook-up: 1 flat × 7500 = 7500',
      'Lockout: 1 flat × 7500 = 7500',
    ]);
  });

  it('after-hours items are charged only after hours', () => {
    const items = [
      createItem(),
      createItem({ name: 'Night', category: 'after_hours', unit_price_cents: 5000, after_hours: true }),
    ];
    expect(formatLineItems(items, createFacts({ isAfterHours: true }))).to.have.length(2);
    expect(formatLineItems(items, createFacts())).to.have.length(1);
  });

  it('a GOA work order is charged only its goa items, and no other work order pays them', () => {
    const items = [createItem(), MILES, createItem({ name: 'GOA', category: 'goa', unit_price_cents: 4000 })];
    expect(formatLineItems(items, createFacts({ isGoa: true, miles: 20 }))).to.deep.equal([
      'GOA: 1 flat × 4000 = 4000',
    ]);
    expect(formatLineItems(items, createFacts())).to.deep.equal(['Hook-up: 1 flat × 7500 = 7500']);
  });

  it("storage is charged per day at the impound's rate, once; gate fees need an impound", () => {
    const gateFee = createItem({ name: 'Gate', category: 'gate_fee', unit_price_cents: 6000 });
    const items = [gateFee, STORAGE, { ...STORAGE, name: 'Storage again' }];
    expect(formatLineItems(items, createFacts({ storage: { days: 3, rateCents: 4000 } }))).to.deep.equal([
      'Gate: 1 flat × 6000 = 6000',
      'Storage: 3 day × 4000 = 12000',
    ]);
    expect(formatLineItems(items, createFacts())).to.deep.equal([]);
    expect(
      formatLineItems(items, createFacts({ storage: { days: 2, rateCents: 4000 }, isStorageOnly: true })),
    ).to.deep.equal(['Storage: 2 day × 4000 = 8000']);
    expect(formatLineItems([], createFacts({ storage: { days: 2, rateCents: 4000 } }))).to.deep.equal([
      'Storage: 2 day × 4000 = 8000',
    ]);
  });

  it('the storage rate of a new impound is for the exact service, else for any service', () => {
    const exactItem = { ...STORAGE, service_type: 'impound_tow', unit_price_cents: 3000 };
    expect(findStorageItem([STORAGE, exactItem], 'impound_tow')).to.equal(exactItem);
    expect(findStorageItem([exactItem, STORAGE], 'tow')).to.equal(STORAGE);
    expect(findStorageItem([exactItem], 'tow')).to.equal(undefined);
    expect(findStorageItem([exactItem], null)).to.equal(exactItem);
  });

  const SERVICES = ['tow', 'heavy_duty_tow', 'lockout'];
  const items = fc.array(
    fc.record<RateCardItem>({
      name: fc.constantFrom('A', 'B'),
      service_type: fc.constantFrom(null, ...SERVICES),
      category: fc.constantFrom('tow', 'hook_up', 'mileage', 'storage', 'gate_fee', 'after_hours', 'goa'),
      unit_type: fc.constantFrom('flat', 'each', 'mile', 'hour', 'quarter_hour', 'day', 'gallon'),
      unit_price_cents: fc.nat(1_000_000_000),
      included_quantity: fc.nat(200_000).map((n) => n / 10_000),
      minimum_cents: fc.option(fc.nat(100_000)),
      after_hours: fc.boolean(),
      taxable: fc.boolean(),
    }),
    { maxLength: 12 },
  );
  const miles = fc.double({ min: 0, max: 10_000, noNaN: true });
  const facts = fc.record<PricingFacts>({
    serviceType: fc.constantFrom(...SERVICES),
    isGoa: fc.boolean(),
    isAfterHours: fc.boolean(),
    miles: fc.option(miles),
    quarterHours: fc.option(fc.nat(100_000_000)),
    storage: fc.option(fc.record({ days: fc.nat(10_000), rateCents: fc.nat(1_000_000) })),
    isStorageOnly: fc.boolean(),
  });
  const sumTotals = (lines: { total_cents: number }[]) =>
    lines.reduce((sum, lineItem) => sum + lineItem.total_cents, 0);

  it('computed line items are valid input: whole cents, none negative, their sum is the subtotal', () => {
    fc.assert(
      fc.property(items, facts, (card, pricingFacts) => {
        const { lineItems, explanation } = computeWorkOrderPrice(card, pricingFacts);
        for (const lineItem of lineItems) {
          expect(Number.isSafeInteger(lineItem.total_cents) && lineItem.total_cents >= 0).to.equal(true);
          expect(lineItem.total_cents).to.equal(
            calculateLineTotalCents(lineItem.quantity, lineItem.unit_price_cents),
          );
        }
        const priced = priceInvoice(
          lineItems.map((lineItem) => ({ ...lineItem, taxable: lineItem.taxable ?? false })),
          825,
        );
        expect(priced.subtotalCents).to.equal(sumTotals(lineItems));
        expect(
          explanation.filter(({ line: lineItem }) => lineItem !== null).map(({ line: lineItem }) => lineItem),
        ).to.deep.equal(lineItems.map((_, index) => index + 1));
        for (const { reason } of explanation) expect(reason).to.not.equal('');
      }),
    );
  });

  it('the price never falls with more miles', () => {
    fc.assert(
      fc.property(items, facts, miles, miles, (card, pricingFacts, a, b) => {
        const computePrice = (driven: number) =>
          sumTotals(computeWorkOrderPrice(card, { ...pricingFacts, miles: driven }).lineItems);
        expect(computePrice(Math.max(a, b))).to.be.at.least(computePrice(Math.min(a, b)));
      }),
    );
  });

  it('the storage price is the same however its days are split over invoices', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        fc.nat(1_000_000),
        (parts, rateCents) => {
          const computePrice = (days: number) =>
            sumTotals(
              computeWorkOrderPrice(
                [STORAGE],
                createFacts({ storage: { days, rateCents }, isStorageOnly: true }),
              ).lineItems,
            );
          const whole = computePrice(parts.reduce((sum, days) => sum + days, 0));
          expect(parts.map(computePrice).reduce((sum, cents) => sum + cents, 0)).to.equal(whole);
        },
      ),
    );
  });
});
