import { expect } from 'chai';
import { pullInspections } from '../../../shared/integrations/motive/inspections.js';
import { FakeVendor, toMotivePage } from '../../support/vendors/doubles/fleet/fake-vendor.js';

const TIME = '2026-11-28T10:00:00Z';
const SIGNED = '2026-11-28T11:00:00.000Z';
const START = { stream: 'inspections', cursor: null, since: null };
const PATH = '/v2/inspection_reports';

describe('The reports of Motive', () => {
  const report = (members: object = {}) => ({
    inspection_report: { id: 1, status: 'open', time: TIME, vehicle: { id: 7 }, ...members },
  });
  const pull = async (...rows: unknown[]) => {
    const vendor = new FakeVendor({ [PATH]: [toMotivePage('inspection_reports', rows)] });
    return (await pullInspections(vendor.connection, START)).changes;
  };
  const part = (members: object = {}) => ({ id: 5, category: 'Brakes', status: 'open', ...members });
  const findVerdict = async (members: object) => (await pull(report(members)))[0]?.fields.verdict;

  it('a vehicle is unsafe while it is rejected, or a defect that is not minor is open', async () => {
    const minor = part({ type: 'minor' });
    const major = part({ type: 'major' });
    for (const [members, verdict] of [
      [{ inspected_parts: [] }, 'safe'],
      [{}, 'safe'],
      [{ inspected_parts: [part({ type: 'none' }), part({ status: 'good' }), { id: 3 }] }, 'safe'],
      [{ inspected_parts: [minor] }, 'safe'],
      [{ inspected_parts: [part({ defects: [{ severity: 'minor' }] })] }, 'safe'],
      [{ inspected_parts: [minor, major] }, 'unsafe'],
      [{ inspected_parts: [part()] }, 'unsafe'],
      [{ inspected_parts: [part({ defects: [{ severity: 'minor' }, { severity: 'major' }] })] }, 'unsafe'],
      [{ inspected_parts: [part({ type: 'minor', defects: [{ severity: 'major' }] })] }, 'unsafe'],
      [{ inspected_parts: [part({ defects: [{ severity: 'other' }] })] }, 'unsafe'],
      [{ inspected_parts: [part({ id: null, type: 'major' })] }, 'unsafe'],
      [{ is_rejected: true }, 'unsafe'],
      [{ is_rejected: true, inspected_parts: [{ ...major, status: 'repaired' }] }, 'unsafe'],
      [{ status: 'a new state', inspected_parts: [major] }, 'unsafe'],
      [{ status: null, inspected_parts: [major] }, 'unsafe'],
      [{ inspected_parts: [{ ...major, status: 'repaired' }] }, 'resolved'],
      [{ inspected_parts: [{ ...major, status: 'no_repair_needed' }, minor] }, 'resolved'],
      [
        {
          inspected_parts: [
            { ...major, status: 'repaired' },
            { ...major, id: 6 },
          ],
        },
        'unsafe',
      ],
      [{ status: 'resolved', inspected_parts: [major] }, 'resolved'],
      [{ status: 'harmless', is_rejected: true }, 'resolved'],
      [{ status: 'corrected' }, 'resolved'],
      [{ status: 'acceptable' }, 'safe'],
    ] as const)
      expect(await findVerdict(members), JSON.stringify(members)).to.equal(verdict);
  });

  it('names the defects of a report, and who repaired them when', async () => {
    const details = { mechanic_name: 'Jane', mechanic_signed_at: SIGNED, mechanic_note: 'New pads' };
    const [change] = await pull(
      report({
        inspection_type: 'post_trip',
        odometer: 1234.6,
        driver: { id: 9 },
        inspected_parts: [
          part({ id: 1, type: 'major', defects: [{ title: 'Worn' }, { title: 'Loud' }] }),
          part({ id: 2, type: 'minor', notes: 'Squeals', status: 'repaired', mechanic_details: details }),
        ],
      }),
    );
    expect(change?.fields).to.deep.equal({
      vehicle: '7',
      driver: '9',
      kind: 'post_trip',
      verdict: 'unsafe',
      defects: [
        { externalId: '1', component: 'Brakes: Worn, Loud', resolvedAt: null, resolvedBy: null },
        { externalId: '2', component: 'Brakes: Squeals', resolvedAt: SIGNED, resolvedBy: 'Jane' },
      ],
      odometerMiles: 1235,
      notes: 'New pads',
      submittedAt: '2026-11-28T10:00:00.000Z',
      updatedAt: SIGNED,
    });
  });

  it('wrong members of a report are left out, and the report stays', async () => {
    const wrong = report({
      odometer: '9',
      // JSON can hold an object that no conversion to a text accepts.
      inspection_type: { toString: 1, valueOf: 1 },
      inspected_parts: [
        null,
        5,
        [],
        part({ id: {}, category: 7 }),
        part({ defects: 'x', mechanic_details: 3 }),
      ],
    });
    const noRecords = [null, {}, { inspection_report: null }, report({ id: {} }), report({ vehicle: 'x' })];
    const changes = await pull(...noRecords, report({ vehicle: null, asset: { id: 3 } }), wrong);
    expect(changes).to.have.length(1);
    expect(changes[0]?.fields).to.include({ notes: null, odometerMiles: null, kind: 'pre_trip' });
    expect(changes[0]?.fields.defects.map(({ externalId }) => externalId)).to.deep.equal(['5']);
    const many = Array.from({ length: 201 }, (_, id) => part({ id }));
    expect((await pull(report({ inspected_parts: many })))[0]?.fields.defects).to.have.length(200);
  });

  it('a report whose times cannot be read still counts, and keeps its version', async () => {
    const bad = report({ time: 'soon', updated_at: '0000-06-01', inspected_parts: [part()] });
    const [first] = await pull(bad);
    const [second] = await pull(bad);
    expect(first?.version).to.equal(second?.version);
    const { submittedAt = '', updatedAt = '', verdict } = first?.fields ?? {};
    expect(verdict).to.equal('unsafe');
    for (const time of [submittedAt, updatedAt])
      expect(Date.now() - Date.parse(time)).to.be.within(-1000, 60_000);
  });

  it('the next read begins before the start of the last one, whatever its number of pages', async () => {
    const page = (page_no: number) =>
      toMotivePage('inspection_reports', [report()], { per_page: 1, page_no, total: 2 });
    const vendor = new FakeVendor({ [PATH]: [page(1), page(2), page(1)] });
    const begun = Date.now();
    const first = await pullInspections(vendor.connection, { ...START, since: '2026-11-01T00:00:00Z' });
    expect(first.isLast).to.equal(false);
    const second = await pullInspections(vendor.connection, { ...START, cursor: first.cursor });
    expect(second.isLast).to.equal(true);
    await pullInspections(vendor.connection, { ...START, cursor: second.cursor });
    const [one, two, three] = vendor.paths.map(({ searchParams }) => Object.fromEntries(searchParams));
    expect(one).to.include({ page_no: '1', updated_after: '2026-11-01T00:00:00.000Z' });
    expect(two).to.include({ page_no: '2', updated_after: '2026-11-01T00:00:00.000Z' });
    expect(three?.page_no).to.equal('1');
    const lead = begun - Date.parse(three?.updated_after ?? '');
    expect(lead).to.be.within(4.9 * 60_000, 5.1 * 60_000);
  });
});
