import { expect } from 'chai';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { describeResource } from '../../support/records/describe-resource.js';
import {
  blocksDispatch,
  createInspection,
  createRecord,
  FATAL_DEFECT,
} from '../../support/records/inspections.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };
const AT = '2026-11-21T08:00:00.000Z';

describe('inspections', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing', { timeZone: 'America/New_York' });
  let truckId: string;
  let driverId: string;
  let workOrderId: string;

  before(async () => {
    truckId = (await createRecord(tenant.client, '/trucks', { unit_number: 'T-1', duty_class: 'light' })).id;
    driverId = (await createRecord(tenant.client, '/drivers', { name: 'Sam' })).id;
    workOrderId = (await createRecord(tenant.client, '/work-orders', { service_type: 'tow' })).id;
  });

  const makeInspection = (body: Record<string, unknown> = {}) => createInspection(tenant.client, body);
  const listIds = async (query: string): Promise<string[]> => {
    const response = await tenant.client.get(`/inspections?limit=200&${query}`);
    expect(response.status, response.text).to.equal(200);
    return response.body.data.items.map((item: { id: string }) => item.id);
  };
  const isDispatchBlockedBy = (id: string) => blocksDispatch(stack, tenant.id, id);

  describeResource(tenant, {
    path: '/inspections',
    schema: 'Inspection',
    smallest: () => ({ kind: 'post_trip' }),
    defaults: { kind: 'post_trip', result: 'pass', items: [], defects: [], photos: [] },
    filled: ['submitted_at'],
  });

  it('POST /inspections stores every field, sets absent ones to null, uses UTC and gives each defect an id', async () => {
    const url = 'https://files.example.com/a.jpg?x=1';
    const inspection = await makeInspection({
      kind: 'vehicle_condition',
      truck_id: truckId,
      driver_id: driverId,
      work_order_id: workOrderId,
      vehicle: { vin: '1hgcm82633a004352', make: 'Honda' },
      odometer_miles: 120_000,
      notes: 'a\nb',
      items: [
        { key: 'tires', label: 'Tires', state: 'attention', note: 'worn' },
        { key: 'horn', state: 'na' },
      ],
      defects: [
        { component: 'Lamp', severity: 'minor', resolved_at: '2026-11-21t03:00:00-05:00', resolved_by: 'Jo' },
        { component: 'Mirror', severity: 'major', resolved_by: 'nobody yet' },
      ],
      photos: [
        { slot: 'front', phase: 'before', url, taken_at: '2026-11-21T08:00:00Z' },
        { slot: 'roof_rack', url: 'http://example.com' },
      ],
    });
    expect(inspection).to.deep.include({
      kind: 'vehicle_condition',
      truck_id: truckId,
      driver_id: driverId,
      work_order_id: workOrderId,
      vehicle: { vin: '1HGCM82633A004352', plate: null, make: 'Honda', model: null, year: null },
      odometer_miles: 120_000,
      notes: 'a\nb',
      result: 'pass_with_defects',
      items: [
        { key: 'tires', label: 'Tires', state: 'attention', note: 'worn' },
        { key: 'horn', label: null, state: 'na', note: null },
      ],
      photos: [
        { slot: 'front', phase: 'before', url, taken_at: AT },
        { slot: 'roof_rack', phase: null, url: 'http://example.com', taken_at: null },
      ],
    });
    const [lamp, mirror] = inspection.defects;
    expect(lamp).to.include({ component: 'Lamp', severity: 'minor', resolved_at: AT, resolved_by: 'Jo' });
    expect(mirror).to.include({ component: 'Mirror', resolved_at: null, resolved_by: null });
    expect(lamp.id).to.match(/^[0-9a-f-]{36}$/);
    expect(mirror.id).to.not.equal(lamp.id);
  });

  describe('result of an inspection', () => {
    const failedItem = { items: [{ key: 'brakes', state: 'fail' }] };
    const cases: [string, Record<string, unknown>, string, boolean][] = [
      ['an item that needs attention', { items: [{ key: 'brakes', state: 'attention' }] }, 'pass', false],
      ['a failed item', failedItem, 'pass_with_defects', false],
      ['a minor defect', { defects: [{ ...FATAL_DEFECT, severity: 'minor' }] }, 'pass_with_defects', false],
      [
        'a resolved out_of_service defect',
        { defects: [{ ...FATAL_DEFECT, resolved_at: AT }] },
        'pass',
        false,
      ],
      [
        'a resolved defect and a failed item',
        { ...failedItem, defects: [{ ...FATAL_DEFECT, resolved_at: AT }] },
        'pass_with_defects',
        false,
      ],
      ['an out_of_service defect', { ...failedItem, defects: [FATAL_DEFECT] }, 'out_of_service', true],
    ];
    for (const [name, findings, result, isBlocking] of cases) {
      it(`an inspection with ${name} has the result ${result}, regardless of the body`, async () => {
        const inspection = await makeInspection({ truck_id: truckId, ...findings, result: 'pass' });
        expect(inspection.result).to.equal(result);
        expect(await isDispatchBlockedBy(inspection.id)).to.equal(isBlocking);
      });
    }

    it('an out_of_service inspection without a truck does not block dispatch', async () => {
      const inspection = await makeInspection({ defects: [FATAL_DEFECT] });
      expect(inspection.result).to.equal('out_of_service');
      expect(await isDispatchBlockedBy(inspection.id)).to.equal(false);
    });
  });

  it('POST /inspections lists every problem at once', async () => {
    const response = await tenant.client.post('/inspections', {
      kind: 'annual',
      truck_id: 'x',
      odometer_miles: -1,
      vehicle: { vin: '1HGCM82633A00435I', year: 1 },
      items: [{ key: '', state: 'good', note: 1 }, 'x'],
      defects: [{ severity: 'bad', resolved_at: 'x' }],
      photos: [{ slot: 'Front!', phase: '9', url: 'ftp://example.com/a', taken_at: 1 }, {}],
    });
    expect(listValidationErrors(response)).to.deep.equal([
      'defects[0].component required',
      'defects[0].resolved_at dateTime',
      'defects[0].severity only',
      'items[0].key empty',
      'items[0].note base',
      'items[0].state only',
      'items[1] base',
      'kind only',
      'odometer_miles min',
      'photos[0].phase pattern',
      'photos[0].slot pattern',
      'photos[0].taken_at base',
      'photos[0].url uriCustomScheme',
      'photos[1].slot required',
      'photos[1].url required',
      'truck_id guid',
      'vehicle.vin vin',
      'vehicle.year min',
    ]);
  });

  it('the URL of an inspection photo must use http or https and have at most 2048 characters', async () => {
    const tryPhotoUrl = (url: string) =>
      tenant.client.post('/inspections', { kind: 'pre_trip', photos: [{ slot: 'front', url }] }, DRY_RUN);
    const base = 'https://example.com/';
    expect((await tryPhotoUrl(base + 'a'.repeat(2048 - base.length))).status).to.equal(200);
    const longer = base + 'a'.repeat(2049 - base.length);
    for (const url of [
      longer,
      'http:x',
      '//example.com/a',
      'javascript:alert(1)',
      'https://a b',
      'data:,x',
    ]) {
      expect(listValidationErrors(await tryPhotoUrl(url)), url)
        .to.have.length(1)
        .and.match(/^photos\[0\]\.url /);
    }
  });

  it('POST /inspections refuses records of other accounts and lists all of them', async () => {
    const otherTenant = (await stack.createTenant('Foreign')).client;
    const truck = await otherTenant.post('/trucks', { unit_number: 'X', duty_class: 'light' });
    const driver = await otherTenant.post('/drivers', { name: 'X' });
    const body = { kind: 'pre_trip', truck_id: truck.body.id, driver_id: driver.body.id };
    const response = await tenant.client.post('/inspections', { ...body, work_order_id: UNKNOWN_ID });
    expect(listValidationErrors(response)).to.deep.equal([
      'driver_id unknown',
      'truck_id unknown',
      'work_order_id unknown',
    ]);
  });

  it('GET /inspections filters by every parameter and pages by cursor', async () => {
    const truck = (await createRecord(tenant.client, '/trucks', { unit_number: 'T-2', duty_class: 'light' }))
      .id;
    const one = await makeInspection({ kind: 'post_trip', truck_id: truck, driver_id: driverId });
    const two = await makeInspection({
      truck_id: truck,
      work_order_id: workOrderId,
      defects: [FATAL_DEFECT],
    });
    const listFiltered = (query: string) => listIds(`truck_id=${truck}&${query}`);
    expect(await listFiltered('')).to.deep.equal([two.id, one.id]);
    expect(await listFiltered('kind=post_trip')).to.deep.equal([one.id]);
    expect(await listFiltered(`driver_id=${driverId}`)).to.deep.equal([one.id]);
    expect(await listFiltered(`work_order_id=${workOrderId}`)).to.deep.equal([two.id]);
    expect(await listFiltered('result=out_of_service')).to.deep.equal([two.id]);
    expect(await listFiltered('result=pass_with_defects')).to.deep.equal([]);
    await stack.rows(tenant.id, 'update inspections set created_at = $3 where tenant_id = $1 and id = $2', [
      tenant.id,
      one.id,
      '2026-03-01T04:59:59Z',
    ]);
    // Midnight in New York is five hours later than in UTC.
    expect(await listFiltered('since=2026-03-01')).to.deep.equal([two.id]);
    expect(await listFiltered('until=2026-03-01')).to.deep.equal([one.id]);
    expect(await listFiltered('since=2026-03-01T04:59:59Z&until=2026-03-01T05:00:00Z')).to.deep.equal([
      one.id,
    ]);
    const { cursor } = (await tenant.client.get(`/inspections?truck_id=${truck}&limit=1`)).body.data;
    expect(await listFiltered(`cursor=${cursor}`)).to.deep.equal([one.id]);
    const invalidQuery = await tenant.client.get('/inspections?kind=x&result=x&truck_id=x&since=x');
    expect(listValidationErrors(invalidQuery)).to.deep.equal([
      'kind only',
      'result only',
      'since dateTime',
      'truck_id guid',
    ]);
  });

  it('a dry run of POST /inspections stores nothing and blocks no truck', async () => {
    const body = { kind: 'pre_trip', truck_id: truckId, notes: 'rehearsed', defects: [FATAL_DEFECT] };
    const preview = await tenant.client.post('/inspections', body, DRY_RUN);
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body.data).to.include({ result: 'out_of_service', notes: 'rehearsed' });
    expectError(await tenant.client.get(`/inspections/${preview.body.data.id}`), 404, 'not_found');
    expect(await isDispatchBlockedBy(preview.body.data.id)).to.equal(false);
  });

  it('agents cannot use inspections, regardless of their scopes', async () => {
    const { id } = await makeInspection();
    const agent = stack.createClient(
      await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_dispatch', 'write_work_orders'] }),
    );
    for (const response of [
      await agent.get('/inspections'),
      await agent.get(`/inspections/${id}`),
      await agent.post('/inspections', { kind: 'pre_trip' }),
      await agent.patch(`/inspections/${id}`, {}),
    ])
      expectError(response, 403, 'forbidden');
  });

  it("inspections of another tenant, including the account's own sandbox, are 404", async () => {
    const { body } = await tenant.sandbox.post('/inspections', { kind: 'pre_trip' });
    expect((await tenant.sandbox.get(`/inspections/${body.id}`)).status).to.equal(200);
    for (const id of [body.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`/inspections/${id}`), 404, 'not_found');
      expectError(await tenant.client.patch(`/inspections/${id}`, { notes: 'x' }), 404, 'not_found');
    }
    expect(await listIds('')).to.not.include(body.id);
  });
});
