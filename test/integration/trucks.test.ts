import { expect } from 'chai';
import { truckRepresentation } from '../../shared/resources/trucks/representation.js';
import type { Answer } from '../support/client.js';
import { expectError, faultsOf } from '../support/expect-error.js';
import { UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const MEMBERS = [
  ...['id', 'unit_number', 'duty_class', 'status', 'driver_id', 'vin', 'plate', 'make', 'model', 'year'],
  ...['location', 'current_work_order_id', 'created_at', 'updated_at'],
];
const DRY_RUN = { headers: { 'x-service-dry-run': 'true' } };
const JOB_STATUSES = ['assigned', 'en_route', 'on_scene', 'towing'];

let serial = 0;
function truckInput(overrides: Record<string, unknown> = {}): Record<string, unknown> {
  serial += 1;
  return { unit_number: `T-${serial}`, duty_class: 'light', ...overrides };
}

describe('trucks', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('Hudson Towing');
  });
  after(() => stack.stop());

  const created = async (path: string, body: unknown): Promise<Answer['body']> => {
    const answer = await tenant.client.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const listed = async (query: string): Promise<string[]> => {
    const answer = await tenant.client.get(`/trucks?limit=200&${query}`);
    expect(answer.status, answer.text).to.equal(200);
    return answer.body.data.items.map((item: { id: string }) => item.id);
  };

  it('need unit_number and duty_class alone, have exactly the published members, and are read back byte for byte', async () => {
    const answer = await tenant.client.post('/trucks', { unit_number: 'T-100', duty_class: 'heavy' });
    expect(answer.status, answer.text).to.equal(201);
    expect(Object.keys(answer.body)).to.deep.equal(MEMBERS);
    expect(answer.body).to.include({ unit_number: 'T-100', duty_class: 'heavy', status: 'available' });
    const unset = ['driver_id', 'vin', 'plate', 'make', 'model', 'year', 'location', 'current_work_order_id'];
    expect(unset.map((member) => answer.body[member])).to.deep.equal(unset.map(() => null));
    expect(answer.headers.location).to.equal(`/v1/trucks/${answer.body.id}`);
    expect((await tenant.client.get(`/trucks/${answer.body.id}`)).text).to.equal(answer.text);
    expect((await tenant.client.get('/trucks?limit=1')).body.data.items).to.deep.equal([answer.body]);
    expect(faultsOf(await tenant.client.post('/trucks', {}))).to.deep.equal([
      'duty_class required',
      'unit_number required',
    ]);
  });

  it('give back every value they were made with, and take every one by PATCH', async () => {
    const driver = await created('/drivers', { name: 'Sam' });
    const values = {
      ...{ duty_class: 'medium', status: 'off_duty', driver_id: driver.id, vin: '1HGCM82633A004352' },
      ...{ plate: 'TOW 1', make: 'Peterbilt', model: '389', year: 2022 },
    };
    expect(await created('/trucks', truckInput(values))).to.include(values);
    const truck = await created('/trucks', truckInput());
    const patched = await tenant.client.patch(`/trucks/${truck.id}`, { ...values, unit_number: 'NEW-1' });
    expect(patched.status, patched.text).to.equal(200);
    expect(patched.body).to.deep.equal({
      ...{ ...truck, ...values, unit_number: 'NEW-1' },
      updated_at: patched.body.updated_at,
    });
    expect(Date.parse(patched.body.updated_at)).to.be.greaterThan(Date.parse(truck.updated_at));
    const nothing = await tenant.client.patch(`/trucks/${truck.id}`, { ...values, unit_number: 'NEW-1' });
    expect(nothing.body).to.deep.equal(patched.body);
    const nulls = { driver_id: null, vin: null, plate: null, make: null, model: null, year: null };
    expect((await tenant.client.patch(`/trucks/${truck.id}`, nulls)).body).to.include(nulls);
  });

  it('take none of the statuses that a job gives', async () => {
    const truck = await created('/trucks', truckInput());
    for (const status of [...JOB_STATUSES, 'lost']) {
      expect(faultsOf(await tenant.client.post('/trucks', truckInput({ status })))).to.deep.equal([
        'status only',
      ]);
      expect(faultsOf(await tenant.client.patch(`/trucks/${truck.id}`, { status }))).to.deep.equal([
        'status only',
      ]);
    }
    for (const status of ['returning', 'off_duty', 'out_of_service', 'available']) {
      expect((await tenant.client.patch(`/trucks/${truck.id}`, { status })).body.status).to.equal(status);
    }
  });

  it('name every fault at once', async () => {
    const faulty = {
      ...{ unit_number: 'x'.repeat(33), duty_class: 'super', driver_id: 'x', vin: '1HGCM82633A00435I' },
      ...{ year: 1066, location: { lat: 91, lng: '2', heading: 361, speed_mph: -1, at: 'now' } },
    };
    const expected = [
      ...['driver_id guid', 'duty_class only', 'location.at dateTime', 'location.heading max'],
      ...['location.lat max', 'location.lng base', 'location.speed_mph min', 'unit_number max', 'vin vin'],
      'year min',
    ];
    expect(faultsOf(await tenant.client.post('/trucks', faulty))).to.deep.equal(expected);
    const truck = await created('/trucks', truckInput());
    expect(faultsOf(await tenant.client.patch(`/trucks/${truck.id}`, faulty))).to.deep.equal(expected);
  });

  it('name a driver of this account or are refused, without effect', async () => {
    const theirs = await (await stack.createTenant('Foreign')).client.post('/drivers', { name: 'Theirs' });
    const truck = await created('/trucks', truckInput());
    for (const driver_id of [UNKNOWN_ID, theirs.body.id]) {
      expect(faultsOf(await tenant.client.post('/trucks', truckInput({ driver_id })))).to.deep.equal([
        'driver_id unknown',
      ]);
      const patched = await tenant.client.patch(`/trucks/${truck.id}`, { driver_id, plate: 'lost' });
      expect(faultsOf(patched)).to.deep.equal(['driver_id unknown']);
    }
    expect((await tenant.client.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
  });

  describe('a unit number', () => {
    it('is unique in an account whatever its case, and free in another', async () => {
      await created('/trucks', truckInput({ unit_number: 'Unit-Ä1' }));
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

    it('is kept or changed in case by its own truck, and refused to another', async () => {
      const one = await created('/trucks', truckInput({ unit_number: 'own-1' }));
      const two = await created('/trucks', truckInput({ unit_number: 'own-2' }));
      const recased = await tenant.client.patch(`/trucks/${one.id}`, { unit_number: 'OWN-1' });
      expect(recased.body.unit_number, recased.text).to.equal('OWN-1');
      const taken = await tenant.client.patch(`/trucks/${two.id}`, { unit_number: 'Own-1', plate: 'lost' });
      expectError(taken, 409, 'conflict');
      expect((await tenant.client.get(`/trucks/${two.id}`)).body).to.deep.equal(two);
      await tenant.client.patch(`/trucks/${one.id}`, { unit_number: 'own-3' });
      expect((await tenant.client.patch(`/trucks/${two.id}`, { unit_number: 'own-1' })).status).to.equal(200);
    });

    it('asked for by many at once goes to one of them, and harms nobody else', async () => {
      const renamed = await created('/trucks', truckInput());
      const [others, answers, patched] = await Promise.all([
        Promise.all(Array.from({ length: 10 }, () => tenant.client.post('/trucks', truckInput()))),
        Promise.all(
          Array.from({ length: 10 }, (_, index) =>
            tenant.client.post('/trucks', truckInput({ unit_number: index % 2 ? 'RACE' : 'race' })),
          ),
        ),
        tenant.client.patch(`/trucks/${renamed.id}`, { unit_number: 'Race' }),
      ]);
      expect(others.map(({ status }) => status)).to.deep.equal(others.map(() => 201));
      const asked = [...answers, patched].map(({ status }) => status);
      expect(asked.filter((status) => status < 300)).to.have.length(1);
      expect(asked.filter((status) => status === 409)).to.have.length(10);
    });
  });

  describe('a location', () => {
    const at = () => new Date(Date.now() - 60_000).toISOString();

    it('is given back with its time, and is stale after five minutes', async () => {
      const fresh = { lat: 40.7128, lng: -74.006, heading: 90.5, speed_mph: 35, at: at() };
      const truck = await created('/trucks', truckInput({ location: fresh }));
      expect(truck.location).to.deep.equal({ ...fresh, stale: false });
      const old = { lat: 0, lng: 0, at: '2026-01-01T00:00:00+02:00' };
      const patched = await tenant.client.patch(`/trucks/${truck.id}`, { location: old });
      expect(patched.body.location, 'nothing of the position before is kept').to.deep.equal({
        ...{ lat: 0, lng: 0, heading: null, speed_mph: null },
        ...{ at: '2025-12-31T22:00:00.000Z', stale: true },
      });
    });

    it('without a time is of now, and null forgets it', async () => {
      const truck = await created('/trucks', truckInput({ location: { lat: 1, lng: 2 } }));
      expect(Math.abs(Date.parse(truck.location.at) - Date.now())).to.be.lessThan(60_000);
      expect(truck.location.stale).to.equal(false);
      const cleared = await tenant.client.patch(`/trucks/${truck.id}`, { location: null });
      expect(cleared.body.location, cleared.text).to.equal(null);
    });

    it('has both coordinates or is refused', async () => {
      const answer = await tenant.client.post('/trucks', truckInput({ location: { lat: 1 } }));
      expect(faultsOf(answer)).to.deep.equal(['location.lng required']);
    });
  });

  describe('on a job', () => {
    const setJob = (id: string, values: Record<string, string | null>) =>
      stack.rows(
        tenant.id,
        'update work_orders set status = $3, step = $4, truck_id = $5 where tenant_id = $1 and id = $2',
        [tenant.id, id, values.status, values.step ?? null, values.truck_id],
      );

    it('show that job and how far it is, and what people say of them once it has ended', async () => {
      const truck = await created('/trucks', truckInput({ status: 'off_duty', duty_class: 'heavy' }));
      const job = await created('/work-orders', { service_type: 'tow' });
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
        await setJob(job.id, { status, step, truck_id: truck.id });
        const read = (await tenant.client.get(`/trucks/${truck.id}`)).body;
        expect(read).to.deep.equal({ ...truck, status: shown, current_work_order_id: job.id });
        expect(await listed(`status=${shown}&duty_class=heavy`), shown).to.include(truck.id);
      }
      expect(await listed('status=off_duty')).to.not.include(truck.id);
      for (const status of ['completed', 'cancelled', 'pending']) {
        await setJob(job.id, { status, truck_id: truck.id });
        expect((await tenant.client.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
      }
      expect(await listed('status=off_duty')).to.include(truck.id);
    });

    it('are told by a key, never by reading the jobs of a tenant', async () => {
      const plan = await stack.runtime.db.read<{ 'QUERY PLAN': string }>(tenant.id, {
        text: `explain select ${truckRepresentation('t')} from trucks t where t.tenant_id = $1`,
        values: [tenant.id],
      });
      const text = plan.map((row) => row['QUERY PLAN']).join('\n');
      expect(text).to.include('Index Scan using work_orders_truck').and.not.include('Seq Scan');
    });
  });

  describe('a list', () => {
    it('is filtered by duty class and by a part of the unit number, in whatever case', async () => {
      const one = await created('/trucks', truckInput({ unit_number: 'FIND_me', duty_class: 'medium' }));
      const two = await created('/trucks', truckInput({ unit_number: 'findXme', duty_class: 'light' }));
      expect(await listed('search=find_ME')).to.deep.equal([one.id]);
      expect(await listed('search=find')).to.deep.equal([two.id, one.id]);
      expect(await listed('search=find&duty_class=light')).to.deep.equal([two.id]);
      expect(await listed('search=find&status=off_duty')).to.deep.equal([]);
    });

    it('goes on at its cursor, and refuses what is no filter value', async () => {
      const query = '/trucks?search=find&limit=1';
      const first = (await tenant.client.get(query)).body.data;
      const second = (await tenant.client.get(`${query}&cursor=${first.cursor}`)).body.data;
      const both = (await tenant.client.get('/trucks?search=find')).body.data.items;
      expect([...first.items, ...second.items]).to.deep.equal(both);
      expect(second.cursor).to.equal(null);
      const faulty = await tenant.client.get('/trucks?status=lost&duty_class=x&limit=201');
      expect(faultsOf(faulty)).to.deep.equal(['duty_class only', 'limit max', 'status only']);
    });
  });

  it('are tried by a dry run without being made, and without taking a number', async () => {
    const body = truckInput({ unit_number: 'DRY-1' });
    const preview = await tenant.client.post('/trucks', { ...body, colour: 'red' }, DRY_RUN);
    expect(preview.status, preview.text).to.equal(200);
    expect(preview.body.data).to.include({ unit_number: 'DRY-1', status: 'available' });
    expect(preview.body.warnings).to.deep.equal(['colour is not known and was ignored']);
    expect(await listed('search=DRY-1')).to.deep.equal([]);
    const truck = await created('/trucks', body);
    expectError(await tenant.client.post('/trucks', body, DRY_RUN), 409, 'conflict');
    const rehearsed = await tenant.client.patch(`/trucks/${truck.id}`, { plate: 'P' }, DRY_RUN);
    expect(rehearsed.body.data.plate).to.equal('P');
    expect((await tenant.client.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
  });

  it('are read by agents with read_dispatch, and written by none', async () => {
    const truck = await created('/trucks', truckInput());
    const key = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_dispatch'] });
    const agent = stack.clientWith(key);
    expect((await agent.get(`/trucks/${truck.id}`)).body).to.deep.equal(truck);
    expect((await agent.get('/trucks')).status).to.equal(200);
    expectError(await agent.post('/trucks', truckInput()), 403, 'forbidden');
    expectError(await agent.patch(`/trucks/${truck.id}`, {}), 403, 'forbidden');
    const other = await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_work_orders'] });
    expectError(await stack.clientWith(other).get('/trucks'), 403, 'insufficient_scope');
  });

  it('of another tenant, the sandbox twin included, are not there', async () => {
    const { body } = await tenant.sandbox.post('/trucks', truckInput({ unit_number: 'SANDBOXED' }));
    expect((await tenant.sandbox.get(`/trucks/${body.id}`)).status).to.equal(200);
    for (const id of [body.id, UNKNOWN_ID, 'x']) {
      expectError(await tenant.client.get(`/trucks/${id}`), 404, 'not_found');
      expectError(await tenant.client.patch(`/trucks/${id}`, { plate: 'x' }), 404, 'not_found');
    }
    expect(await listed('search=SANDBOXED')).to.deep.equal([]);
    expect((await tenant.sandbox.get(`/trucks/${body.id}`)).body).to.deep.equal(body);
  });
});
