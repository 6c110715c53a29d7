import { expect } from 'chai';
import fc from 'fast-check';
import { matchesType, matchesTypesSql } from '../../../../shared/events/event-types.js';
import { newId } from '../../../../shared/platform/ids.js';
import { expectError, listValidationErrors } from '../../../support/expect-error.js';
import { UNKNOWN_ID } from '../../../support/records/samples.js';
import { useStack } from '../../../support/use-stack.js';
import { hoursAgo, ReplayClocks, type ReplayedDelivery } from '../../../support/webhooks/webhook-replays.js';
import { insertDeliveries, insertEndpoint, insertEvents } from '../../../support/webhooks/webhook-rows.js';

const DRY_RUN = { headers: { 'X-Service-Dry-Run': 'true' } };
const HOUR_MS = 3_600_000;

describe('webhook replays and recoveries', () => {
  const stack = useStack();
  let clocks: ReplayClocks;

  before(async () => {
    clocks = new ReplayClocks(stack);
  });

  describe('POST /webhook-deliveries/replay', () => {
    it('a replay by filter sends matching deliveries again to their endpoints, and a dry run counts them', async () => {
      const account = await clocks.createAccount();
      const { tenantRows, endpoint, tenant } = account;
      const other = await insertEndpoint(tenantRows);
      const closed = await insertEndpoint(tenantRows, { enabled: false });
      const events = await insertEvents(tenantRows, [
        'invoice.paid',
        'invoice.created',
        'customer.created',
        'invoice.paid',
      ]);
      const [paid, created, customer, twice] = events as [string, string, string, string];
      const exhausted = (event_id: string, event_type: string, endpoint_id = endpoint) => ({
        event_id,
        event_type,
        endpoint_id,
        status: 'exhausted',
      });
      const [first, second, third] = await insertDeliveries(tenantRows, [
        exhausted(paid, 'invoice.paid'),
        exhausted(created, 'invoice.created'),
        exhausted(paid, 'invoice.paid', other),
        exhausted(twice, 'invoice.paid'),
        exhausted(twice, 'invoice.paid'),
        exhausted(customer, 'customer.created'),
        exhausted(newId(), 'invoice.paid'),
        exhausted(paid, 'invoice.paid', closed),
        // None of the following deliveries matches. Each would otherwise raise the total by one.
        { ...exhausted(customer, 'invoice.paid'), trigger: 'test', body: '{}' },
        { ...exhausted(customer, 'invoice.paid'), status: 'succeeded' },
        { ...exhausted(customer, 'invoice.paid'), status: 'pending' },
        { ...exhausted(customer, 'invoice.paid'), created_at: hoursAgo(3) },
      ]);
      const filter = { event_type: 'invoice.*', since: hoursAgo(2) };
      const dry = await tenant.client.post('/webhook-deliveries/replay', filter, DRY_RUN);
      expect(dry.status, dry.text).to.equal(200);
      expect(dry.body).to.deep.include({ ok: true, dry_run: true, warnings: [] });
      expect(dry.body.data).to.deep.include({
        kind: 'replay',
        total: 4,
        created_count: 0,
        status: 'running',
      });
      expect((await tenant.client.get('/webhook-replays')).body.data.items).to.deep.equal([]);

      const replay = await account.start('/webhook-deliveries/replay', filter);
      expect(replay).to.deep.include({ endpoint_id: null, total: 4, completed_at: null });
      expect(replay.filter).to.deep.equal({ ...filter, status: 'exhausted', until: null });
      const made = await account.finish(replay.id);
      expect(made.map((row) => `${row.event_id} ${row.endpoint_id}`)).to.have.members([
        `${paid} ${endpoint}`,
        `${created} ${endpoint}`,
        `${paid} ${other}`,
        `${twice} ${endpoint}`,
      ]);
      for (const row of made) expect(row).to.include({ trigger: 'replay', priority: 1, status: 'pending' });
      expect(made.map((row) => row.replay_of)).to.include.members([first, second, third]);
      const ended = await account.read(replay.id);
      expect(ended).to.include({ status: 'completed', created_count: 4 });
      expect(ended.completed_at).to.be.a('string');
      const shown = await tenant.client.get(`/webhook-deliveries?replay_id=${replay.id}`);
      expect(shown.body.data.items.map((item: ReplayedDelivery) => item.id)).to.have.members(
        made.map((row) => row.id),
      );
      expect((await tenant.client.get('/webhook-replays')).body.data.items).to.deep.equal([ended]);
    });

    it('a replay sends an event once to an endpoint, also if several of its deliveries match', async () => {
      const account = await clocks.createAccount();
      const { tenantRows, endpoint } = account;
      const [event_id] = (await insertEvents(tenantRows, ['invoice.paid'])) as [string];
      await insertDeliveries(tenantRows, [
        { endpoint_id: endpoint, event_id, status: 'failed', created_at: hoursAgo(1) },
      ]);
      const first = await account.start('/webhook-deliveries/replay', {
        endpoint_id: endpoint,
        status: 'failed',
      });
      expect(await account.finish(first.id)).to.have.length(1);
      await account.completeDeliveries('exhausted');
      // Both deliveries of the event are now exhausted and match the filter, but the replay sends
      // the event once.
      const second = await account.start('/webhook-deliveries/replay', { endpoint_id: endpoint });
      expect(second.total).to.equal(1);
      expect(await account.finish(second.id)).to.have.length(1);
    });

    it('a replay requires an endpoint_id or since, and refuses unknown and disabled endpoints', async () => {
      const { tenant, tenantRows } = await clocks.createAccount();
      const postReplay = (body: object) => tenant.client.post('/webhook-deliveries/replay', body);
      expect(listValidationErrors(await postReplay({}))).to.deep.equal(['since required']);
      expect(listValidationErrors(await postReplay({ endpoint_id: UNKNOWN_ID }))).to.deep.equal([
        'endpoint_id unknown',
      ]);
      const { endpoint: foreign } = await clocks.createAccount();
      expect(listValidationErrors(await postReplay({ endpoint_id: foreign }))).to.deep.equal([
        'endpoint_id unknown',
      ]);
      for (const status of ['pending', 'delivering', 'lost'])
        expect(listValidationErrors(await postReplay({ since: hoursAgo(1), status }))).to.deep.equal([
          'status only',
        ]);
      const closed = await insertEndpoint(tenantRows, { enabled: false });
      expectError(await postReplay({ endpoint_id: closed }), 409, 'conflict');
    });
  });

  describe('POST /webhook-endpoints/{id}/recover', () => {
    const STATES = [
      'none',
      'pending',
      'delivering',
      'failed',
      'succeeded',
      'exhausted',
      'cancelled',
      'exhausted+succeeded',
      'exhausted+failed',
    ];
    const DELIVERED_OR_OPEN = /pending|delivering|failed|succeeded/;
    const TYPES = ['invoice.paid', 'invoice.created', 'work_order.completed', 'customer.created'];

    it('a recovery sends every matching event of its period that is neither delivered nor open, and sends it once', async () => {
      const account = await clocks.createAccount({ eventTypes: ['invoice.*', 'customer.created'] });
      const { tenantRows, endpoint, tenant } = account;
      const elsewhere = await insertEndpoint(tenantRows);
      const cases = fc.sample(fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom(...STATES)), {
        numRuns: 120,
        seed: 4,
      });
      const events = await insertEvents(
        tenantRows,
        cases.map(([type]) => type),
      );
      const deliveries = cases.flatMap(([event_type, state], nth) =>
        state
          .split('+')
          .filter((status) => status !== 'none')
          .map((status) => ({ endpoint_id: endpoint, event_id: events[nth] as string, event_type, status })),
      );
      // Deliveries to another endpoint must make no difference.
      await insertDeliveries(tenantRows, [
        ...deliveries,
        ...events.map((event_id) => ({ endpoint_id: elsewhere, event_id, status: 'succeeded' })),
      ]);
      const [since, until] = [
        new Date(Date.now() - HOUR_MS + 10_000).toISOString(),
        new Date(Date.now() - HOUR_MS + 110_000).toISOString(),
      ];
      const rows = await stack.rows<{ id: string }>(
        tenant.id,
        'select id from events where tenant_id = $1 and occurred_at >= $2 and occurred_at < $3',
        [tenant.id, since, until],
      );
      const inTime = new Set(rows.map((row) => row.id));
      const missed = events.filter((id, nth) => {
        const [type, state] = cases[nth] as [string, string];
        return inTime.has(id) && /^invoice|^customer/.test(type) && !DELIVERED_OR_OPEN.test(state);
      });
      expect(missed).to.have.length.within(10, 60);

      const path = `/webhook-endpoints/${endpoint}/recover`;
      for (const dry of [
        await tenant.client.post(path, { since, until }, DRY_RUN),
        await tenant.client.post(path, { since, until, dry_run: true }),
      ]) {
        expect(dry.status, dry.text).to.equal(200);
        expect(dry.headers['x-service-dry-run']).to.equal('true');
        expect(dry.body).to.deep.include({ ok: true, dry_run: true, warnings: [] });
        expect(dry.body.data).to.deep.include({
          kind: 'recover',
          endpoint_id: endpoint,
          total: missed.length,
        });
      }
      expect((await tenant.client.get('/webhook-replays')).body.data.count).to.equal(0);
      const recovery = await account.start(path, { since, until });
      expect(recovery.total).to.equal(missed.length);
      // A second, concurrent recovery finds the same events, and must not send them again.
      const secondRecovery = await account.start(path, { since, until, dry_run: false });
      const made = [...(await account.finish(recovery.id)), ...(await account.finish(secondRecovery.id))];
      expect(made.map((row) => row.event_id)).to.have.members(missed);
      for (const row of made)
        expect(row).to.include({ trigger: 'recover', priority: 1, endpoint_id: endpoint, replay_of: null });
      expect((await tenant.client.post(path, { since, until, dry_run: true })).body.data.total).to.equal(0);
    });

    it('a recovery matches event types in SQL exactly as the filters do in TypeScript', async () => {
      const { tenant } = await clocks.createAccount();
      const filters = ['*', 'invoice.*', 'invoice.paid', 'ai.suggestion.*', 'invoice_x.*', 'ai.*'];
      const types = [...TYPES, 'invoice', 'invoicex.paid', 'invoice_x.paid', 'ai.suggestion.created', 'ai'];
      for (const [type, chosen] of fc.sample(fc.tuple(fc.constantFrom(...types), fc.subarray(filters)), 60)) {
        const text = `select ${matchesTypesSql('$1::text', '$2::text[]')} as is_match`;
        const [row] = await stack.rows<{ is_match: boolean }>(tenant.id, text, [type, chosen]);
        expect(row?.is_match, `${type} by ${chosen}`).to.equal(
          chosen.some((filter) => matchesType(filter, type)),
        );
      }
    });

    it('a recovery skips events about its own endpoint and includes those about another endpoint', async () => {
      const account = await clocks.createAccount();
      const other = await insertEndpoint(account.tenantRows);
      const about = (id: string) => [
        { type: 'endpoint.disabled', data: { object: { id } } },
        { type: 'delivery.exhausted', data: { endpoint: { id } } },
      ];
      const events = await insertEvents(account.tenantRows, [
        ...about(account.endpoint),
        ...about(other),
        { type: 'invoice.paid', data: { object: { id: account.endpoint } } },
      ]);
      const { id, total } = await account.recover();
      expect(total).to.equal(3);
      expect((await account.finish(id)).map((row) => row.event_id)).to.deep.equal(events.slice(2));
    });

    it('recoveries and replays refuse an until before since', async () => {
      const { tenant, endpoint } = await clocks.createAccount();
      const [since, until] = ['2026-11-21T14:00:00+01:00', '2026-11-21T12:59:59Z'];
      for (const path of [`/webhook-endpoints/${endpoint}/recover`, '/webhook-deliveries/replay']) {
        expect(listValidationErrors(await tenant.client.post(path, { since, until }))).to.deep.equal([
          'until beforeSince',
        ]);
        const empty = await tenant.client.post(path, { since, until: '2026-11-21T13:00:00z' }, DRY_RUN);
        expect(empty.status, empty.text).to.equal(200);
      }
    });

    it('a recovery requires since, and refuses disabled, deleted and unknown endpoints', async () => {
      const { tenant, tenantRows, endpoint } = await clocks.createAccount();
      const disabled = await insertEndpoint(tenantRows, { enabled: false });
      const deleted = await insertEndpoint(tenantRows, { deleted_at: hoursAgo(1) });
      const body = { since: hoursAgo(1) };
      expectError(await tenant.client.post(`/webhook-endpoints/${disabled}/recover`, body), 409, 'conflict');
      expect(
        listValidationErrors(await tenant.client.post(`/webhook-endpoints/${endpoint}/recover`, {})),
      ).to.deep.equal(['since required']);
      const { endpoint: foreign } = await clocks.createAccount();
      for (const id of [deleted, UNKNOWN_ID, foreign, 'x'])
        expectError(await tenant.client.post(`/webhook-endpoints/${id}/recover`, body), 404, 'not_found');
    });
  });
});
