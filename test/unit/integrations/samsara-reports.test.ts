import { expect } from 'chai';
import { pullInspections } from '../../../shared/integrations/samsara/inspections.js';
import { FakeVendor, toSamsaraPage as toPage } from '../../support/vendors/doubles/fleet/fake-vendor.js';

const TIME = '2026-11-28T10:00:00Z';
const START = { stream: 'inspections', cursor: null, since: null };

describe('The reports of Samsara', () => {
  const report = (members: object = {}) => ({
    id: '1',
    type: 'preTrip',
    safetyStatus: 'unsafe',
    vehicle: { id: '7' },
    dvirSubmissionBeginTime: TIME,
    dvirSubmissionTime: TIME,
    updatedAtTime: TIME,
    ...members,
  });
  const pull = async (reports: unknown[], defects: unknown[] = [], types: unknown[] = []) => {
    const samsara = new FakeVendor({
      '/dvirs/stream': [toPage(reports)],
      '/defects/stream': [toPage(defects)],
      '/defect-types': [toPage(types)],
    });
    const { changes } = await pullInspections(samsara.connection, START);
    return { changes, paths: samsara.paths };
  };

  it('a report whose times cannot be read still counts, and keeps its version', async () => {
    const bad = { dvirSubmissionTime: 'soon', dvirSubmissionBeginTime: null, updatedAtTime: '0000-06-01' };
    const [first] = (await pull([report(bad)])).changes;
    const [second] = (await pull([report(bad)])).changes;
    expect(first?.version).to.equal(second?.version);
    const { submittedAt = '', updatedAt = '', verdict } = first?.fields ?? {};
    expect(verdict).to.equal('unsafe');
    for (const time of [submittedAt, updatedAt])
      expect(Date.now() - Date.parse(time)).to.be.within(-1000, 60_000);
    const [dated] = (await pull([report({ updatedAtTime: undefined })])).changes;
    expect(dated?.fields.updatedAt).to.equal('2026-11-28T10:00:00.000Z');
  });

  it('a report without a status is left out until it has one', async () => {
    for (const safetyStatus of ['unknown', undefined, null, 'other'])
      expect((await pull([report({ safetyStatus })])).changes).to.deep.equal([]);
  });

  it('wrong members of a report and its defects are left out, and the report stays', async () => {
    const wrong = report({ mechanicNotes: 5, odometerMeters: '9', defectIds: [null, 5, 'd', {}] });
    const defects = [
      null,
      { id: 'd', comment: 4, isResolved: true, resolvedBy: { name: 7 }, resolvedAtTime: TIME },
    ];
    const { changes } = await pull([null, {}, report({ id: {} }), report({ vehicle: 'x' }), wrong], defects);
    expect(changes).to.have.length(1);
    expect(changes[0]?.fields).to.include({ notes: null, odometerMiles: null });
    expect(changes[0]?.fields.defects).to.deep.equal([
      { externalId: '5', component: 'Defect', resolvedAt: null, resolvedBy: null },
      { externalId: 'd', component: 'Defect', resolvedAt: '2026-11-28T10:00:00.000Z', resolvedBy: null },
    ]);
  });

  it('defects of a trailer are not those of the truck', async () => {
    const defects = [
      { id: 'a', comment: 'Truck', isResolved: false, vehicle: { id: '7' } },
      { id: 'b', comment: 'Trailer', isResolved: false, trailer: { id: '8' } },
    ];
    const { changes } = await pull([report({ defectIds: ['a', 'b'] })], defects);
    expect(changes[0]?.fields.defects.map(({ component }) => component)).to.deep.equal(['Truck']);
  });

  it('names the types of more than a hundred defects, and keeps 200 of one report', async () => {
    const ids = Array.from({ length: 201 }, (_, index) => `d${index}`);
    const defects = ids.map((id) => ({ id, comment: '', isResolved: false, defectTypeId: `t${id}` }));
    const types = ids.map((id) => ({ id: `t${id}`, label: `Type ${id}` }));
    const { changes, paths } = await pull([report({ defectIds: ids })], defects, types);
    expect(changes[0]?.fields.defects).to.have.length(200);
    expect(changes[0]?.fields.defects.at(-1)?.component).to.equal('Type d199');
    const asked = paths.flatMap(({ searchParams }) => searchParams.get('ids')?.split(',').length ?? []);
    expect(asked).to.deep.equal([100, 100]);
  });
});
