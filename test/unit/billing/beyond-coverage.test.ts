import { expect } from 'chai';
import { priceInvoice } from '../../../shared/billing/money.js';
import type { RateCardItem } from '../../../shared/contracts/generated.js';
import { findBeyondCoverage } from '../../../shared/resources/suggestions/detectors/beyond-coverage.js';
import { INITIAL_THRESHOLDS } from '../../../shared/resources/suggestions/detectors/catalogue.js';
import type {
  BilledLineItem,
  CoverageTerms,
  DetectionSubject,
} from '../../../shared/resources/suggestions/detectors/facts.js';

const TAX_RATE_BPS = 825;

function createLine(change: Partial<BilledLineItem> = {}): BilledLineItem {
  const line = {
    name: 'Tow',
    category: 'tow',
    quantity: 1,
    unit_type: 'flat',
    unit_price_cents: 10_000,
    taxable: true,
    ...change,
  };
  return { ...line, total_cents: Math.round(line.quantity * line.unit_price_cents) };
}

const mileage = (quantity: number, change: Partial<BilledLineItem> = {}) =>
  createLine({ category: 'mileage', unit_type: 'mile', quantity, unit_price_cents: 450, ...change });

interface Given {
  coverage: Partial<CoverageTerms>;
  freeMiles?: number;
  service?: string;
}

function detect(lines: BilledLineItem[], { coverage, freeMiles = 0, service = 'tow' }: Given) {
  const item = {
    category: 'mileage',
    unit_type: 'mile',
    service_type: null,
    included_quantity: freeMiles,
    unit_price_cents: 450,
  } as RateCardItem;
  const subject = {
    job: {
      invoice_id: 'invoice-1',
      service_type: service,
      subtotal_cents: lines.reduce((sum, line) => sum + line.total_cents, 0),
      lines,
    },
    cardItems: [item],
    coverage: {
      loaded_miles: null,
      amount_cents: null,
      service_types: null,
      earlier_miles: 0,
      earlier_cents: 0,
      ...coverage,
    },
  } as unknown as DetectionSubject;
  return findBeyondCoverage(subject, INITIAL_THRESHOLDS);
}

const listTakenOff = (found: ReturnType<typeof detect>) =>
  found?.proposed_lines.map(({ name, total_cents, taxable }) => [name, total_cents, taxable]);

describe('the detector of what a customer does not cover', () => {
  it('takes off the billed miles beyond the covered ones, of which some are free', () => {
    const found = detect([createLine(), mileage(15)], { coverage: { loaded_miles: 10 }, freeMiles: 5 });
    expect(found).to.include({
      amount_cents: 4_500,
      title: 'More is billed than the customer covers',
      rationale:
        '$167.50 before tax are billed. The customer covers 10 loaded miles of a work order; 15 are billed here, 5 more are free: 10 miles for $45.00 are beyond. Beyond the coverage are $45.00. Accepting takes them off this invoice; charge them to the motorist.',
    });
    expect(listTakenOff(found)).to.deep.equal([['Beyond coverage: 10 miles', -4_500, true]]);
  });

  it('without a rate card of the same price, the billed miles count alone', () => {
    const lines = [mileage(15, { unit_price_cents: 600 })];
    expect(detect(lines, { coverage: { loaded_miles: 10 }, freeMiles: 5 })?.amount_cents).to.equal(3_000);
  });

  it('takes the last miles first, at their own price and taxation', () => {
    const lines = [mileage(8), mileage(4, { unit_price_cents: 300, taxable: false })];
    expect(listTakenOff(detect(lines, { coverage: { loaded_miles: 5 } }))).to.deep.equal([
      ['Beyond coverage: 7 miles', -1_350, true],
      ['Beyond coverage: 7 miles', -1_200, false],
    ]);
  });

  it('miles and amounts of earlier invoices of the work order use up the coverage', () => {
    const coverage = { loaded_miles: 10, amount_cents: 20_000, earlier_miles: 6, earlier_cents: 15_000 };
    const found = detect([createLine(), mileage(10)], { coverage });
    expect(found?.amount_cents).to.equal(9_500);
    expect(listTakenOff(found)).to.deep.equal([
      ['Beyond coverage: 6 miles', -2_700, true],
      ['Beyond coverage: amount', -6_800, true],
    ]);
    expect(found?.rationale).to.contain('earlier invoices bill 6: 6 miles for $27.00 are beyond.');
    expect(found?.rationale).to.contain(
      'The customer covers $200.00 of a work order, and earlier invoices bill $150.00.',
    );
  });

  it('the amounts of customer and motorist add up to the invoice, each with its taxable share', () => {
    const lines = [
      createLine({ unit_price_cents: 10_001 }),
      createLine({ unit_price_cents: 3_333, taxable: false }),
    ];
    const found = detect(lines, { coverage: { amount_cents: 7_777 } });
    const taken = found?.proposed_lines ?? [];
    expect(taken.map(({ taxable }) => taxable)).to.deep.equal([true, false]);
    const before = priceInvoice(lines, TAX_RATE_BPS);
    const club = priceInvoice([...lines, ...taken], TAX_RATE_BPS);
    const motorist = priceInvoice(
      taken.map((line) => ({ ...line, unit_price_cents: -line.unit_price_cents })),
      TAX_RATE_BPS,
    );
    expect(club.subtotalCents).to.equal(7_777);
    expect(club.subtotalCents + motorist.subtotalCents).to.equal(before.subtotalCents);
    // Each invoice rounds its tax once, so two may differ from one by a cent.
    expect(Math.abs(club.taxCents + motorist.taxCents - before.taxCents)).to.be.at.most(1);
  });

  it('an accepted suggestion leaves nothing to find, and a discount counts as taken off', () => {
    const lines = [createLine(), mileage(15)];
    const given = { coverage: { loaded_miles: 10, amount_cents: 12_000 }, freeMiles: 5 };
    const found = detect(lines, given);
    const taken = (found?.proposed_lines ?? []) as BilledLineItem[];
    expect(detect([...lines, ...taken], given)).to.equal(undefined);
    const discount = createLine({ category: 'discount', unit_price_cents: -3_000 });
    expect(found?.amount_cents).to.equal(4_750);
    expect(detect([...lines, discount], given)?.amount_cents).to.equal(1_750);
  });

  it('of a service that is not covered everything is beyond, and no line item is proposed', () => {
    const coverage = { service_types: ['tow', 'jump_start'], loaded_miles: 10 };
    const found = detect([createLine()], { coverage, service: 'lockout' });
    expect(found).to.deep.include({
      title: 'The customer does not cover this service',
      amount_cents: 10_000,
      proposed_lines: [],
    });
    expect(detect([createLine()], { coverage })).to.equal(undefined);
  });

  it('less than the threshold is not reported, and other limits or another subtotal are another finding', () => {
    const bill = (miles: number, limit = 10) =>
      detect([createLine(), mileage(miles)], { coverage: { loaded_miles: limit } });
    expect(bill(11)).to.equal(undefined);
    expect(bill(12)?.amount_cents).to.equal(900);
    const occasions = [bill(12), bill(12, 9), bill(13)].map((found) => found?.occasion);
    expect(new Set(occasions).size).to.equal(3);
  });
});
