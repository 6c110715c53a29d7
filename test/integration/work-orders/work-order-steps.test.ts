import { expect } from 'chai';
import { STEP_ACTIONS } from '../../../shared/resources/work-orders/enums.js';
import { expectError } from '../../support/expect-error.js';
import { createUser, openSession } from '../../support/records/sign-in.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe("a work order's steps", () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  const book = async () => (await tenant.client.post('/work-orders', { service_type: 'tow' })).body.id;

  it('GET /work-orders/{id}/steps lists every move and every step of the driver, newest first, with who did it', async () => {
    const { body: driver } = await tenant.client.post('/drivers', { name: 'Dan' });
    const truck = { unit_number: 'S-1', duty_class: 'light', driver_id: driver.id };
    const {
      body: { id: truck_id },
    } = await tenant.client.post('/trucks', truck);
    const user = await createUser(stack, tenant.id, { name: 'Dora Dispatcher', role: 'dispatcher' });
    const person = await openSession(stack, user);
    const agent = stack.createClient(
      await stack.createKey(tenant.id, { kind: 'agent', scopes: ['write_work_orders'] }),
    );
    const {
      body: { id },
    } = await agent.post('/work-orders', { service_type: 'tow' });
    const act = async (action: string, body: Record<string, unknown> = {}) => {
      const response = await person.post(`/work-orders/${id}/${action}`, body);
      expect(response.status, response.text).to.equal(200);
    };
    await act('accept');
    await act('assign', { truck_id });
    await act('assign', { truck_id });
    await act('unassign');
    await act('assign', { truck_id });
    await act('steps', { step: 'en_route', at: '2026-11-21T14:00:00Z', lat: 40.7, lng: -74 });
    await act('start');
    await act('complete', { at: '2026-11-21T15:00:00Z' });
    await act('reopen');
    await person.patch(`/work-orders/${id}`, { notes: 'not a step' });
    await act('cancel', { reason: 'customer', note: 'Found a friend' });

    const { body } = await tenant.client.get(`/work-orders/${id}/steps`);
    const steps = body.data.items.reverse();
    expect(steps.map(({ action }: { action: string }) => action)).to.deep.equal([
      'created',
      'accepted',
      'assigned',
      'unassigned',
      'assigned',
      'step_logged',
      'started',
      'completed',
      'reopened',
      'cancelled',
    ]);
    expect([...new Set(steps.map(({ action }: { action: string }) => action))]).to.have.members([
      ...STEP_ACTIONS,
    ]);
    const [created, accepted, assigned, , , logged, , completed, , cancelled] = steps;
    expect(created.actor).to.include({ type: 'agent', name: 'test key' });
    expect(accepted.actor).to.deep.equal({ type: 'user', id: user.id, name: 'Dora Dispatcher' });
    expect(assigned).to.include({ truck_id, driver_id: driver.id, step: null });
    expect(logged).to.include({
      at: '2026-11-21T14:00:00.000Z',
      step: 'en_route',
      truck_id,
      driver_id: driver.id,
      lat: 40.7,
      lng: -74,
    });
    expect(Date.parse(logged.recorded_at)).to.be.greaterThan(Date.parse(logged.at));
    expect(completed.at).to.equal('2026-11-21T15:00:00.000Z');
    expect(cancelled).to.include({ cancel_reason: 'customer', cancel_note: 'Found a friend' });
  });

  it('GET /work-orders/{id}/steps omits dry runs, refused moves and other records, and has pages', async () => {
    const id = await book();
    await book();
    await tenant.client.post(
      `/work-orders/${id}/cancel`,
      { reason: 'club' },
      { headers: { 'X-Service-Dry-Run': 'true' } },
    );
    expectError(await tenant.client.post(`/work-orders/${id}/start`, {}), 409, 'invalid_status_transition');
    await tenant.client.post(`/work-orders/${id}/cancel`, { reason: 'club' });
    const { body: first } = await tenant.client.get(`/work-orders/${id}/steps?limit=1`);
    expect(first.data.items[0]).to.include({ action: 'cancelled' });
    const { body: rest } = await tenant.client.get(
      `/work-orders/${id}/steps?limit=1&cursor=${first.data.cursor}`,
    );
    expect(rest.data.items).to.have.length(1);
    expect(rest.data.items[0]).to.include({ action: 'created' });
    expect(rest.data.cursor).to.equal(null);
  });

  it('whoever may read work orders reads their steps, and nobody of another account', async () => {
    const id = await book();
    const viewer = await openSession(stack, await createUser(stack, tenant.id, { role: 'viewer' }));
    expect((await viewer.get(`/work-orders/${id}/steps`)).body.data.count).to.equal(1);
    const writer = stack.createClient(await stack.createKey(tenant.id, { permissions: ['write'] }));
    expect((await writer.get(`/work-orders/${id}/steps`)).status).to.equal(403);
    const stranger = await stack.createTenant('Stranger');
    expectError(await stranger.client.get(`/work-orders/${id}/steps`), 404, 'not_found');
  });
});
