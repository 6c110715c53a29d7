import { expect } from 'chai';
import type { RateCardItem } from '../../../shared/contracts/generated.js';
import { INITIAL_THRESHOLDS } from '../../../shared/resources/suggestions/detectors/catalogue.js';
import { runDetectors } from '../../../shared/resources/suggestions/detectors/detect.js';
import type {
  BilledLineItem,
  BilledWorkOrder,
  DetectionSubject,
} from '../../../shared/resources/suggestions/detectors/facts.js';

let serial = 0;

function createLine(quantity: number, change: Partial<BilledLineItem> = {}): BilledLineItem {
  const price = 450;
  return {
    name: 'Loaded miles',
    category: 'mileage',
    quantity,
    unit_type: 'mile',
    unit_price_cents: price,
    total_cents: Math.round(quantity * price),
    taxable: true,
    ...change,
  };
}

/** A tow of 20 loaded miles by its positions, of which 15 were billed. */
function createJob(change: Partial<BilledWorkOrder> = {}): BilledWorkOrder {
  serial += 1;
  return {
    invoice_id: `invoice-${serial}`,
    invoice_number: `INV-${serial}`,
    work_order_id: `job-${serial}`,
    service_type: 'tow',
    company_type: null,
    subtotal_cents: 10_000,
    miles: 20,
    driven_miles: 20,
    driven_source: 'positions',
    driven_coverage: 1,
    driven_measured_at: '1',
    minutes: null,
    off_hours: null,
    mentions_winch: false,
    held_days: null,
    lines: [createLine(15)],
    billed_elsewhere: [],
    ...change,
  };
}

/** Nine tows of 20 reported miles. Five of these were free. */
const HISTORY = Array.from({ length: 9 }, () => createJob());

function detect(job: BilledWorkOrder, change: Partial<DetectionSubject> = {}) {
  const subject = {
    job,
    cardItems: null,
    impound: undefined,
    coverage: undefined,
    history: HISTORY,
    possibleDuplicates: [],
  };
  return runDetectors({ ...subject, ...change }, INITIAL_THRESHOLDS).filter(({ detector }) =>
    ['missed_driven_miles', 'anomaly_driven_miles', 'missed_mileage'].includes(detector),
  );
}

const listDetectors = (...given: Parameters<typeof detect>) => detect(...given).map((one) => one.detector);

describe('the comparison of billed with driven miles', () => {
  it('without a rate card, the free miles are those that earlier invoices left out', () => {
    const [found] = detect(createJob({ lines: [createLine(8)] }));
    expect(found).to.include({ detector: 'missed_driven_miles', amount_cents: 3_150 });
    expect(found?.proposed_lines[0]).to.include({ quantity: 7, unit_price_cents: 450, total_cents: 3_150 });
    expect(
      listDetectors(createJob({ lines: [createLine(8)] }), { history: HISTORY.slice(0, 7) }),
    ).to.deep.equal([]);
  });

  it('a company that bills more than the loaded miles also bills the way there, so nothing is compared', () => {
    const history = HISTORY.map((one) => ({ ...one, lines: [createLine(32)] }));
    expect(listDetectors(createJob({ lines: [createLine(8)] }), { history })).to.deep.equal([]);
  });

  it('mileage that is flat, billed twice or on another invoice, and positions with gaps, prove nothing', () => {
    const line = createLine(40);
    expect(listDetectors(createJob({ lines: [line] }))).to.deep.equal(['anomaly_driven_miles']);
    for (const change of [
      { lines: [createLine(1, { unit_type: 'flat' })] },
      { lines: [line, createLine(2)] },
      { lines: [line], billed_elsewhere: ['mileage'] },
      { lines: [line], driven_coverage: 0.89 },
      { lines: [line], driven_miles: null },
      { lines: [line, createLine(1, { category: 'adjustment', unit_price_cents: -5_000 })] },
    ])
      expect(listDetectors(createJob(change)), JSON.stringify(change)).to.deep.equal([]);
  });

  it('too many miles are reduced to the minimum of the rate card at most', () => {
    const reduce = (quantity: number, minimum_cents: number | null, driven_miles = 10) => {
      const item = {
        category: 'mileage',
        unit_type: 'mile',
        service_type: null,
        included_quantity: 5,
        unit_price_cents: 450,
        minimum_cents,
      } as RateCardItem;
      const job = createJob({ lines: [createLine(quantity)], driven_miles });
      return detect(job, { cardItems: [item] })[0];
    };
    // Five miles are due, at 22.50 dollars.
    expect(reduce(12, null)).to.include({ detector: 'anomaly_driven_miles', amount_cents: 3_150 });
    expect(reduce(12, 4_000)?.amount_cents).to.equal(1_400);
    expect(reduce(12, 4_000)?.proposed_lines[0]).to.include({
      total_cents: -1_400,
      description: 'To the minimum of the rate card',
    });
    expect(reduce(12, 5_400), 'billed is the minimum').to.equal(undefined);
    expect(reduce(12, 4_000, 5)?.amount_cents, 'no miles are due').to.equal(5_400);
  });

  it('if the driver reported what was billed, the difference must be twice as large', () => {
    const bill = (quantity: number, miles: number | null) =>
      listDetectors(createJob({ lines: [createLine(quantity)], miles }));
    // The tolerance is 15 % of 20 miles.
    expect(bill(11.5, 20)).to.deep.equal(['missed_driven_miles']);
    expect(bill(11.5, null)).to.deep.equal(['missed_driven_miles']);
    expect(bill(11.5, 16.5)).to.deep.equal([]);
    expect(bill(8.5, 13.5)).to.deep.equal(['missed_driven_miles']);
    expect(bill(12.5, 20), 'within the tolerance').to.deep.equal([]);
  });

  it('mileage that was forgotten is also found if the driver reported no miles but positions show them', () => {
    const forgotten = { lines: [createLine(1, { category: 'tow', unit_type: 'flat' })], miles: null };
    expect(listDetectors(createJob(forgotten))).to.deep.equal(['missed_mileage']);
    expect(listDetectors(createJob({ ...forgotten, driven_coverage: 0.5 }))).to.deep.equal([]);
  });
});
