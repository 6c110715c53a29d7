import type { Job } from 'bullmq';
import { expect } from 'chai';
import type { SqlQuery } from '../../../../shared/platform/postgres/database.js';
import type { ClockJob } from '../../../../shared/queues/clock.js';
import { HEALTH_RULES } from '../../../../shared/resources/webhook-endpoints/health/rules.js';
import { findHealthSteps } from '../../../../shared/resources/webhook-endpoints/health/sweep.js';
import { createClockProcessor } from '../../../../workers/clock/processor.js';
import { eventually } from '../../../support/poll.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import { EndpointHealth } from '../../../support/webhooks/endpoint-health.js';
import { explainPlan } from '../../../support/writes/explain.js';

const HOUR_MS = 3_600_000;

describe('health of webhook endpoints', () => {
  const stack = useStack({}, 'query plans');
  const tenant = useTenant(stack);
  let health: EndpointHealth;

  before(async () => {
    health = new EndpointHealth(stack, tenant.id);
  });

  it('an endpoint that works, or fails for less than a day, gets no command', async () => {
    const id = await health.createEndpoint();
    await health.setSucceeded(id);
    expect(await health.findCommands(id)).to.deep.equal([]);
    await health.setFailing(id, 23.9);
    expect(await health.findCommands(id)).to.deep.equal([]);
  });

  it('a failing endpoint is reported after one, three and four days, once each and not earlier', async () => {
    const id = await health.createEndpoint();
    for (const [index, hours] of HEALTH_RULES.warnAfterHours.entries()) {
      await health.setFailing(id, hours - 0.1);
      await health.runCommands(id);
      expect(await health.readEventTypes(id), `before ${hours} hours`).to.have.length(index);
      await health.setFailing(id, hours + 0.1);
      await health.runCommands(id);
      await health.runCommands(id);
      expect(await health.readEventTypes(id)).to.deep.equal(Array(index + 1).fill('endpoint.failing'));
    }
    const [first, , last] = await health.readEvents(id);
    expect(first.data.object).to.include({ id, enabled: true });
    expect(first.data.hours).to.equal(24);
    expect(last.data.hours).to.equal(96);
    expect(Date.parse(last.data.disables_at) - Date.parse(last.data.failing_since)).to.equal(120 * HOUR_MS);
    const [notice, ...more] = await health.readNotices(id);
    expect(more).to.have.length(2);
    expect(notice).to.include({ kind: 'endpoint_failing', entity_type: 'webhook_endpoint', read_at: null });
    expect(notice.title).to.equal('A webhook endpoint has been failing for a day');
    expect(notice.text).to.include('receiver.example.com has').and.to.include('http_503');
    expect(notice.text, 'the query of the URL may hold a secret').to.not.include('secret');
    const audited = await health.readAuditEntries(id);
    expect(audited.map(({ changes }) => changes)).to.deep.equal([
      [{ field: 'warned_hours', from: 0, to: 24 }],
      [{ field: 'warned_hours', from: 24, to: 72 }],
      [{ field: 'warned_hours', from: 72, to: 96 }],
    ]);
    expect(audited[0]).to.include({ action: 'webhook_endpoint.warned', actor_name: 'clock' });
  });

  it('an old failure without later ones is not reported', async () => {
    const id = await health.createEndpoint();
    await health.setFailing(id, 100, 99);
    expect(await health.findCommands(id)).to.deep.equal([]);
    // A series of failures that lasts 30 hours causes the warning at 24 hours, but no later
    // warning.
    await health.setFailing(id, 100, 70);
    await health.runCommands(id);
    expect((await health.readEvents(id)).map(({ data }) => data.hours)).to.deep.equal([24]);
  });

  it('an endpoint that works again is reported as recovered only if its failing was reported', async () => {
    const [warned, unwarned] = [await health.createEndpoint(), await health.createEndpoint()];
    await health.setFailing(warned, 25);
    await health.setFailing(unwarned, 23);
    for (const id of [warned, unwarned]) {
      await health.runCommands(id);
      await health.setSucceeded(id);
      await health.runCommands(id);
      await health.runCommands(id);
    }
    expect(await health.readEventTypes(warned)).to.deep.equal(['endpoint.failing', 'endpoint.recovered']);
    expect(await health.readEventTypes(unwarned)).to.deep.equal([]);
    expect((await health.readEvents(warned))[1].data).to.deep.include({ was_disabled: false });
    expect((await health.readNotices(warned))[1]).to.include({ kind: 'endpoint_recovered' });
    // After the recovery, the first warning is due again.
    await health.setFailing(warned, 25);
    await health.runCommands(warned);
    expect(await health.readEventTypes(warned)).to.have.length(3);
  });

  it('an endpoint that worked and failed again before the clock ran is reported as recovered', async () => {
    const id = await health.createEndpoint();
    await health.setFailing(id, 25);
    await health.runCommands(id);
    await health.setFailing(id, 1);
    await health.runCommands(id);
    expect(await health.readEventTypes(id)).to.deep.equal(['endpoint.failing', 'endpoint.recovered']);
  });

  it('an endpoint that only failed for five days is disabled, with event, notice and wake-up of its worker', async () => {
    const id = await health.createEndpoint();
    await health.setFailing(id, 119.9);
    await health.runCommands(id);
    expect(await health.readEndpoint(id)).to.include({ enabled: true, warned_hours: 96 });
    await health.setFailing(id, 120.1);
    expect(await health.runCommands(id)).to.deep.equal([id]);
    const { enabled, disabled_reason, disabled_at, probe_after, probes } = await health.readEndpoint(id);
    expect({ enabled, disabled_reason, probes }).to.deep.equal({
      enabled: false,
      disabled_reason: 'failing',
      probes: 0,
    });
    expect(probe_after.getTime() - disabled_at.getTime()).to.be.within(HOUR_MS, HOUR_MS + 1);
    expect(await health.runCommands(id)).to.deep.equal([]);
    const events = await health.readEvents(id);
    expect(events.map(({ type }) => type)).to.deep.equal(['endpoint.failing', 'endpoint.disabled']);
    expect(events[1].data).to.deep.include({ reason: 'failing' });
    expect(events[1].data.object).to.include({ enabled: false, disabled_reason: 'failing' });
    const [, notice] = await health.readNotices(id);
    expect(notice.kind).to.equal('endpoint_disabled');
    expect(notice.text).to.include('http_503').and.to.include(`/v1/webhook-endpoints/${id}/recover`);
    expect((await health.readAuditEntries(id)).at(-1).changes.slice(0, 2)).to.deep.equal([
      { field: 'enabled', from: true, to: false },
      { field: 'disabled_reason', from: null, to: 'failing' },
    ]);
  });

  it('an endpoint is not disabled for failures that are stale, few, or less than five days apart', async () => {
    const cases: [string, (id: string) => Promise<void>][] = [
      ['stale', (id) => health.setFailing(id, 200, 30)],
      ['not apart', (id) => health.setFailing(id, 130, 11)],
      [
        'few',
        async (id) => {
          await health.setFailing(id, 130);
          await health.updateQueue(id, `consecutive_failures = ${HEALTH_RULES.minFailures - 1}`);
        },
      ],
    ];
    for (const [name, fail] of cases) {
      const id = await health.createEndpoint();
      await fail(id);
      await health.runCommands(id);
      await health.runCommands(id);
      expect(await health.readEndpoint(id), name).to.include({ enabled: true });
      expect(await health.readEventTypes(id), name).to.deep.equal(['endpoint.failing']);
    }
  });

  for (const [reason, expectedText] of [
    ['gone', '410 Gone'],
    ['receiver', 'webhook-delivery: disable'],
  ] as const) {
    it(`an endpoint whose receiver asks to stop (${reason}) is disabled immediately and never probed`, async () => {
      const id = await health.createEndpoint();
      await health.updateQueue(id, `stop_reason = '${reason}'`);
      expect(await health.runCommands(id)).to.deep.equal([id]);
      expect(await health.readEndpoint(id)).to.include({
        enabled: false,
        disabled_reason: reason,
        stop_reason: null,
        probe_after: null,
        warned_hours: 0,
      });
      expect((await health.readEvents(id))[0].data).to.deep.include({ reason });
      expect((await health.readNotices(id))[0].text).to.include(expectedText);
      await health.updateQueue(
        id,
        `last_success_at = clock_timestamp(), probe_after = now() - interval '1 hour', warned_hours = 120`,
      );
      expect(await health.findCommands(id)).to.deep.equal([]);
    });
  }

  it('an endpoint that a user disabled or deleted gets no health command', async () => {
    for (const set of [
      `enabled = false, disabled_reason = 'user', disabled_at = now()`,
      'deleted_at = now()',
    ]) {
      const id = await health.createEndpoint();
      await health.setFailing(id, 130);
      await health.updateQueue(
        id,
        `stop_reason = 'gone', probe_after = now(), last_success_at = clock_timestamp()`,
      );
      await health.queryRows(`update webhook_endpoints set ${set} where tenant_id = $1 and id = $2`, [
        tenant.id,
        id,
      ]);
      expect(await health.findCommands(id), set).to.deep.equal([]);
    }
  });

  it('disabling an endpoint checks its health again when the command runs', async () => {
    const id = await health.createEndpoint();
    await health.setFailing(id, 130);
    const found = await health.findCommands(id);
    expect(found.map(({ type }) => type)).to.deep.equal(['webhook_endpoint.disable']);
    await health.setSucceeded(id);
    expect(await health.runCommands(id, found)).to.deep.equal([]);
    expect(await health.readEndpoint(id)).to.include({ enabled: true });
    expect(await health.readEvents(id)).to.deep.equal([]);
    expect(await health.readNotices(id)).to.deep.equal([]);
  });

  it('the clock job watch-endpoints disables an endpoint that failed for five days', async () => {
    const id = await health.createEndpoint();
    await health.setFailing(id, 121);
    await createClockProcessor(stack.runtime)({ name: 'watch-endpoints', data: {} } as Job<ClockJob>, '');
    await eventually('the endpoint is disabled', async () => !(await health.readEndpoint(id)).enabled);
    expect(await health.readEventTypes(id)).to.deep.equal(['endpoint.disabled']);
  });

  it('the health sweep finds endpoints through an index among 5000 healthy ones and scans no table', async () => {
    const fill = `
      with made as (insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight)
        select $1, gen_random_uuid(), 'https://example.com', '{*}', 10 from generate_series(1, 5000) returning *)
      insert into webhook_lanes (tenant_id, endpoint_id) select tenant_id, id from made`;
    await health.queryRows(fill, [tenant.id]);
    await stack.runAsOwner('analyze webhook_endpoints, webhook_lanes');
    const captured: SqlQuery[] = [];
    const query = async (sentQuery: SqlQuery) => {
      captured.push(sentQuery);
      return [];
    };
    await findHealthSteps({ query, queryAtCommit: () => undefined }, 10);
    const nodes = await explainPlan(stack.runtime.db, tenant.id, captured[0] as SqlQuery);
    const scans = nodes.flatMap((node) => /^webhook_.*/.exec(node['Relation Name'] ?? '') ?? []);
    expect(scans, JSON.stringify(nodes[0])).to.deep.equal(['webhook_lanes', 'webhook_endpoints']);
    expect(nodes.map((node) => node['Index Name'])).to.include('webhook_endpoints_pkey');
    expect(nodes.map((node) => node['Node Type'])).to.not.include('Seq Scan');
  });
});
