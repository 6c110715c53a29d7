import { expect } from 'chai';
import fc from 'fast-check';
import type { RateCardItem } from '../../shared/contracts/generated.js';
import { lineTotalCents, priceInvoice } from '../../shared/resources/invoices/money.js';
import { type JobFacts, priceJob, storageItem } from '../../shared/resources/rate-cards/price-job.js';

const item = (overrides: Partial<RateCardItem> = {}): RateCardItem => ({
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
const job = (overrides: Partial<JobFacts> = {}): JobFacts => ({
  serviceType: 'tow',
  isGoa: false,
  isAfterHours: false,
  miles: null,
  quarterHours: null,
  storage: null,
  isStorageOnly: false,
  ...overrides,
});
const MILES = item({
  name: 'Miles',
  category: 'mileage',
  unit_type: 'mile',
  unit_price_cents: 450,
  included_quantity: 5,
});
const STORAGE = item({ name: 'Storage', category: 'storage', unit_type: 'day', unit_price_cents: 4500 });

/** Lines as `quantity × price = total`. */
const told = (items: RateCardItem[], facts: JobFacts) =>
  priceJob(items, facts).lines.map(
    (line) =>
      `${line.name}: ${line.quantity} ${line.unit_type} × ${line.unit_price_cents} = ${line.total_cents}`,
  );

describe('the price of a job', () => {
  it('charges hook-up once and the loaded miles beyond the included ones, to four decimals', () => {
    expect(told([item(), MILES], job({ miles: 12.5 }))).to.deep.equal([
      'Hook-up: 1 flat × 7500 = 7500',
      'Miles: 7.5 mile × 450 = 3375',
    ]);
    expect(told([MILES], job({ miles: 12.34567 }))).to.deep.equal(['Miles: 7.3457 mile × 450 = 3306']);
    for (const miles of [0, 4.9, 5]) expect(told([MILES], job({ miles }))).to.deep.equal([]);
  });

  it('says why an item is not charged: miles that nobody has told, what is included, hours of the day', () => {
    const surcharge = item({ category: 'after_hours', after_hours: true });
    const { explanation } = priceJob([MILES, surcharge, item({ unit_type: 'gallon' })], job());
    expect(explanation.map(({ line, reason }) => [line, reason])).to.deep.equal([
      [null, 'the miles of this job are not known'],
      [null, 'not after hours'],
      [null, 'the gallons of this job are not known'],
    ]);
    const [counted] = priceJob([MILES], job({ miles: 3 })).explanation;
    expect(counted).to.include({
      line: null,
      measured_quantity: 3,
      included_quantity: 5,
      charged_quantity: 0,
    });
  });

  it('charges by the started quarter hour, as quarters or as hours', () => {
    const hourly = item({
      name: 'Wrecker',
      category: 'tow',
      unit_type: 'hour',
      unit_price_cents: 32_500,
      included_quantity: 1,
    });
    const wait = item({
      name: 'Wait',
      category: 'wait_time',
      unit_type: 'quarter_hour',
      unit_price_cents: 2200,
    });
    expect(told([hourly, wait], job({ quarterHours: 7 }))).to.deep.equal([
      'Wrecker: 0.75 hour × 32500 = 24375',
      'Wait: 7 quarter_hour × 2200 = 15400',
    ]);
  });

  it('raises a line to its minimum, and says so', () => {
    const items = [{ ...MILES, minimum_cents: 5000 }];
    const { lines, explanation } = priceJob(items, job({ miles: 6 }));
    expect(lines[0]).to.include({
      quantity: 1,
      unit_type: 'flat',
      unit_price_cents: 5000,
      total_cents: 5000,
    });
    expect(explanation[0]).to.include({ minimum_applied: true, charged_quantity: 1 });
    expect(told(items, job({ miles: 5 })), 'nothing to raise').to.deep.equal([]);
    expect(told(items, job({ miles: 30 }))).to.deep.equal(['Miles: 25 mile × 450 = 11250']);
  });

  it('takes the item of the very service instead of the one for any, in its category alone', () => {
    const heavy = item({ name: 'Heavy hook-up', service_type: 'heavy_duty_tow', unit_price_cents: 25_000 });
    const items = [
      item(),
      heavy,
      MILES,
      item({ name: 'Lockout', service_type: 'lockout', category: 'roadside' }),
    ];
    expect(told(items, job({ serviceType: 'heavy_duty_tow', miles: 6 }))).to.deep.equal([
      'Heavy hook-up: 1 flat × 25000 = 25000',
      'Miles: 1 mile × 450 = 450',
    ]);
    expect(told(items, job({ serviceType: 'lockout' }))).to.deep.equal([
      'Hook-up: 1 flat × 7500 = 7500',
      'Lockout: 1 flat × 7500 = 7500',
    ]);
  });

  it('adds what is for after hours then, and only then', () => {
    const items = [
      item(),
      item({ name: 'Night', category: 'after_hours', unit_price_cents: 5000, after_hours: true }),
    ];
    expect(told(items, job({ isAfterHours: true }))).to.have.length(2);
    expect(told(items, job())).to.have.length(1);
  });

  it('of a job that came for nothing is its goa items, which no other job pays', () => {
    const items = [item(), MILES, item({ name: 'GOA', category: 'goa', unit_price_cents: 4000 })];
    expect(told(items, job({ isGoa: true, miles: 20 }))).to.deep.equal(['GOA: 1 flat × 4000 = 4000']);
    expect(told(items, job())).to.deep.equal(['Hook-up: 1 flat × 7500 = 7500']);
  });

  it("charges storage by the day at the impound's rate, once; gate and impound fees only with an impound", () => {
    const gate = item({ name: 'Gate', category: 'gate_fee', unit_price_cents: 6000 });
    const items = [gate, STORAGE, { ...STORAGE, name: 'Storage again' }];
    expect(told(items, job({ storage: { days: 3, rateCents: 4000 } }))).to.deep.equal([
      'Gate: 1 flat × 6000 = 6000',
      'Storage: 3 day × 4000 = 12000',
    ]);
    expect(told(items, job())).to.deep.equal([]);
    expect(told(items, job({ storage: { days: 2, rateCents: 4000 }, isStorageOnly: true }))).to.deep.equal([
      'Storage: 2 day × 4000 = 8000',
    ]);
    expect(told([], job({ storage: { days: 2, rateCents: 4000 } }))).to.deep.equal([
      'Storage: 2 day × 4000 = 8000',
    ]);
  });

  it('finds the rate of a new impound: for the very service, else for any', () => {
    const own = { ...STORAGE, service_type: 'impound_tow', unit_price_cents: 3000 };
    expect(storageItem([STORAGE, own], 'impound_tow')).to.equal(own);
    expect(storageItem([own, STORAGE], 'tow')).to.equal(STORAGE);
    expect(storageItem([own], 'tow')).to.equal(undefined);
    expect(storageItem([own], null)).to.equal(own);
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
  const facts = fc.record<JobFacts>({
    serviceType: fc.constantFrom(...SERVICES),
    isGoa: fc.boolean(),
    isAfterHours: fc.boolean(),
    miles: fc.option(miles),
    quarterHours: fc.option(fc.nat(100_000_000)),
    storage: fc.option(fc.record({ days: fc.nat(10_000), rateCents: fc.nat(1_000_000) })),
    isStorageOnly: fc.boolean(),
  });
  const totalOf = (lines: { total_cents: number }[]) =>
    lines.reduce((sum, line) => sum + line.total_cents, 0);

  it('makes lines that any client could have sent: whole cents, none negative, their sum the subtotal', () => {
    fc.assert(
      fc.property(items, facts, (card, one) => {
        const { lines, explanation } = priceJob(card, one);
        for (const line of lines) {
          expect(Number.isSafeInteger(line.total_cents) && line.total_cents >= 0).to.equal(true);
          expect(line.total_cents).to.equal(lineTotalCents(line.quantity, line.unit_price_cents));
        }
        const priced = priceInvoice(
          lines.map((line) => ({ ...line, taxable: line.taxable ?? false })),
          825,
        );
        expect(priced.subtotalCents).to.equal(totalOf(lines));
        expect(explanation.filter(({ line }) => line !== null).map(({ line }) => line)).to.deep.equal(
          lines.map((_, index) => index + 1),
        );
        for (const { reason } of explanation) expect(reason).to.not.equal('');
      }),
    );
  });

  it('never falls when the truck has driven farther', () => {
    fc.assert(
      fc.property(items, facts, miles, miles, (card, one, a, b) => {
        const priceOf = (driven: number) => totalOf(priceJob(card, { ...one, miles: driven }).lines);
        expect(priceOf(Math.max(a, b))).to.be.at.least(priceOf(Math.min(a, b)));
      }),
    );
  });

  it('of storage is the same however its days are split over invoices', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }),
        fc.nat(1_000_000),
        (parts, rateCents) => {
          const priceOf = (days: number) =>
            totalOf(priceJob([STORAGE], job({ storage: { days, rateCents }, isStorageOnly: true })).lines);
          const whole = priceOf(parts.reduce((sum, days) => sum + days, 0));
          expect(parts.map(priceOf).reduce((sum, cents) => sum + cents, 0)).to.equal(whole);
        },
      ),
    );
  });
});
