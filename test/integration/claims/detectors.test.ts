import { expect } from 'chai';
import { DETECTORS, type DetectorName } from '../../../shared/resources/suggestions/detectors/catalogue.js';
import { type BillingCompany, COMPANIES } from '../../fixtures/detectors/companies.js';
import { addCoverages, COVERED_COMPANY } from '../../fixtures/detectors/covered-billing.js';
import { drawBilling } from '../../fixtures/detectors/labelled-billing.js';
import { addRecords } from '../../fixtures/detectors/labelled-records.js';
import { storeBilling } from '../../fixtures/detectors/store-billing.js';
import { runBillingWatch } from '../../support/records/suggestions.js';
import type { TestStack } from '../../support/stack.js';
import { useStack } from '../../support/use-stack.js';

/**
 * The lowest precision and recall that a detector may have on invoices with known errors.
 * docs/detectors.md lists the measured values.
 */
const FLOORS: Readonly<Record<DetectorName, { precision: number; recall: number }>> = {
  missed_mileage: { precision: 0.65, recall: 0.55 },
  missed_after_hours: { precision: 0.7, recall: 0.65 },
  missed_winching: { precision: 0.6, recall: 0.6 },
  missed_storage: { precision: 0.6, recall: 0.9 },
  missed_fuel_surcharge: { precision: 0.7, recall: 0.6 },
  missed_driven_miles: { precision: 0.55, recall: 0.25 },
  missed_storage_days: { precision: 0.85, recall: 0.9 },
  anomaly_amount: { precision: 0.95, recall: 0.7 },
  anomaly_miles: { precision: 0.8, recall: 0.3 },
  anomaly_duration: { precision: 0.9, recall: 0.9 },
  anomaly_driven_miles: { precision: 0.5, recall: 0.45 },
  beyond_coverage: { precision: 0.65, recall: 0.9 },
  duplicate_invoice: { precision: 0.8, recall: 0.8 },
};

interface Score {
  labelled: number;
  found: number;
  right: number;
}

const ratio = (part: number, whole: number) => (whole === 0 ? 1 : part / whole);

describe('detectors over six labelled months of four companies', function () {
  this.timeout(120_000);
  const stack = useStack();
  const scores = new Map<string, Score>(
    Object.keys(DETECTORS).map((name) => [name, { labelled: 0, found: 0, right: 0 }]),
  );

  const scoreCompany = async (
    company: BillingCompany,
    add: typeof addRecords,
    isScored: (detector: string) => boolean,
  ) => {
    const tenant = await stack.createTenant(company.name, { timeZone: company.timeZone });
    const billing = drawBilling(company);
    add(company, billing);
    const { workOrders, labels } = billing;
    await storeBilling(stack, tenant.id, { company, workOrders });
    await runBillingWatch(stack);
    for (const { detector, entity_id } of await listSuggestions(tenant.client)) {
      if (!isScored(detector)) continue;
      const score = scores.get(detector) as Score;
      score.found += 1;
      if (labels.get(detector)?.has(entity_id)) score.right += 1;
    }
    for (const [detector, ids] of labels)
      if (isScored(detector)) (scores.get(detector) as Score).labelled += ids.size;
  };

  before(async () => {
    for (const company of COMPANIES) await scoreCompany(company, addRecords, () => true);
    // The corrections of this company change what the other detectors should find.
    await scoreCompany(COVERED_COMPANY, addCoverages, (detector) => detector === 'beyond_coverage');
  });

  async function listSuggestions(client: Awaited<ReturnType<TestStack['createTenant']>>['client']) {
    const items: { detector: string; entity_id: string }[] = [];
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await client.get(`/suggestions?limit=200${cursor ? `&cursor=${cursor}` : ''}`);
      items.push(...page.body.data.items);
      cursor = page.body.data.cursor;
    }
    return items;
  }

  it('the scores of all detectors are printed', () => {
    const formatRow = (name: string, ...rest: (string | number)[]) =>
      `      ${name.padEnd(24)}${rest.map((cell) => String(cell).padStart(10)).join('')}`;
    const rows = [...scores].map(([name, { labelled, found, right }]) =>
      formatRow(
        name,
        labelled,
        found,
        right,
        ratio(right, found).toFixed(2),
        ratio(right, labelled).toFixed(2),
      ),
    );
    console.log(
      [
        `      LABEL_SEED=${process.env.LABEL_SEED ?? ''}`,
        formatRow('detector', 'labelled', 'found', 'right', 'precision', 'recall'),
        ...rows,
      ].join('\n'),
    );
  });

  for (const [name, floor] of Object.entries(FLOORS)) {
    it(`detector ${name} has precision at least ${floor.precision} and recall at least ${floor.recall}`, () => {
      const { labelled, found, right } = scores.get(name) as Score;
      expect(labelled, 'labelled cases').to.be.at.least(8);
      expect(ratio(right, found), 'precision').to.be.at.least(floor.precision);
      expect(ratio(right, labelled), 'recall').to.be.at.least(floor.recall);
    });
  }
});
