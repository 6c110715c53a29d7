import { expect } from 'chai';
import { HEALTH_RULES } from '../../../../shared/resources/webhook-endpoints/health/rules.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import { EndpointHealth } from '../../../support/webhooks/endpoint-health.js';

const HOUR_MS = 3_600_000;

describe('probes of endpoints that were disabled for failing', () => {
  const stack = useStack();
  const tenant = useTenant(stack);
  let health: EndpointHealth;

  before(async () => {
    health = new EndpointHealth(stack, tenant.id);
  });

  async function createDisabledEndpoint(): Promise<string> {
    const id = await health.createEndpoint();
    await health.setFailing(id, 121);
    await health.runCommands(id);
    expect(await health.readEndpoint(id)).to.include({ disabled_reason: 'failing' });
    return id;
  }

  const endProbeWait = (id: string) => health.updateQueue(id, 'probe_after = now()');

  const listProbes = (id: string) =>
    health.queryRows(
      `select * from webhook_deliveries where tenant_id = $1 and endpoint_id = $2 and trigger = 'probe' order by id`,
      [tenant.id, id],
    );

  it("a disabled endpoint is probed after an hour and then less often, with a body like an event's", async () => {
    const id = await createDisabledEndpoint();
    await health.runCommands(id);
    expect(await listProbes(id), 'no probe before probe_after').to.deep.equal([]);
    for (const [index, hours] of [2, 4, 8, 16, 24, 24].entries()) {
      await endProbeWait(id);
      expect(await health.runCommands(id)).to.deep.equal([id]);
      expect(await health.runCommands(id), 'a second run finds nothing').to.deep.equal([]);
      const { probes, probe_after } = await health.readEndpoint(id);
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
    expect((await health.readAuditEntries(id)).at(-1)).to.deep.include({
      action: 'webhook_endpoint.probed',
      changes: [{ field: 'probes', from: 5, to: 6 }],
    });
  });

  it('a disabled endpoint gets no probe after the last one', async () => {
    const id = await createDisabledEndpoint();
    await health.updateQueue(id, `probes = ${HEALTH_RULES.maxProbes - 1}, probe_after = now()`);
    await health.runCommands(id);
    await endProbeWait(id);
    expect(await health.findCommands(id)).to.deep.equal([]);
    expect(await listProbes(id)).to.have.length(1);
  });

  it('the first successful probe enables an endpoint again and resets its health', async () => {
    const id = await createDisabledEndpoint();
    await endProbeWait(id);
    await health.runCommands(id);
    await health.updateQueue(id, `opened = 3, open_until = now() + interval '1 hour'`);
    // A failed probe changes nothing.
    await health.updateQueue(id, 'last_failure_at = now(), consecutive_failures = consecutive_failures + 1');
    expect(await health.findCommands(id)).to.deep.equal([]);
    await health.setSucceeded(id);
    expect(await health.runCommands(id)).to.deep.equal([id]);
    expect(await health.runCommands(id)).to.deep.equal([]);
    expect(await health.readEndpoint(id)).to.include({
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
    const events = await health.readEvents(id);
    expect(events.map(({ type }) => type)).to.deep.equal(['endpoint.disabled', 'endpoint.recovered']);
    expect(events[1].data).to.deep.include({ was_disabled: true });
    expect(events[1].data.object).to.include({ id, enabled: true });
    const [, notice] = await health.readNotices(id);
    expect(notice.kind).to.equal('endpoint_recovered');
    expect(notice.text).to.include('enabled again').and.to.include(`/v1/webhook-endpoints/${id}/recover`);
    expect((await health.readAuditEntries(id)).at(-1).action).to.equal('webhook_endpoint.healed');
    // The next failure begins a new series, so one hour of failing causes no command yet.
    await health.setFailing(id, 1);
    expect(await health.findCommands(id)).to.deep.equal([]);
  });

  it('a success from before an endpoint was disabled does not enable it', async () => {
    const id = await health.createEndpoint();
    await health.setSucceeded(id);
    await health.setFailing(id, 121);
    await health.runCommands(id);
    expect(await health.findCommands(id)).to.deep.equal([]);
  });

  it('an endpoint that responds to a probe with 410 is reported once more and not probed again', async () => {
    const id = await createDisabledEndpoint();
    const before = (await health.readEndpoint(id)).disabled_at;
    await health.updateQueue(id, `stop_reason = 'gone'`);
    await health.runCommands(id);
    expect(await health.readEndpoint(id)).to.deep.include({
      enabled: false,
      disabled_reason: 'gone',
      disabled_at: before,
      probe_after: null,
      stop_reason: null,
    });
    expect((await health.readEvents(id)).map(({ data }) => data.reason)).to.deep.equal(['failing', 'gone']);
    await health.setSucceeded(id);
    expect(await health.findCommands(id)).to.deep.equal([]);
  });

  it('an endpoint that a user enables starts with a clean record; one that a user disables stays disabled', async () => {
    const [reenabled, switchedOff] = [await createDisabledEndpoint(), await createDisabledEndpoint()];
    await tenant.client.patch(`/webhook-endpoints/${reenabled}`, { enabled: true });
    await health.updateQueue(
      reenabled,
      'last_failure_at = now(), failing_since = coalesce(failing_since, now()), consecutive_failures = consecutive_failures + 1',
    );
    expect(await health.findCommands(reenabled), 'its first failure does not disable it again').to.deep.equal(
      [],
    );
    const response = await tenant.client.patch(`/webhook-endpoints/${switchedOff}`, { enabled: false });
    expect(response.body.disabled_reason).to.equal('user');
    await endProbeWait(switchedOff);
    expect(await health.findCommands(switchedOff), 'it is not probed').to.deep.equal([]);
    await health.setSucceeded(switchedOff);
    expect(await health.findCommands(switchedOff), 'it is not enabled').to.deep.equal([]);
  });

  it('an endpoint of a sandbox is enabled again by a successful probe, too', async () => {
    const sandbox = new EndpointHealth(stack, tenant.sandboxId);
    const id = await sandbox.createEndpoint();
    await sandbox.setFailing(id, 121);
    await sandbox.runCommands(id);
    await sandbox.updateQueue(id, 'probe_after = now()');
    await sandbox.runCommands(id);
    await sandbox.setSucceeded(id);
    await sandbox.runCommands(id);
    expect(await sandbox.readEventTypes(id)).to.deep.equal(['endpoint.disabled', 'endpoint.recovered']);
    expect((await sandbox.readEvents(id))[0].environment).to.equal('sandbox');
  });
});

describe('reports of deliveries that used up every attempt', () => {
  const stack = useStack();
  let health: EndpointHealth;

  before(async () => {
    health = new EndpointHealth(stack, (await stack.createTenant()).id);
  });

  it('an exhausted delivery is reported immediately, and those of the next hour are reported together', async () => {
    const id = await health.createEndpoint();
    const first = await health.addExhaustedDelivery(id);
    await health.runCommands(id);
    await health.addExhaustedDelivery(id);
    const last = await health.addExhaustedDelivery(id);
    expect(await health.findCommands(id), 'within the hour').to.deep.equal([]);
    await health.updateQueue(id, `exhausted_told_at = now() - interval '61 minutes'`);
    await health.runCommands(id);
    await health.runCommands(id);
    await health.updateQueue(id, `exhausted_told_at = now() - interval '61 minutes'`);
    expect(await health.findCommands(id), 'nothing new').to.deep.equal([]);
    const events = await health.readEvents(id);
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
    const notices = await health.readNotices(id);
    expect(notices.map(({ title }) => title)).to.deep.equal([
      'A delivery to a webhook endpoint failed for good',
      '2 deliveries to a webhook endpoint failed for good',
    ]);
    expect((await health.readAuditEntries(id)).at(-1)).to.deep.include({
      action: 'webhook_endpoint.exhaustion_recorded',
      changes: [{ field: 'exhausted_told_count', from: 1, to: 3 }],
    });
  });

  it('exhausted deliveries are reported beside a warning, also when the last one was deleted', async () => {
    const id = await health.createEndpoint();
    await health.setFailing(id, 80);
    const lastExhausted = await health.addExhaustedDelivery(id);
    await health.queryRows('delete from webhook_deliveries where tenant_id = $1 and id = $2', [
      health.tenantId,
      lastExhausted,
    ]);
    const found = await health.findCommands(id);
    expect(found.map(({ type }) => type)).to.deep.equal([
      'webhook_endpoint.warn',
      'webhook_endpoint.record_exhausted',
    ]);
    await health.runCommands(id, found);
    expect((await health.readNotices(id)).map(({ kind }) => kind)).to.have.members([
      'endpoint_failing',
      'delivery_exhausted',
    ]);
    expect(await health.readEventTypes(id)).to.deep.equal(['endpoint.failing']);
    expect(await health.findCommands(id)).to.deep.equal([]);
  });
});
