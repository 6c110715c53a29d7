import { expect } from 'chai';
import { listValidationErrors } from '../../support/expect-error.js';
import {
  blocksDispatch,
  createInspection,
  createRecord,
  FATAL_DEFECT,
} from '../../support/records/inspections.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const AT = '2026-11-21T08:00:00.000Z';

type Defect = { id: string; component: string; resolved_at: string | null };

describe('PATCH /inspections/{id}', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let truckId: string;

  before(async () => {
    truckId = (await createRecord(tenant.client, '/trucks', { unit_number: 'T-1', duty_class: 'light' })).id;
  });

  const makeInspection = (body: Record<string, unknown> = {}) => createInspection(tenant.client, body);
  const isDispatchBlockedBy = (id: string) => blocksDispatch(stack, tenant.id, id);
  const patch = (id: string, body: unknown) => tenant.client.patch(`/inspections/${id}`, body);

  it('PATCH /inspections/{id} resolves a defect and frees the truck; null reopens it and blocks the truck', async () => {
    const inspection = await makeInspection({
      truck_id: truckId,
      defects: [FATAL_DEFECT, { component: 'Lamp', severity: 'minor' }],
    });
    const [fatal, lamp] = inspection.defects as [Defect, Defect];
    const resolution = { id: fatal.id, resolved_at: '2026-11-21T09:00:00+01:00', resolved_by: 'Jo' };
    const resolved = await patch(inspection.id, { defects: [resolution] });
    expect(resolved.status, resolved.text).to.equal(200);
    expect(resolved.body).to.deep.equal({
      ...inspection,
      defects: [{ ...fatal, resolved_at: AT, resolved_by: 'Jo' }, lamp],
      result: 'pass_with_defects',
      updated_at: resolved.body.updated_at,
    });
    expect(await isDispatchBlockedBy(inspection.id)).to.equal(false);
    expect(Date.parse(resolved.body.updated_at)).to.be.greaterThan(Date.parse(inspection.updated_at));
    const again = await patch(inspection.id, { defects: [resolution] });
    expect(again.body, 'a repeated PATCH changes nothing').to.deep.equal(resolved.body);
    const allResolved = await patch(inspection.id, { defects: [{ id: lamp.id, resolved_at: AT }] });
    expect(allResolved.body.result).to.equal('pass');
    const reopened = await patch(inspection.id, { defects: [{ id: fatal.id, resolved_at: null }] });
    expect(reopened.body.defects[0]).to.deep.equal(fatal);
    expect(reopened.body.result).to.equal('out_of_service');
    expect(await isDispatchBlockedBy(inspection.id)).to.equal(true);
  });

  it('concurrent PATCHes of one inspection lose no change', async () => {
    const inspection = await makeInspection({
      truck_id: truckId,
      defects: Array.from({ length: 6 }, () => FATAL_DEFECT),
    });
    const responses = await Promise.all(
      inspection.defects.map(({ id }: Defect) =>
        patch(inspection.id, { defects: [{ id, resolved_at: AT }] }),
      ),
    );
    expect(responses.map(({ status }) => status)).to.deep.equal(responses.map(() => 200));
    expect((await tenant.client.get(`/inspections/${inspection.id}`)).body.result).to.equal('pass');
    expect(await isDispatchBlockedBy(inspection.id)).to.equal(false);
  });

  it('PATCH /inspections/{id} changes the notes but no findings', async () => {
    const inspection = await makeInspection({
      notes: 'a',
      items: [{ key: 'horn', state: 'ok' }],
      defects: [FATAL_DEFECT],
    });
    const body = { notes: 'b', items: [], result: 'pass', kind: 'post_trip', truck_id: truckId };
    const patched = await patch(inspection.id, body);
    expect(patched.body).to.deep.equal({ ...inspection, notes: 'b', updated_at: patched.body.updated_at });
    expect((await patch(inspection.id, { notes: null })).body.notes).to.equal(null);
  });

  it('PATCH /inspections/{id} with an unknown defect is 400 and changes nothing', async () => {
    const [one, other] = [
      await makeInspection({ defects: [FATAL_DEFECT] }),
      await makeInspection({ defects: [FATAL_DEFECT] }),
    ];
    for (const id of [UNKNOWN_ID, other.defects[0].id]) {
      const defects = [
        { id: one.defects[0].id, resolved_at: AT },
        { id, resolved_at: AT },
      ];
      expect(listValidationErrors(await patch(one.id, { defects, notes: 'lost' }))).to.deep.equal([
        'defects[1].id unknown',
      ]);
    }
    expect((await tenant.client.get(`/inspections/${one.id}`)).body).to.deep.equal(one);
  });

  it('PATCH /inspections/{id} lists every problem at once', async () => {
    const { id, defects } = await makeInspection({ defects: [FATAL_DEFECT] });
    const repeatedResolution = { id: defects[0].id, resolved_at: AT };
    const invalidDefects = [
      { id: 'x', resolved_at: 'soon', resolved_by: 1 },
      {},
      repeatedResolution,
      repeatedResolution,
    ];
    expect(listValidationErrors(await patch(id, { defects: invalidDefects, notes: 1 }))).to.deep.equal([
      'defects[0].id guid',
      'defects[0].resolved_at dateTime',
      'defects[0].resolved_by base',
      'defects[1].id required',
      'defects[1].resolved_at required',
      'defects[3] unique',
      'notes base',
    ]);
  });
});
