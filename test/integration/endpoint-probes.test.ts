import { expect } from 'chai';
import { HEALTH } from '../../shared/resources/webhook-endpoints/health-rules.js';
import { EndpointHealth } from '../support/endpoint-health.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const HOUR_MS = 3_600_000;

describe('an endpoint that was disabled for failing', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let health: EndpointHealth;

  before(async () => {
    stack = await TestStack.start({ clock: false });
    tenant = await stack.createTenant();
    health = new EndpointHealth(stack, tenant.id);
  });
  after(() => stack.stop());

  async function disabled(): Promise<string> {
    const id = await health.endpoint();
    await health.failing(id, 121);
    await health.pass(id);
    expect(await health.read(id)).to.include({ disabled_reason: 'failing' });
    return id;
  }

  /** The wait before the next probe is over. */
  const waited = (id: string) => health.lane(id, 'probe_after = now()');

  const probesOf = (id: string) =>
    health.rows(
      `select * from webhook_deliveries where tenant_id = $1 and endpoint_id = $2 and trigger = 'probe' order by id`,
      [tenant.id, id],
    );

  it('is probed after an hour, and ever less often, with a body like that of an event', async () => {
    const id = await disabled();
    await health.pass(id);
    expect(await probesOf(id), 'not before its time').to.deep.equal([]);
    for (const [index, hours] of [2, 4, 8, 16, 24, 24].entries()) {
      await waited(id);
      expect(await health.pass(id)).to.deep.equal([id]);
      expect(await health.pass(id), 'once').to.deep.equal([]);
      const { probes, probe_after } = await health.read(id);
      expect(probes).to.equal(index + 1);
      expect(probe_after.getTime() - Date.now()).to.be.closeTo(hours * HOUR_MS, 60_000);
    }
    const deliveries = await probesOf(id);
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
    expect(events.body.data.items, 'a probe is no event').to.deep.equal([]);
    expect((await health.audited(id)).at(-1)).to.deep.include({
      action: 'webhook_endpoint.probed',
      changes: [{ field: 'probes', from: 5, to: 6 }],
    });
  });

  it('is given up after its last probe', async () => {
    const id = await disabled();
    await health.lane(id, `probes = ${HEALTH.maxProbes - 1}, probe_after = now()`);
    await health.pass(id);
    await waited(id);
    expect(await health.found(id)).to.deep.equal([]);
    expect(await probesOf(id)).to.have.length(1);
  });

  it('is enabled again by its first success, and begins anew', async () => {
    const id = await disabled();
    await waited(id);
    await health.pass(id);
    await health.lane(id, `opened = 3, open_until = now() + interval '1 hour'`);
    // The probe failed: nothing changes.
    await health.lane(id, 'last_failure_at = now(), consecutive_failures = consecutive_failures + 1');
    expect(await health.found(id)).to.deep.equal([]);
    await health.succeeded(id);
    expect(await health.pass(id)).to.deep.equal([id]);
    expect(await health.pass(id)).to.deep.equal([]);
    expect(await health.read(id)).to.include({
      ...{ enabled: true, disabled_reason: null, disabled_at: null, failing_since: null },
      ...{ warned_hours: 0, probes: 0, probe_after: null, opened: 0, open_until: null },
    });
    const events = await health.events(id);
    expect(events.map(({ type }) => type)).to.deep.equal(['endpoint.disabled', 'endpoint.recovered']);
    expect(events[1].data).to.deep.include({ was_disabled: true });
    expect(events[1].data.object).to.include({ id, enabled: true });
    const [, notice] = await health.notices(id);
    expect(notice.kind).to.equal('endpoint_recovered');
    expect(notice.text).to.include('enabled again').and.to.include(`/v1/webhook-endpoints/${id}/recover`);
    expect((await health.audited(id)).at(-1).action).to.equal('webhook_endpoint.healed');
    // A failure right after is the first of new ones.
    await health.failing(id, 1);
    expect(await health.found(id)).to.deep.equal([]);
  });

  it('is not enabled by what it accepted before', async () => {
    const id = await health.endpoint();
    await health.succeeded(id);
    await health.failing(id, 121);
    await health.pass(id);
    expect(await health.found(id)).to.deep.equal([]);
  });

  it('that answers a probe with 410 is told of once more, and probed no more', async () => {
    const id = await disabled();
    const before = (await health.read(id)).disabled_at;
    await health.lane(id, `stop_reason = 'gone'`);
    await health.pass(id);
    expect(await health.read(id)).to.deep.include({
      ...{
        enabled: false,
        disabled_reason: 'gone',
        disabled_at: before,
        probe_after: null,
        stop_reason: null,
      },
    });
    expect((await health.events(id)).map(({ data }) => data.reason)).to.deep.equal(['failing', 'gone']);
    await health.succeeded(id);
    expect(await health.found(id)).to.deep.equal([]);
  });

  it('that people enable begins anew; one that they switch off stays off', async () => {
    const [mended, ended] = [await disabled(), await disabled()];
    await tenant.client.patch(`/webhook-endpoints/${mended}`, { enabled: true });
    await health.lane(
      mended,
      'last_failure_at = now(), failing_since = coalesce(failing_since, now()), consecutive_failures = consecutive_failures + 1',
    );
    expect(await health.found(mended), 'its first failure does not end it again').to.deep.equal([]);
    const off = await tenant.client.patch(`/webhook-endpoints/${ended}`, { enabled: false });
    expect(off.body.disabled_reason).to.equal('user');
    await waited(ended);
    expect(await health.found(ended), 'it is not probed').to.deep.equal([]);
    await health.succeeded(ended);
    expect(await health.found(ended), 'and not healed').to.deep.equal([]);
  });

  it('is healed in a sandbox, too', async () => {
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

describe('deliveries that used up every attempt', () => {
  let stack: TestStack;
  let health: EndpointHealth;

  before(async () => {
    stack = await TestStack.start({ clock: false });
    health = new EndpointHealth(stack, (await stack.createTenant()).id);
  });
  after(() => stack.stop());

  it('are told of at once, and those of the next hour together after it', async () => {
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

  it('are told of beside a warning, and when the last of them is gone already', async () => {
    const id = await health.endpoint();
    await health.failing(id, 80);
    const gone = await health.exhausted(id);
    await health.rows('delete from webhook_deliveries where tenant_id = $1 and id = $2', [
      health.tenantId,
      gone,
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
