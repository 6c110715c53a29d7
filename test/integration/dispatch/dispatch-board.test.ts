import { expect } from 'chai';
import { DispatchBoardReader } from '../../../shared/resources/dispatch-board/board-reader.js';
import { expectError } from '../../support/expect-error.js';
import { withoutLinks } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('GET /dispatch-board', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  it('GET /dispatch-board lists active work orders, unassigned work orders and trucks with drivers, and counts them', async () => {
    const { client } = tenant;
    expect((await client.get('/dispatch-board')).body.counts).to.deep.equal({
      active_jobs: 0,
      unassigned_work_orders: 0,
      trucks: 0,
      trucks_available: 0,
    });
    const { body: driver } = await client.post('/drivers', { name: 'Dan' });
    const { body: truck } = await client.post('/trucks', {
      unit_number: '7',
      duty_class: 'light',
      driver_id: driver.id,
    });
    await client.post('/trucks', { unit_number: '8', duty_class: 'heavy' });
    const { body: active } = await client.post('/work-orders', {
      service_type: 'tow',
      notes: 'a "quoted" note',
    });
    const { body: waiting } = await client.post('/work-orders', { service_type: 'lockout' });
    const { body: cancelled } = await client.post('/work-orders', { service_type: 'tow' });
    await client.post(`/work-orders/${cancelled.id}/cancel`, { reason: 'customer' });
    await client.post(`/work-orders/${active.id}/assign`, { truck_id: truck.id });
    await client.post(`/work-orders/${active.id}/steps`, { step: 'on_scene' });
    const { body: board } = await client.get('/dispatch-board');
    expect(board.active_jobs).to.have.length(1);
    expect(board.active_jobs[0]).to.include({
      id: active.id,
      truck_id: truck.id,
      driver_id: driver.id,
      step: 'on_scene',
    });
    expect(board.active_jobs[0].notes).to.equal('a "quoted" note');
    expect(board.active_jobs[0].elapsed_s).to.be.within(0, 60);
    expect(board.unassigned_work_orders.map((workOrder: { id: string }) => workOrder.id)).to.deep.equal([
      waiting.id,
    ]);
    expect(board.unassigned_work_orders[0].waiting_s).to.be.within(0, 60);
    expect(board.trucks.map((one: { unit_number: string }) => one.unit_number)).to.deep.equal(['7', '8']);
    expect(board.trucks[0]).to.include({ status: 'on_scene', current_work_order_id: active.id });
    expect(board.trucks[0].driver).to.include({ name: 'Dan' });
    expect(board.counts).to.deep.equal({
      active_jobs: 1,
      unassigned_work_orders: 1,
      trucks: 2,
      trucks_available: 1,
    });
  });

  it('the dispatch board is the same from cached and from newly rendered work orders while they change', async () => {
    const { client, id } = await stack.createTenant();
    const { db } = stack.runtime;
    const cached = new DispatchBoardReader();
    const { body: truck } = await client.post('/trucks', { unit_number: '7', duty_class: 'light' });
    const workOrderIds: string[] = [];
    for (let nth = 0; nth < 8; nth += 1) {
      workOrderIds.push(
        (await client.post('/work-orders', { service_type: 'tow', notes: `\n "${nth}" ` })).body.id,
      );
    }
    const [first = '', second = '', third = ''] = workOrderIds;
    const changes = [
      () => client.patch(`/work-orders/${second}`, { notes: 'other' }),
      () => client.post(`/work-orders/${first}/assign`, { truck_id: truck.id }),
      () => client.post(`/work-orders/${first}/steps`, { step: 'en_route' }),
      () => client.post(`/work-orders/${third}/cancel`, { reason: 'customer' }),
      () => client.post('/work-orders', { service_type: 'lockout' }),
      () => client.post(`/work-orders/${first}/start`, {}),
      () => client.post(`/work-orders/${first}/complete`, {}),
    ];
    const withoutTimes = (text: Buffer) =>
      JSON.parse(text.toString(), (key, value) =>
        ['generated_at', 'elapsed_s', 'waiting_s'].includes(key) ? 0 : value,
      );
    for (const change of changes) {
      // Read the board several times during the change. No board may mix the state before and after
      // the change.
      const [, ...during] = await Promise.all([
        change(),
        cached.read(db, id),
        cached.read(db, id),
        cached.read(db, id),
      ]);
      for (const board of during) JSON.parse(board.toString());
      expect(withoutTimes(await cached.read(db, id))).to.deep.equal(
        withoutTimes(await new DispatchBoardReader().read(db, id)),
      );
    }
    const board = JSON.parse((await cached.read(db, id)).toString());
    expect(board.counts).to.include({ active_jobs: 0, unassigned_work_orders: 7 });
    const {
      elapsed_s: _elapsed,
      waiting_s: _waiting,
      priority: _priority,
      ...record
    } = board.unassigned_work_orders.find((workOrder: { id: string }) => workOrder.id === second);
    expect(record).to.deep.equal(withoutLinks((await client.get(`/work-orders/${second}`)).body));
  });

  it('the dispatch board is for keys that can read and for agents with read_dispatch', async () => {
    const createAgent = (scope: string) => stack.createKey(tenant.id, { kind: 'agent', scopes: [scope] });
    expect(
      (await stack.createClient(await createAgent('read_dispatch')).get('/dispatch-board')).status,
    ).to.equal(200);
    expectError(
      await stack.createClient(await createAgent('read_invoices')).get('/dispatch-board'),
      403,
      'insufficient_scope',
    );
  });
});
