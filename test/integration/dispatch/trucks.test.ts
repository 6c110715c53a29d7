import { expect } from 'chai';
import { truckFields } from '../../../shared/resources/trucks/fields.js';
import type { TestResponse } from '../../support/client.js';
import { expectError, listValidationErrors } from '../../support/expect-error.js';
import { describeResource } from '../../support/records/describe-resource.js';
import { UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };
const STATUSES_SET_BY_WORK_ORDER = ['assigned', 'en_route', 'on_scene', 'towing'];

let serial = 0;
function truckInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  serial += 1;
  return { unit_number: `T-${serial}`, duty_class: 'light', ...overrides };
}

describe('trucks', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const create = async (path: string, body: unknown): Promise<TestResponse['body']> => {
    const response = await tenant.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const listIds = async (query: string): Promise<string[]> => {
    const response = await tenant.client.get(`/trucks?limit=200&${query}`);
    expect(response.status, response.text).to.equal(200);
    return response.body.data.items.map((item: { id: string }) => item.id);
  };

  describeResource(tenant, {
    path: '/trucks',
    schema: 'Truck',
    smallest: () => truckInput({ duty_class: 'heavy' }),
    defaults: { duty_class: 'heavy', status: 'available' },
    filled: ['unit_number'],
    values: async () => ({
      ...truckInput(),
      duty_class: 'medium',
      status: 'off_duty',
      driver_id: (await create('/drivers', { name: 'Sam' })).id,
      vin: '1HGCM82633A004352',
      plate: 'TOW 1',
      make: 'Peterbilt',
      model: '389',
      year: 2022,
    }),
    nullable: ['driver_id', 'vin', 'plate', 'make', 'model', 'year'],
  });

  it('POST and PATCH of trucks refuse the statuses that a work order sets', async () => {
    const truck = await create('/trucks', truckInput());
    for (const status of [...STATUSES_SET_BY_WORK_ORDER, 'lost']) {
      expect(listValidationErrors(await tenant.client.post('/trucks', truckInput({ status })))).to.deep.equal(
        ['status only'],
      );
      expect(
        listValidationErrors(await tenant.client.patch(`/trucks/${truck.id}`, { status })),
      ).to.deep.equal(['status only']);
    }
    for (const status of ['returning', 'off_duty', 'out_of_service', 'available']) {
      expect((await tenant.client.patch(`/trucks/${truck.id}`, { status })).body.status).to.equal(status);
    }
  });

  it('POST and PATCH of trucks report every validation error', async () => {
    const invalid = {
      unit_number: 'x'.repeat(33),
      duty_class: 'super',
      driver_id: 'x',
      vin: '1HGCM82633A00435I',
      year: 1066,
      location: { lat: 91, lng: '2', heading: 361, speed_mph: -1, at: 'now' },
    };
    const expected = [
      'driver_id guid',
      'duty_class only',
      'location.at dateTime',
      'location.heading max',
      'location.lat max',
      'location.lng base',
      'location.speed_mph min',
      'unit_number max',
      'vin vin',
      'year min',
    ];
    expect(listValidationErrors(await tenant.client.post('/trucks', invalid))).to.deep.equal(expected);
    const truck = await create('/trucks', truckInput());
    expect(listValidationErrors(await tenant.client.patch(`/trucks/${truck.id}`, invalid))).to.deep.equal(
      expected,
    );
    expect(listValidationErrors(await tenant.client.post('/trucks', {}))).to.deep.equal([
      'duty_class required',
      'unit_number required',
    ]);
  });

  it('POST and PATCH of trucks refuse an unknown driver or a driver of another account, without effect', async () => {
    const theirs = await (await stack.createTenant('Foreign')).client.post('/drivers', { name: 'Theirs' });
    const truck = await create('/trucks', truckInput());
    for (const driver_id of [UNKNOWN_ID, theirs.body.id]) {
      expect(
        listValidationErrors(await tenant.client.post('/trucks', truckInput({ driver_id }))),
      ).to.deep.equal(['driver_id unknown']);
      const patched = await tenant.client.patch(`/trucks/${truck.id}`, { driver_id, plate: 'lost' });
      expect(listValidationErrors(patched)).to.deep.equal(['driver_id unknown']);
    }
    expect((await tenant.client.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
  });

  describe('unit numbers of trucks', () => {
    it('a unit number is unique in its account in any letter case, and free in another account', async () => {
      await create('/trucks', truckInput({ unit_number: 'Unit-Ä1' }));
      const again = await tenant.client.post('/trucks', truckInput({ unit_number: ' uNIT-ä1 ' }));
      expect(expectError(again, 409, 'conflict')).to.deep.include({
        field: 'unit_number',
        code: 'duplicate',
        message: 'unit_number uNIT-ä1 is taken',
      });
      const other = await stack.createTenant('Other');
      expect((await other.client.post('/trucks', truckInput({ unit_number: 'Unit-Ä1' }))).status).to.equal(
        201,
      );
    });

    it('a truck can change the letter case of its unit number, and no other truck can take that number', async () => {
      const one = await create('/trucks', truckInput({ unit_number: 'own-1' }));
      const two = await create('/trucks', truckInput({ unit_number: 'own-2' }));
      const recased = await tenant.client.patch(`/trucks/${one.id}`, { unit_number: 'OWN-1' });
      expect(recased.body.unit_number, recased.text).to.equal('OWN-1');
      const taken = await tenant.client.patch(`/trucks/${two.id}`, { unit_number: 'Own-1', plate: 'lost' });
      expectError(taken, 409, 'conflict');
      expect((await tenant.client.get(`/trucks/${two.id}`)).body).to.deep.equal(two);
      await tenant.client.patch(`/trucks/${one.id}`, { unit_number: 'own-3' });
      expect((await tenant.client.patch(`/trucks/${two.id}`, { unit_number: 'own-1' })).status).to.equal(200);
    });

    it('one of many concurrent requests for a unit number gets it, and requests for other numbers succeed', async () => {
      const renamed = await create('/trucks', truckInput());
      const [others, responses, patched] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => tenant.client.post('/trucks', truckInput()))),
        Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            tenant.client.post('/trucks', truckInput({ unit_number: index % 2 ? 'RACE' : 'race' })),
          ),
        ),
        tenant.client.patch(`/trucks/${renamed.id}`, { unit_number: 'Race' }),
      ]);
      expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 201));
      const statuses = [...responses, patched].map(({ status }) => status);
      expect(statuses.filter((status) => status < 300)).to.have.length(1);
      expect(statuses.filter((status) => status === 409)).to.have.length(10);
    });
  });

  describe('locations of trucks', () => {
    const at = () => new Date(Date.now() - 60_000).toISOString();

    it('a truck location is returned with its time, and is stale after five minutes', async () => {
      const fresh = { lat: 40.7128, lng: -74.006, heading: 90.5, speed_mph: 35, at: at() };
      const truck = await create('/trucks', truckInput({ location: fresh }));
      expect(truck.location).to.deep.equal({ ...fresh, stale: false });
      const old = { lat: 0, lng: 0, at: '2026-01-01T00:00:00+02:00' };
      const patched = await tenant.client.patch(`/trucks/${truck.id}`, { location: old });
      expect(patched.body.location, 'no member of the previous location is kept').to.deep.equal({
        lat: 0,
        lng: 0,
        heading: null,
        speed_mph: null,
        at: '2025-12-31T22:00:00.000Z',
        stale: true,
      });
    });

    it('a truck location without a time gets the current time, and null deletes the location', async () => {
      const truck = await create('/trucks', truckInput({ location: { lat: 1, lng: 2 } }));
      expect(Math.abs(Date.parse(truck.location.at) - Date.now())).to.be.lessThan(60_000);
      expect(truck.location.stale).to.equal(false);
      const cleared = await tenant.client.patch(`/trucks/${truck.id}`, { location: null });
      expect(cleared.body.location, cleared.text).to.equal(null);
    });

    it('a truck location without both coordinates is refused', async () => {
      const response = await tenant.client.post('/trucks', truckInput({ location: { lat: 1 } }));
      expect(listValidationErrors(response)).to.deep.equal(['location.lng required']);
    });
  });

  describe('trucks on a work order', () => {
    const setWorkOrder = (id: string, values: Record<string, string | null>) =>
      stack.rows(
        tenant.id,
        'update work_orders set status = $3, step = $4, truck_id = $5 where tenant_id = $1 and id = $2',
        [tenant.id, id, values.status, values.step ?? null, values.truck_id],
      );

    it('a truck shows its work order and progress, and its own status again once the work order has ended', async () => {
      const truck = await create('/trucks', truckInput({ status: 'off_duty', duty_class: 'heavy' }));
      const workOrder = await create('/work-orders', { service_type: 'tow' });
      const stages: [status: string, step: string | null, shown: string][] = [
        ['dispatched', null, 'assigned'],
        ['dispatched', 'acknowledged', 'assigned'],
        ['dispatched', 'en_route', 'en_route'],
        ['in_progress', null, 'en_route'],
        ['in_progress', 'on_scene', 'on_scene'],
        ['in_progress', 'hooked', 'on_scene'],
        ['in_progress', 'towing', 'towing'],
        ['in_progress', 'at_destination', 'towing'],
        ['in_progress', 'cleared', 'returning'],
      ];
      for (const [status, step, shown] of stages) {
        await setWorkOrder(workOrder.id, { status, step, truck_id: truck.id });
        const read = (await tenant.client.get(`/trucks/${truck.id}`)).body;
        expect(read).to.deep.equal({ ...truck, status: shown, current_work_order_id: workOrder.id });
        expect(await listIds(`status=${shown}&duty_class=heavy`), shown).to.include(truck.id);
      }
      expect(await listIds('status=off_duty')).to.not.include(truck.id);
      for (const status of ['completed', 'cancelled', 'pending']) {
        await setWorkOrder(workOrder.id, { status, truck_id: truck.id });
        expect((await tenant.client.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
      }
      expect(await listIds('status=off_duty')).to.include(truck.id);
    });

    it('the status of a truck is read by an index on work orders, not by a table scan', async () => {
      const plan = await stack.runtime.db.read<{ 'QUERY PLAN': string }>(tenant.id, {
        text: `explain select ${truckFields.representation('t')} from trucks t where t.tenant_id = $1`,
        values: [tenant.id],
      });
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).to.include('Index Scan using work_orders_truck').and.not.include('Seq Scan');
    });
  });

  describe('GET /trucks', () => {
    it('GET /trucks filters by duty class and by a part of the unit number in any letter case', async () => {
      const one = await create('/trucks', truckInput({ unit_number: 'FIND_me', duty_class: 'medium' }));
      const two = await create('/trucks', truckInput({ unit_number: 'findXme', duty_class: 'light' }));
      expect(await listIds('search=find_ME')).to.deep.equal([one.id]);
      expect(await listIds('search=find')).to.deep.equal([two.id, one.id]);
      expect(await listIds('search=find&duty_class=light')).to.deep.equal([two.id]);
      expect(await listIds('search=find&status=off_duty')).to.deep.equal([]);
    });

    it('GET /trucks continues at its cursor and refuses invalid filters', async () => {
      const query = '/trucks?search=find&limit=1';
      const first = (await tenant.client.get(query)).body.data;
      const second = (await tenant.client.get(`${query}&cursor=${first.cursor}`)).body.data;
      const both = (await tenant.client.get('/trucks?search=find')).body.data.items;
      expect([...first.items, ...second.items]).to.deep.equal(both);
      expect(second.cursor).to.equal(null);
      const invalid = await tenant.client.get('/trucks?status=lost&duty_class=x&limit=201');
      expect(listValidationErrors(invalid)).to.deep.equal(['duty_class only', 'limit max', 'status only']);
    });
  });

  it('a dry run of POST or PATCH of trucks stores nothing and reserves no unit number', async () => {
    const body = truckInput({ unit_number: 'DRY-1' });
    const preview = await tenant.client.post('/trucks', { ...body, colour: 'red' }, DRY_RUN);
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body.data).to.include({ unit_number: 'DRY-1', status: 'available' });
    expect(preview.body.warnings).to.deep.equal(['colour is not known and was ignored']);
    expect(await listIds('search=DRY-1')).to.deep.equal([]);
    const truck = await create('/trucks', body);
    expectError(await tenant.client.post('/trucks', body, DRY_RUN), 409, 'conflict');
    const rehearsed = await tenant.client.patch(`/trucks/${truck.id}`, { plate: 'P' }, DRY_RUN);
    expect(rehearsed.body.data.plate).to.equal('P');
    expect((await tenant.client.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
  });

  it('agents with read_dispatch can read trucks, and no agent can write them', async () => {
    const truck = await create('/trucks', truckInput());
    const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_dispatch'] });
    const agent = stack.createClient(key);
    expect((await agent.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
    expect((await agent.get('/trucks')).status).to.equal(200);
    expectError(await agent.post('/trucks', truckInput()), 403, 'forbidden');
    expectError(await agent.patch(`/trucks/${truck.id}`, {}), 403, 'forbidden');
    const other = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_work_orders'] });
    expectError(await stack.createClient(other).get('/trucks'), 403, 'insufficient_scope');
  });

  it('trucks of another tenant, including the sandbox, are not found', async () => {
    const { body } = await tenant.sandbox.post('/trucks', truckInput({ unit_number: 'SANDBOXED' }));
    expect((await tenant.sandbox.get(`/trucks/${body.id}`)).status).to.equal(200);
    for (const id of [body.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`/trucks/${id}`), 404, 'not_found');
      expectError(await tenant.client.patch(`/trucks/${id}`, { plate: 'x' }), 404, 'not_found');
    }
    expect(await listIds('search=SANDBOXED')).to.deep.equal([]);
    expect((await tenant.sandbox.get(`/trucks/${body.id}`)).body).to.deep.equal(body);
  });
});
