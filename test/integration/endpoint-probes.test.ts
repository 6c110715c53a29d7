import { expect } from 'chai';
import { HEALTH } from '../../shared/resources/webhook-endpoints/health-rules.js';
import { EndpointHealth } from '../support/endpoint-health.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const HOUR_MS = 3_600_000;

describe('probes of endpoints that were disabled for failing', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let health: EndpointHealth;

  before(async () => {
    stack = await TestStack.start({ clock: false });
    tenant = await stack.createTenant();
    health = new EndpointHealth(stack, tenant.id);
  });
  after(() => stack.stop());

  async function createDisabledEndpoint(): Promise<string> {
    const id = await health.endpoint();
    await health.failing(id, 121);
    await health.pass(id);
    expect(await health.read(id)).to.include({ disabled_reason: 'failing' });
    return id;
  }

  /** Ends the wait before the next probe. */
  const endProbeWait = (id: string) => health.lane(id, 'probe_after = now()');

  const listProbes = (id: string) =>
    health.rows(
      `select * from webhook_deliveries where tenant_id = $1 and endpoint_id = $2 and trigger = 'probe' order by id`,
      [tenant.id, id],
    );

  it("a disabled endpoint is probed after an hour and then less often, with a body like an event's", async () => {
    const id = await createDisabledEndpoint();
    await health.pass(id);
    expect(await listProbes(id), 'no probe before probe_after').to.deep.equal([]);
    for (const [index, hours] of [2, 4, 8, 16, 24, 24].entries()) {
      await endProbeWait(id);
      expect(await health.pass(id)).to.deep.equal([id]);
      expect(await health.pass(id), 'a second run finds nothing').to.deep.equal([]);
      const { probes, probe_after } = await health.read(id);
      expect(probes).to.equal(index + 1);
      expect(probe_after.getTime() - Date.now()).to.be.closeTo(hours * HOUR_MS, 60_000);
    }
    const deliveries = await listProbes(id);
    expect(deliveries).to.have.length(6);
    const [{ body, event_id, ...delivery }] = deliveries;
    expect(delivery).to.deep.include({
      status: 'pending',
      priority: 0,
      attempts: 0,
      event_type: 'endpoint.probe',
    });
    expect(delivery.next_attempt_at).to.be.instanceOf(Date);
    const { timestamp, ...probe } = JSON.parse(body);
    expect(probe).to.deep.equal({
      id: event_id,
      type: 'endpoint.probe',
      api_version: 'v1',
      tenant_id: tenant.id,
      environment: 'live',
      data: { object: { id, url: 'https://receiver.example.com/hook?key=secret' } },
    });
    expect(new Date(timestamp).toISOString()).to.equal(timestamp);
    const events = await tenant.client.get('/events?type=endpoint.probe');
    expect(events.body.data.items, 'a probe is not an event').to.deep.equal([]);
    expect((await health.audited(id)).at(-1)).to.deep.include({
      action: 'webhook_endpoint.probed',
      changes: [{ field: 'probes', from: 5, to: 6 }],
    });
  });

  it('a disabled endpoint gets no probe after the last one', async () => {
    const id = await createDisabledEndpoint();
    await health.lane(id, `probes = ${HEALTH.maxProbes - 1}, probe_after = now()`);
    await health.pass(id);
    await endProbeWait(id);
    expect(await health.found(id)).to.deep.equal([]);
    expect(await listProbes(id)).to.have.length(1);
  });

  it('the first successful probe enables an endpoint again and resets its health', async () => {
    const id = await createDisabledEndpoint();
    await endProbeWait(id);
    await health.pass(id);
    await health.lane(id, `opened = 3, open_until = now() + interval '1 hour'`);
    // The probe failed: nothing changes.
    await health.lane(id, 'last_failure_at = now(), consecutive_failures = consecutive_failures + 1');
    expect(await health.found(id)).to.deep.equal([]);
    await health.succeeded(id);
    expect(await health.pass(id)).to.deep.equal([id]);
    expect(await health.pass(id)).to.deep.equal([]);
    expect(await health.read(id)).to.include({
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
      failing_since: null,
      warned_hours: 0,
      probes: 0,
      probe_after: null,
      opened: 0,
      open_until: null,
    });
    const events = await health.events(id);
    expect(events.map(({ type }) => type)).to.deep.equal(['endpoint.disabled', 'endpoint.recovered']);
    expect(events[1].data).to.deep.include({ was_disabled: true });
    expect(events[1].data.object).to.include({ id, enabled: true });
    const [, notice] = await health.notices(id);
    expect(notice.kind).to.equal('endpoint_recovered');
    expect(notice.text).to.include('enabled again').and.to.include(`/v1/webhook-endpoints/${id}/recover`);
    expect((await health.audited(id)).at(-1).action).to.equal('webhook_endpoint.healed');
    // The next failure is the first of a new series.
    await health.failing(id, 1);
    expect(await health.found(id)).to.deep.equal([]);
  });

  it('a success from before an endpoint was disabled does not enable it', async () => {
    const id = await health.endpoint();
    await health.succeeded(id);
    await health.failing(id, 121);
    await health.pass(id);
    expect(await health.found(id)).to.deep.equal([]);
  });

  it('an endpoint that responds to a probe with 410 is reported once more and not probed again', async () => {
    const id = await createDisabledEndpoint();
    const before = (await health.read(id)).disabled_at;
    await health.lane(id, `stop_reason = 'gone'`);
    await health.pass(id);
    expect(await health.read(id)).to.deep.include({
      enabled: false,
      disabled_reason: 'gone',
      disabled_at: before,
      probe_after: null,
      stop_reason: null,
    });
    expect((await health.events(id)).map(({ data }) => data.reason)).to.deep.equal(['failing', 'gone']);
    await health.succeeded(id);
    expect(await health.found(id)).to.deep.equal([]);
  });

  it('an endpoint that a user enables starts with a clean record; one that a user disables stays disabled', async () => {
    const [reenabled, switchedOff] = [await createDisabledEndpoint(), await createDisabledEndpoint()];
    await tenant.client.patch(`/webhook-endpoints/${reenabled}`, { enabled: true });
    await health.lane(
      reenabled,
      'last_failure_at = now(), failing_since = coalesce(failing_since, now()), consecutive_failures = consecutive_failures + 1',
    );
    expect(await health.found(reenabled), 'its first failure does not disable it again').to.deep.equal([]);
    const response = await tenant.client.patch(`/webhook-endpoints/${switchedOff}`, { enabled: false });
    expect(response.body.disabled_reason).to.equal('user');
    await endProbeWait(switchedOff);
    expect(await health.found(switchedOff), 'it is not probed').to.deep.equal([]);
    await health.succeeded(switchedOff);
    expect(await health.found(switchedOff), 'it is not enabled').to.deep.equal([]);
  });

  it('an endpoint of a sandbox is enabled again by a successful probe, too', async () => {
    const sandbox = new EndpointHealth(stack, tenant.sandboxId);
    const id = await sandbox.endpoint();
    await sandbox.failing(id, 121);
    await sandbox.pass(id);
    await sandbox.lane(id, 'probe_after = now()');
    await sandbox.pass(id);
    await sandbox.succeeded(id);
    await sandbox.pass(id);
    expect(await sandbox.types(id)).to.deep.equal(['endpoint.disabled', 'endpoint.recovered']);
    expect((await sandbox.events(id))[0].environment).to.equal('sandbox');
  });
});

describe('reports of deliveries that used up every attempt', () => {
  let stack: TestStack;
  let health: EndpointHealth;

  before(async () => {
    stack = await TestStack.start({ clock: false });
    health = new EndpointHealth(stack, (await stack.createTenant()).id);
  });
  after(() => stack.stop());

  it('an exhausted delivery is reported immediately, and those of the next hour are reported together', async () => {
    const id = await health.endpoint();
    const first = await health.exhausted(id);
    await health.pass(id);
    await health.exhausted(id);
    const last = await health.exhausted(id);
    expect(await health.found(id), 'within the hour').to.deep.equal([]);
    await health.lane(id, `exhausted_told_at = now() - interval '61 minutes'`);
    await health.pass(id);
    await health.pass(id);
    await health.lane(id, `exhausted_told_at = now() - interval '61 minutes'`);
    expect(await health.found(id), 'nothing new').to.deep.equal([]);
    const events = await health.events(id);
    expect(events.map(({ type }) => type)).to.deep.equal(['delivery.exhausted', 'delivery.exhausted']);
    expect(events.map(({ data }) => [data.object.id, data.exhausted_count])).to.deep.equal([
      [first, 1],
      [last, 2],
    ]);
    expect(events[0].data.endpoint).to.deep.equal({
      id,
      url: 'https://receiver.example.com/hook',
    });
    expect(events[0].data.object).to.include({ endpoint_id: id, status: 'exhausted' });
    const notices = await health.notices(id);
    expect(notices.map(({ title }) => title)).to.deep.equal([
      'A delivery to a webhook endpoint failed for good',
      '2 deliveries to a webhook endpoint failed for good',
    ]);
    expect((await health.audited(id)).at(-1)).to.deep.include({
      action: 'webhook_endpoint.exhaustion_recorded',
      changes: [{ field: 'exhausted_told_count', from: 1, to: 3 }],
    });
  });

  it('exhausted deliveries are reported beside a warning, also when the last one was deleted', async () => {
    const id = await health.endpoint();
    await health.failing(id, 80);
    const lastExhausted = await health.exhausted(id);
    await health.rows('delete from webhook_deliveries where tenant_id = $1 and id = $2', [
      health.tenantId,
      lastExhausted,
    ]);
    const found = await health.found(id);
    expect(found.map(({ type }) => type)).to.deep.equal([
      'webhook_endpoint.warn',
      'webhook_endpoint.record_exhausted',
    ]);
    await health.pass(id, found);
    expect((await health.notices(id)).map(({ kind }) => kind)).to.have.members([
      'endpoint_failing',
      'delivery_exhausted',
    ]);
    expect(await health.types(id)).to.deep.equal(['endpoint.failing']);
    expect(await health.found(id)).to.deep.equal([]);
  });
});
