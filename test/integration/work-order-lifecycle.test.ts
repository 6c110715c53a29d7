import { expect } from 'chai';
import { DRIVER_STEPS } from '../../shared/resources/work-orders/transitions.js';
import type { TestClient } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

describe('the life of a job', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let client: TestClient;
  let serial = 0;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    client = tenant.client;
  });
  after(() => stack.stop());

  async function job(overrides: Record<string, unknown> = {}): Promise<string> {
    const { body } = await client.post('/work-orders', { service_type: 'tow', ...overrides });
    return body.id as string;
  }

  async function truck(overrides: Record<string, unknown> = {}): Promise<string> {
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

  async function eventsOf(id: string): Promise<{ type: string; data: Record<string, unknown> }[]> {
    const rows = await stack.runtime.db.read<{ body: string }>(tenant.id, {
      text: `select body from events where body::jsonb #>> '{data,object,id}' = $1 order by id`,
      values: [id],
    });
    return rows.map((row) => JSON.parse(row.body));
  }

  it('goes from booked to completed, with its events and its billing', async () => {
    const { body: driver } = await client.post('/drivers', { name: 'Dan' });
    const truckId = await truck({ driver_id: driver.id });
    const id = await job();
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
    const events = await eventsOf(id);
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

  it('is refused what the table does not allow, and nothing happens twice', async () => {
    const id = await job();
    for (const action of ['start', 'complete', 'unassign']) {
      if (action === 'unassign') {
        expect((await act(id, action)).status, 'it is pending already').to.equal(200);
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
    expect((await eventsOf(id)).map((event) => event.type)).to.deep.equal(['work_order.created']);
  });

  it('gives a truck to one job at a time, and tells the other dispatcher which', async () => {
    const truckId = await truck();
    const jobs = await Promise.all(Array.from({ length: 8 }, () => job()));
    const answers = await Promise.all(jobs.map((id) => act(id, 'assign', { truck_id: truckId })));
    const won = answers.filter(({ status }) => status === 200);
    expect(won).to.have.length(1);
    for (const answer of answers.filter(({ status }) => status !== 200)) {
      expectError(answer, 409, 'conflict');
      expect(answer.body.error.details[0]).to.include({ code: 'taken', work_order_id: won[0]?.body.id });
    }
    expect((await client.get(`/trucks/${truckId}`)).body.current_work_order_id).to.equal(won[0]?.body.id);
    await act(won[0]?.body.id, 'unassign');
    const [next] = jobs.filter((id) => id !== won[0]?.body.id) as [string];
    expect((await act(next, 'assign', { truck_id: truckId })).status).to.equal(200);
  });

  it('is reassigned with an event for each truck, and swaps its truck under way', async () => {
    const [first, second, third] = [await truck(), await truck(), await truck()];
    const id = await job();
    await act(id, 'assign', { truck_id: first });
    await act(id, 'assign', { truck_id: first });
    await act(id, 'assign', { truck_id: second });
    await act(id, 'start');
    expect((await act(id, 'assign', { truck_id: third })).body).to.include({
      status: 'dispatched',
      truck_id: third,
    });
    const trucks = (await eventsOf(id))
      .filter(({ type }) => type === 'dispatch.assigned')
      .map(({ data }) => (data.truck as { id: string }).id);
    expect(trucks).to.deep.equal([first, second, third]);
  });

  it('gets no truck that is out of service, off duty, or of nobody we know', async () => {
    const id = await job();
    const resting = await truck({ status: 'off_duty' });
    expectError(await act(id, 'assign', { truck_id: resting }), 409, 'conflict');
    expectError(await act(id, 'assign', { truck_id: id }), 400, 'validation_error');
    const broken = await truck();
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
