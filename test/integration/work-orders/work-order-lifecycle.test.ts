import { expect } from 'chai';
import { DRIVER_STEPS } from '../../../shared/resources/work-orders/transitions.js';
import type { TestClient } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('life cycle of work orders', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let client: TestClient;
  let serial = 0;

  before(async () => {
    client = tenant.client;
  });

  async function createWorkOrder(overrides: Record<string, unknown> = {}): Promise<string> {
    const { body } = await client.post('/work-orders', { service_type: 'tow', ...overrides });
    return body.id as string;
  }

  async function createTruck(overrides: Record<string, unknown> = {}): Promise<string> {
    serial += 1;
    const { status, body } = await client.post('/trucks', {
      unit_number: `T-${serial}`,
      duty_class: 'light',
      ...overrides,
    });
    expect(status).to.equal(201);
    return body.id as string;
  }

  const act = (id: string, action: string, body: Record<string, unknown> = {}) =>
    client.post(`/work-orders/${id}/${action}`, body);

  async function listEvents(id: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const rows = await stack.runtime.db.read<{ body: string }>(tenant.id, {
      text: `select body from events where body::jsonb #>> '{data,object,id}' = $1 order by id`,
      values: [id],
    });
    return rows.map((row) => JSON.parse(row.body));
  }

  it('a work order goes from pending to completed with its events and its billing status', async () => {
    const { body: driver } = await client.post('/drivers', { name: 'Dan' });
    const truckId = await createTruck({ driver_id: driver.id });
    const id = await createWorkOrder();
    const assigned = await act(id, 'assign', { truck_id: truckId, eta: '2026-11-21T15:00:00Z' });
    expect(assigned.body).to.include({
      status: 'dispatched',
      truck_id: truckId,
      driver_id: driver.id,
      eta: '2026-11-21T15:00:00.000Z',
    });
    expect(assigned.body.dispatch_time).to.be.a('string');
    for (const step of DRIVER_STEPS) expect((await act(id, 'steps', { step })).body.step).to.equal(step);
    expect((await act(id, 'start')).body.status).to.equal('in_progress');
    const done = await act(id, 'complete', { miles: 12.5 });
    expect(done.body).to.include({ status: 'completed', billing_status: 'ready_to_bill', miles: 12.5 });
    const events = await listEvents(id);
    expect(events.map((event) => event.type)).to.deep.equal([
      'work_order.created',
      'dispatch.assigned',
      'work_order.completed',
    ]);
    expect(events[1]?.data.truck).to.include({ id: truckId, current_work_order_id: id });
    expect(events[1]?.data.driver).to.include({ id: driver.id, name: 'Dan' });
    expect(events[1]?.data.object).to.include({ status: 'dispatched' });
    const { body: invoice } = await client.post(
      '/invoices',
      invoiceInput({ work_order_id: id, billing_email: 'b@example.com' }),
    );
    const billing = async () => (await client.get(`/work-orders/${id}`)).body.billing_status;
    expect(await billing()).to.equal('invoiced');
    await client.post(`/invoices/${invoice.id}/approve`, {});
    await client.post(`/invoices/${invoice.id}/send`, {});
    expect(await billing()).to.equal('billed');
    await client.post(`/invoices/${invoice.id}/payments`, { amount_cents: 1, method: 'cash' });
    expect(await billing()).to.equal('partially_paid');
  });

  it('allowed_actions names accept until a person accepts, and reopen until an invoice is sent', async () => {
    const agent = stack.createClient(
      await stack.createKey(tenant.id, { kind: 'agent', scopes: ['write_work_orders'] }),
    );
    const { body: booked } = await agent.post('/work-orders', { service_type: 'tow' });
    expect(booked.allowed_actions).to.deep.equal(['accept', 'assign', 'cancel']);
    expect((await act(booked.id, 'accept')).body.allowed_actions).to.deep.equal(['assign', 'cancel']);
    await act(booked.id, 'assign', { truck_id: await createTruck() });
    await act(booked.id, 'start');
    expect((await act(booked.id, 'complete')).body.allowed_actions).to.deep.equal(['reopen']);
    const { body: invoice } = await client.post(
      '/invoices',
      invoiceInput({ work_order_id: booked.id, billing_email: 'b@example.com' }),
    );
    await client.post(`/invoices/${invoice.id}/approve`, {});
    await client.post(`/invoices/${invoice.id}/send`, {});
    expect((await client.get(`/work-orders/${booked.id}`)).body.allowed_actions).to.deep.equal([]);
    const { body: page } = await client.get('/work-orders?limit=1');
    expect(page.data.items[0]).to.deep.include({ id: booked.id, allowed_actions: [] });
  });

  it('a work order refuses transitions outside the table, and a repeated action changes nothing', async () => {
    const id = await createWorkOrder();
    for (const action of ['start', 'complete', 'unassign']) {
      if (action === 'unassign') {
        expect((await act(id, action)).status, 'the work order is already pending').to.equal(200);
        continue;
      }
      const refused = await act(id, action);
      expectError(refused, 409, 'invalid_status_transition');
      expect(refused.body.error.details[0]).to.deep.include({
        from: 'pending',
        allowed: ['dispatched', 'cancelled'],
      });
    }
    expectError(await act(id, 'cancel', { reason: 'goa' }), 409, 'invalid_status_transition');
    expectError(await act(id, 'steps', { step: 'hooked' }), 409, 'conflict');
    await act(id, 'cancel', { reason: 'customer', note: 'found the keys' });
    const again = await act(id, 'cancel', { reason: 'club' });
    expect(again.body).to.include({
      status: 'cancelled',
      cancel_reason: 'customer',
      billing_status: 'not_billable',
    });
    expectError(await act(id, 'reopen'), 409, 'invalid_status_transition');
    expect((await listEvents(id)).map((event) => event.type)).to.deep.equal(['work_order.created']);
  });

  it('a truck is on one work order at a time, and the 409 to other requests names that work order', async () => {
    const truckId = await createTruck();
    const workOrders = await Promise.all(Array.from({ length: 8 }, () => createWorkOrder()));
    const responses = await Promise.all(workOrders.map((id) => act(id, 'assign', { truck_id: truckId })));
    const won = responses.filter(({ status }) => status === 200);
    expect(won).to.have.length(1);
    for (const response of responses.filter(({ status }) => status !== 200)) {
      expectError(response, 409, 'conflict');
      expect(response.body.error.details[0]).to.include({ code: 'taken', work_order_id: won[0]?.body.id });
    }
    expect((await client.get(`/trucks/${truckId}`)).body.current_work_order_id).to.equal(won[0]?.body.id);
    await act(won[0]?.body.id, 'unassign');
    const [next] = workOrders.filter((id) => id !== won[0]?.body.id) as [string];
    expect((await act(next, 'assign', { truck_id: truckId })).status).to.equal(200);
  });

  it('reassigning a work order records an event per truck, also while it is in progress', async () => {
    const [first, second, third] = [await createTruck(), await createTruck(), await createTruck()];
    const id = await createWorkOrder();
    await act(id, 'assign', { truck_id: first });
    await act(id, 'assign', { truck_id: first });
    await act(id, 'assign', { truck_id: second });
    await act(id, 'start');
    expect((await act(id, 'assign', { truck_id: third })).body).to.include({
      status: 'dispatched',
      truck_id: third,
    });
    const trucks = (await listEvents(id))
      .filter(({ type }) => type === 'dispatch.assigned')
      .map(({ data }) => (data.truck as { id: string }).id);
    expect(trucks).to.deep.equal([first, second, third]);
  });

  it('assigning the same truck again with a new ETA changes the ETA and records no event', async () => {
    const truckId = await createTruck();
    const id = await createWorkOrder();
    await act(id, 'assign', { truck_id: truckId, eta: '2026-11-21T15:00:00Z' });
    const later = await act(id, 'assign', { truck_id: truckId, eta: '2026-11-21T15:20:00Z' });
    expect(later.body.eta).to.equal('2026-11-21T15:20:00.000Z');
    const same = await act(id, 'assign', { truck_id: truckId, eta: '2026-11-21T16:20:00+01:00' });
    expect(same.body.updated_at).to.equal(later.body.updated_at);
    const without = await act(id, 'assign', { truck_id: truckId });
    expect(without.body.eta).to.equal('2026-11-21T15:20:00.000Z');
    expect((await act(id, 'assign', { truck_id: truckId, eta: null })).body.eta).to.equal(null);
    expect((await listEvents(id)).filter(({ type }) => type === 'dispatch.assigned')).to.have.length(1);
  });

  it("assigning a truck takes the truck's driver unless the request names another or null", async () => {
    const { body: driver } = await client.post('/drivers', { name: 'Ann' });
    const truckId = await createTruck({ driver_id: driver.id });
    const id = await createWorkOrder();
    expect((await act(id, 'assign', { truck_id: truckId, driver_id: null })).body.driver_id).to.equal(null);
    expect((await act(id, 'assign', { truck_id: truckId })).body.driver_id).to.equal(driver.id);
  });

  it('a work order refuses a truck that is out of service, off duty or unknown', async () => {
    const id = await createWorkOrder();
    const resting = await createTruck({ status: 'off_duty' });
    expectError(await act(id, 'assign', { truck_id: resting }), 409, 'conflict');
    expectError(await act(id, 'assign', { truck_id: id }), 400, 'validation_error');
    const broken = await createTruck();
    const { body: inspection } = await client.post('/inspections', {
      kind: 'pre_trip',
      truck_id: broken,
      defects: [{ component: 'brakes', severity: 'out_of_service' }],
    });
    const blocked = await act(id, 'assign', { truck_id: broken });
    expectError(blocked, 409, 'conflict');
    expect(blocked.body.error.details[0].code).to.equal('out_of_service');
    const [defect] = inspection.defects;
    await client.patch(`/inspections/${inspection.id}`, {
      defects: [{ id: defect.id, resolved_at: '2026-11-21T15:00:00Z' }],
    });
    expect((await act(id, 'assign', { truck_id: broken })).status).to.equal(200);
  });
});
