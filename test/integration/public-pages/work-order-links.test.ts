import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import {
  deriveLinkKeys,
  sealDriverLink,
  sealTrackingLink,
} from '../../../shared/resources/work-order-links/link.js';
import {
  assign,
  createDrivenJob,
  DriverClient,
  readDriverPath,
} from '../../support/public-pages/driven-job.js';
import { useStack, useTenant } from '../../support/use-stack.js';

describe('links of work orders', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Hudson Towing');

  const open = async (path: string) => (await new DriverClient(stack, path).get()).status;

  it('driver_url and tracking_url stay the same while nothing changes, and open only their own page', async () => {
    const { id, path } = await createDrivenJob(tenant.client);
    expect(path).to.match(/^\/d\/[\w-]{102}$/);
    expect(await readDriverPath(tenant.client, id)).to.equal(path);
    const { body } = await tenant.client.get(`/work-orders/${id}`);
    const tracking = new URL(body.tracking_url).pathname;
    expect(tracking).to.match(/^\/t\/[\w-]{80}$/);
    expect(await open(path)).to.equal(200);
    expect(await open(path.replace('/d/', '/t/'))).to.equal(404);
    expect(await open(tracking.replace('/t/', '/d/'))).to.equal(404);
  });

  it('only callers that may assign trucks get driver_url and tracking_url, and no list, event or audit entry has them', async () => {
    const { id, path } = await createDrivenJob(tenant.client);
    const token = path.slice('/d/'.length);
    const writer = stack.createClient(await stack.createKey(tenant.id, { permissions: ['read', 'write'] }));
    const agent = stack.createClient(
      await stack.createKey(tenant.id, { kind: 'agent', scopes: ['read_work_orders'] }),
    );
    for (const client of [writer, agent]) {
      const { status, text } = await client.get(`/work-orders/${id}`);
      expect(status).to.equal(200);
      expect(text).to.not.include('driver_url').and.to.not.include('tracking_url');
    }
    for (const list of ['/work-orders', '/dispatch-board', '/events', '/audit-log?limit=100']) {
      const { text } = await tenant.client.get(list);
      expect(text, list).to.not.include(token).and.to.not.include('driver_url');
    }
  });

  it("a driver's link ends when the work order is cancelled, unassigned or completed", async () => {
    const cancelled = await createDrivenJob(tenant.client);
    await tenant.client.post(`/work-orders/${cancelled.id}/cancel`, { reason: 'customer' });
    expect(await open(cancelled.path)).to.equal(404);
    const { body } = await tenant.client.get(`/work-orders/${cancelled.id}`);
    expect(body).to.include({ driver_url: null, tracking_url: null });

    const unassigned = await createDrivenJob(tenant.client);
    await tenant.client.post(`/work-orders/${unassigned.id}/unassign`, {});
    expect(await open(unassigned.path)).to.equal(404);
    await assign(tenant.client, unassigned.id, unassigned.truckId);
    expect(await open(unassigned.path), 'assigned to the same truck again').to.equal(404);
    expect(await open(await readDriverPath(tenant.client, unassigned.id))).to.equal(200);

    const completed = await createDrivenJob(tenant.client);
    await tenant.client.post(`/work-orders/${completed.id}/start`, {});
    expect(await open(completed.path), 'in progress').to.equal(200);
    await tenant.client.post(`/work-orders/${completed.id}/complete`, {});
    expect(await open(completed.path)).to.equal(404);
  });

  it("giving a work order to another truck or driver ends the first driver's link, and setting an ETA does not", async () => {
    const job = await createDrivenJob(tenant.client);
    await assign(tenant.client, job.id, job.truckId, { eta: new Date(Date.now() + 600_000).toISOString() });
    expect(await open(job.path)).to.equal(200);
    const other = await createDrivenJob(tenant.client);
    await tenant.client.post(`/work-orders/${other.id}/unassign`, {});
    await assign(tenant.client, job.id, job.truckId, { driver_id: other.driverId });
    expect(await open(job.path), 'another driver').to.equal(404);
    const second = await readDriverPath(tenant.client, job.id);
    await assign(tenant.client, job.id, other.truckId, { driver_id: other.driverId });
    expect(await open(second), 'another truck').to.equal(404);
    const act = await new DriverClient(stack, second).act({ kind: 'step', step: 'en_route' });
    expect(act.status).to.equal(404);
    expect((await tenant.client.get(`/work-orders/${job.id}`)).body.step).to.equal(null);
  });

  it("a guessed, changed or foreign driver's token gets the same 404 as an ended link", async () => {
    const { path, id } = await createDrivenJob(tenant.client);
    const other = await stack.createTenant('Other Towing');
    const keys = deriveLinkKeys(stack.runtime.config);
    const seal = (tenantId: string, workOrderId: string) =>
      `/d/${sealDriverLink(keys, { tenantId, workOrderId }, newId())}`;
    const texts = new Set<string>();
    for (const wrong of [
      `${path.slice(0, 40)}${path[40] === 'A' ? 'B' : 'A'}${path.slice(41)}`,
      path.slice(0, -1),
      `${path}A`,
      '/d/x',
      `/d/${'A'.repeat(102)}`,
      `/d/${sealTrackingLink(keys, { tenantId: tenant.id, workOrderId: id })}`,
      seal(tenant.id, id),
      seal(other.id, id),
      seal(tenant.id, newId()),
    ]) {
      const { status, body } = await new DriverClient(stack, wrong).get();
      expect(status, wrong).to.equal(404);
      texts.add(body.error.message);
    }
    expect([...texts]).to.have.length(1);
  });
});
