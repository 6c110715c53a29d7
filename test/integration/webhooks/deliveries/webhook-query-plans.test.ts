import { expect } from 'chai';
import { maintainPartitions } from '../../../../migrations/partitions.js';
import { firstIdAt } from '../../../../shared/platform/id-times.js';
import { newId } from '../../../../shared/platform/ids.js';
import type { SqlQuery, Transaction } from '../../../../shared/platform/postgres/database.js';
import type { ListScope } from '../../../../shared/records/lists/keyset-list.js';
import { listAttempts, listDeliveries } from '../../../../shared/resources/webhook-deliveries/queries.js';
import { buildCountQuery } from '../../../../shared/resources/webhook-replays/plan.js';
import { continueReplay } from '../../../../shared/resources/webhook-replays/run.js';
import { useStack, useTenant } from '../../../support/use-stack.js';
import { explainPlan, type PlanNode } from '../../../support/writes/explain.js';

const ROWS = 12_500;
const WEEK_MS = 7 * 86_400_000;
/** The first Monday in Unix time (1970-01-05). Each partition starts on a Monday. */
const FIRST_MONDAY_MS = 4 * 86_400_000;
const limit = 50;
const monday = Date.now() - ((Date.now() - FIRST_MONDAY_MS) % WEEK_MS);
const start = monday - 4 * WEEK_MS;
const weeks = [3, 2, 1, 0].map((ago) => Date.now() - ago * WEEK_MS);
/**
 * SQL for the time in the nth id. The times span the last four weeks and the whole current week.
 * With past times only, the current partition would have few rows on Mondays, and PostgreSQL would
 * choose an unrealistic plan.
 */
const ID_TIME_SQL = `to_hex(${start} + n * ${Math.floor((5 * WEEK_MS) / (ROWS + 1))}::bigint)`;
const ID_SQL = `overlay(gen_random_uuid()::text placing regexp_replace(lpad(${ID_TIME_SQL}, 12, '0'), '(.{8})(.{4})', '\\1-\\2') from 1)::uuid`;
const INSERT_DELIVERIES_SQL = `
  insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, trigger, replay_id, status, next_attempt_at, completed_at)
  select $1, ${ID_SQL}, case when n % 4 = 0 then $2::uuid else $3::uuid end, gen_random_uuid(),
    case when n % 20 = 0 then 'invoice.paid' else 'invoice.created' end,
    case when n % 100 = 0 then 'replay' else 'event' end, case when n % 100 = 0 then $3::uuid end,
    case when n % 50 = 0 then 'exhausted' else 'succeeded' end, null, now()
  from generate_series(1, ${ROWS}) n`;
const INSERT_ATTEMPTS_SQL = `
  insert into webhook_attempts (tenant_id, id, delivery_id, endpoint_id, attempt, started_at, url, request_headers, total_ms)
  select tenant_id, id, id, endpoint_id, 1, now(), 'https://receiver.invalid', '{}', 1 from webhook_deliveries where tenant_id = $1`;
const INSERT_EVENTS_SQL = `
  insert into events (tenant_id, id, type, body) select $1, ${ID_SQL}, 'invoice.created', '{}' from generate_series(1, ${ROWS}) n`;

describe('query plans of webhook deliveries over five weeks of partitions', () => {
  const stack = useStack({}, 'query plans');
  const tenant = useTenant(stack);
  const endpoint = newId();
  const other = newId();
  /** Maps the index of a partition to the index of its table. */
  const parents = new Map<string, string>();

  before(async () => {
    // Also create the partitions of the last four weeks, which a new database does not have.
    await maintainPartitions(stack.databaseUrl, { now: start });
    for (const owner of [tenant, await stack.createTenant('Neighbour')]) {
      await stack.rows(owner.id, INSERT_DELIVERIES_SQL, [owner.id, endpoint, other]);
      await stack.rows(owner.id, INSERT_ATTEMPTS_SQL, [owner.id]);
      await stack.rows(owner.id, INSERT_EVENTS_SQL, [owner.id]);
      for (const id of [endpoint, other])
        await stack.rows(
          owner.id,
          "insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight) values ($1, $2, 'https://receiver.invalid', '{*}', 1)",
          [owner.id, id],
        );
    }
    await stack.runAsOwner('analyze');
    const rows = await stack.rows<{ child: string; parent: string }>(
      tenant.id,
      `select c.relname as child, p.relname as parent from pg_inherits i join pg_class c on c.oid = i.inhrelid
       join pg_class p on p.oid = i.inhparent where c.relkind in ('i', 'I')`,
    );
    for (const { child, parent } of rows) parents.set(child, parent);
  });

  const createScope = (page: 'first' | 'later'): ListScope => ({
    tenantId: tenant.id,
    timeZone: 'America/New_York',
    position:
      page === 'first' ? undefined : { at: new Date().toISOString(), id: firstIdAt(weeks[1] as number) },
  });
  const listIndexes = (nodes: PlanNode[]) =>
    new Set(nodes.flatMap((node) => node['Index Name'] ?? []).map((name) => parents.get(name) ?? name));
  const deliveries = (query: Record<string, string>) => (scope: ListScope) =>
    listDeliveries({ limit, ...query }, scope);

  const cases: [string, (scope: ListScope) => SqlQuery, string][] = [
    ['deliveries', deliveries({}), 'webhook_deliveries_pkey'],
    ['deliveries of an endpoint', deliveries({ endpoint_id: endpoint }), 'webhook_deliveries_endpoint'],
    ['deliveries of a type', deliveries({ event_type: 'invoice.paid' }), 'webhook_deliveries_type'],
    [
      'deliveries of an event type prefix',
      deliveries({ event_type: 'invoice.*' }),
      'webhook_deliveries_pkey',
    ],
    ['deliveries of an event', deliveries({ event_id: newId() }), 'webhook_deliveries_event'],
    ['deliveries of a status', deliveries({ status: 'exhausted' }), 'webhook_deliveries_status'],
    ['pending deliveries', deliveries({ status: 'pending' }), 'webhook_deliveries_status'],
    ['succeeded deliveries', deliveries({ status: 'succeeded' }), 'webhook_deliveries_pkey'],
    [
      'deliveries of an endpoint and a status',
      deliveries({ endpoint_id: endpoint, status: 'exhausted' }),
      'webhook_deliveries_endpoint_status',
    ],
    ['deliveries by a trigger', deliveries({ trigger: 'replay' }), 'webhook_deliveries_trigger'],
    ['deliveries of a replay', deliveries({ replay_id: other }), 'webhook_deliveries_replay'],
    [
      'attempts',
      (scope) => listAttempts({ limit, delivery_id: newId() }, scope),
      'webhook_attempts_delivery',
    ],
  ];
  for (const [name, buildQuery, index] of cases) {
    for (const page of ['first', 'later'] as const) {
      it(`the ${page} page of ${name} is read from the index ${index} without a sort or a table scan`, async () => {
        const nodes = await explainPlan(stack.runtime.db, tenant.id, buildQuery(createScope(page)));
        const types = nodes.map((node) => node['Node Type']);
        expect(types).to.not.include('Sort').and.not.include('Incremental Sort').and.not.include('Seq Scan');
        expect([...listIndexes(nodes)]).to.deep.equal([index]);
      });
    }
  }

  it('GET /webhook-deliveries skips the partitions before since and after until', async () => {
    const at = (ms: number) => new Date(ms).toISOString();
    // PostgreSQL must also read some partitions outside the period. A replay may create a delivery
    // a week after the time in its id, and a date has no fixed time zone.
    const recent = await explainPlan(
      stack.runtime.db,
      tenant.id,
      deliveries({ since: at(Date.now()) })(createScope('first')),
    );
    const old = await explainPlan(
      stack.runtime.db,
      tenant.id,
      deliveries({ until: at((weeks[0] as number) - 2 * 86_400_000) })(createScope('first')),
    );
    const removed = (nodes: PlanNode[]) =>
      nodes.reduce((sum, node) => sum + (node['Subplans Removed'] ?? 0), 0);
    // The table has partitions for the week before `start` and for five more weeks. The default
    // partition may contain rows of any time, so PostgreSQL always reads it.
    expect(removed(recent)).to.be.at.least(2);
    expect(removed(old)).to.be.at.least(3);
  });

  describe('query plans of webhook replays', () => {
    const NO_FILTER = { event_type: null, status: null, since: null, until: null };
    const INDEXES = {
      replay: 'webhook_deliveries_endpoint_status',
      recover: 'events_pkey',
    };
    for (const kind of ['replay', 'recover'] as const) {
      const filter = { ...NO_FILTER, status: kind === 'replay' ? ('exhausted' as const) : null };

      it(`a webhook ${kind} counts and creates its deliveries by the index ${INDEXES[kind]} without a table scan`, async () => {
        const count = buildCountQuery({ tenantId: tenant.id, kind, endpointId: endpoint, filter });
        const dbQueries = [count, await captureCreateQuery(kind, filter)];
        for (const dbQuery of dbQueries) {
          const nodes = await explainPlan(stack.runtime.db, tenant.id, dbQuery);
          expect(
            nodes.map((node) => node['Node Type']),
            dbQuery.text,
          ).to.not.include('Seq Scan');
          expect([...listIndexes(nodes)]).to.include(INDEXES[kind]);
          if (kind === 'recover') expect([...listIndexes(nodes)]).to.include('webhook_deliveries_event');
        }
      });
    }

    /** Captures the query with which the clock creates the deliveries of a replay. */
    async function captureCreateQuery(kind: 'replay' | 'recover', filter: object): Promise<SqlQuery> {
      const id = newId();
      const seen: SqlQuery[] = [];
      await stack.runtime.db.runAndRollBack([tenant.id], async (tx) => {
        await tx.query({
          text: 'insert into webhook_replays (tenant_id, id, kind, endpoint_id, filter, total) values ($1, $2, $3, $4, $5, 1)',
          values: [tenant.id, id, kind, endpoint, JSON.stringify(filter)],
        });
        const spy: Transaction = {
          query: (dbQuery) => {
            seen.push(dbQuery);
            return tx.query(dbQuery);
          },
          queryAtCommit: () => undefined,
        };
        await continueReplay(spy, { tenant_id: tenant.id, id });
      });
      return seen.find(({ name }) => name?.startsWith('make-')) as SqlQuery;
    }
  });
});
