import { expect } from 'chai';
import { keepPartitions } from '../../migrations/partitions.js';
import { firstIdAt } from '../../shared/platform/id-times.js';
import { newId } from '../../shared/platform/ids.js';
import type { Statement, Transaction } from '../../shared/platform/postgres.js';
import type { ListScope } from '../../shared/resources/keyset-list.js';
import { listAttempts, listDeliveries } from '../../shared/resources/webhook-deliveries/queries.js';
import { countStatement } from '../../shared/resources/webhook-replays/plan.js';
import { continueReplay } from '../../shared/resources/webhook-replays/run.js';
import { type PlanNode, planOf } from '../support/explain.js';
import { TestStack, type TestTenant } from '../support/stack.js';

const ROWS = 12_500;
const WEEK_MS = 7 * 86_400_000;
/** 1970-01-05, a Monday: partitions begin with weeks. */
const FIRST_MONDAY_MS = 4 * 86_400_000;
const limit = 50;
const monday = Date.now() - ((Date.now() - FIRST_MONDAY_MS) % WEEK_MS);
const start = monday - 4 * WEEK_MS;
const weeks = [3, 2, 1, 0].map((ago) => Date.now() - ago * WEEK_MS);
/**
 * Ids over four weeks and all of this one, also its days to come: on a Monday its partition would hold so few that the
 * planner reads them by any index. One delivery in fifty goes wrong, one in a hundred is a replay's.
 */
const MS = `to_hex(${start} + n * ${Math.floor((5 * WEEK_MS) / (ROWS + 1))}::bigint)`;
const ID = `overlay(gen_random_uuid()::text placing regexp_replace(lpad(${MS}, 12, '0'), '(.{8})(.{4})', '\\1-\\2') from 1)::uuid`;
const FILL = `
  insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type, trigger, replay_id, status, next_attempt_at, completed_at)
  select $1, ${ID}, case when n % 4 = 0 then $2::uuid else $3::uuid end, gen_random_uuid(),
    case when n % 20 = 0 then 'invoice.paid' else 'invoice.created' end,
    case when n % 100 = 0 then 'replay' else 'event' end, case when n % 100 = 0 then $3::uuid end,
    case when n % 50 = 0 then 'exhausted' else 'succeeded' end, null, now()
  from generate_series(1, ${ROWS}) n`;
const FILL_ATTEMPTS = `
  insert into webhook_attempts (tenant_id, id, delivery_id, endpoint_id, attempt, started_at, url, request_headers, total_ms)
  select tenant_id, id, id, endpoint_id, 1, now(), 'https://receiver.invalid', '{}', 1 from webhook_deliveries where tenant_id = $1`;
const FILL_EVENTS = `
  insert into events (tenant_id, id, type, body) select $1, ${ID}, 'invoice.created', '{}' from generate_series(1, ${ROWS}) n`;

describe('plans of the log of deliveries over five weeks of partitions', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  const endpoint = newId();
  const other = newId();
  /** Index of a partition → index of its table. */
  const parents = new Map<string, string>();

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    // As a deployment of four weeks ago would have them by now.
    await keepPartitions(stack.databaseUrl, { now: start });
    for (const owner of [tenant, await stack.createTenant('Neighbour')]) {
      await stack.rows(owner.id, FILL, [owner.id, endpoint, other]);
      await stack.rows(owner.id, FILL_ATTEMPTS, [owner.id]);
      await stack.rows(owner.id, FILL_EVENTS, [owner.id]);
      for (const id of [endpoint, other])
        await stack.rows(
          owner.id,
          "insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight) values ($1, $2, 'https://receiver.invalid', '{*}', 1)",
          [owner.id, id],
        );
    }
    await stack.asOwner('analyze');
    const rows = await stack.rows<{ child: string; parent: string }>(
      tenant.id,
      `select c.relname as child, p.relname as parent from pg_inherits i join pg_class c on c.oid = i.inhrelid
       join pg_class p on p.oid = i.inhparent where c.relkind in ('i', 'I')`,
    );
    for (const { child, parent } of rows) parents.set(child, parent);
  });
  after(() => stack.stop());

  const scopeOf = (page: 'first' | 'later'): ListScope => ({
    tenantId: tenant.id,
    timeZone: 'America/New_York',
    position:
      page === 'first' ? undefined : { at: new Date().toISOString(), id: firstIdAt(weeks[1] as number) },
  });
  const indexesOf = (nodes: PlanNode[]) =>
    new Set(nodes.flatMap((node) => node['Index Name'] ?? []).map((name) => parents.get(name) ?? name));
  const deliveries = (query: Record<string, string>) => (scope: ListScope) =>
    listDeliveries({ limit, ...query }, scope);

  const cases: [string, (scope: ListScope) => Statement, string][] = [
    ['deliveries', deliveries({}), 'webhook_deliveries_pkey'],
    ['deliveries of an endpoint', deliveries({ endpoint_id: endpoint }), 'webhook_deliveries_endpoint'],
    ['deliveries of a type', deliveries({ event_type: 'invoice.paid' }), 'webhook_deliveries_type'],
    ['deliveries of a kind', deliveries({ event_type: 'invoice.*' }), 'webhook_deliveries_pkey'],
    ['deliveries of an event', deliveries({ event_id: newId() }), 'webhook_deliveries_event'],
    ['deliveries of a status', deliveries({ status: 'exhausted' }), 'webhook_deliveries_status'],
    ['deliveries that wait', deliveries({ status: 'pending' }), 'webhook_deliveries_status'],
    ['deliveries that arrived', deliveries({ status: 'succeeded' }), 'webhook_deliveries_pkey'],
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
  for (const [name, statement, index] of cases) {
    for (const page of ['first', 'later'] as const) {
      it(`read the ${page} page of ${name} in the order of ${index}: nothing is sorted, no table is scanned`, async () => {
        const nodes = await planOf(stack.runtime.db, tenant.id, statement(scopeOf(page)));
        const types = nodes.map((node) => node['Node Type']);
        expect(types).to.not.include('Sort').and.not.include('Incremental Sort').and.not.include('Seq Scan');
        expect([...indexesOf(nodes)]).to.deep.equal([index]);
      });
    }
  }

  it('leave out the partitions before since and after until', async () => {
    const at = (ms: number) => new Date(ms).toISOString();
    // A replay may make a delivery a week after the time in its id, and a date is midnight somewhere.
    const recent = await planOf(
      stack.runtime.db,
      tenant.id,
      deliveries({ since: at(Date.now()) })(scopeOf('first')),
    );
    const old = await planOf(
      stack.runtime.db,
      tenant.id,
      deliveries({ until: at((weeks[0] as number) - 2 * 86_400_000) })(scopeOf('first')),
    );
    const removed = (nodes: PlanNode[]) =>
      nodes.reduce((sum, node) => sum + (node['Subplans Removed'] ?? 0), 0);
    // Of those that deployment made: the week before, five weeks, and the default one, which may hold anything.
    expect(removed(recent)).to.be.at.least(2);
    expect(removed(old)).to.be.at.least(3);
  });

  describe('of a replay', () => {
    const NO_FILTER = { event_type: null, status: null, since: null, until: null };
    const INDEXES = {
      replay: 'webhook_deliveries_endpoint_status',
      recover: 'events_pkey',
    };
    for (const kind of ['replay', 'recover'] as const) {
      const filter = { ...NO_FILTER, status: kind === 'replay' ? ('exhausted' as const) : null };

      it(`${kind}: counted and made by ${INDEXES[kind]}, and by keys`, async () => {
        const count = countStatement({ tenantId: tenant.id, kind, endpointId: endpoint, filter });
        const statements = [count, await makingOf(kind, filter)];
        for (const statement of statements) {
          const nodes = await planOf(stack.runtime.db, tenant.id, statement);
          expect(
            nodes.map((node) => node['Node Type']),
            statement.text,
          ).to.not.include('Seq Scan');
          expect([...indexesOf(nodes)]).to.include(INDEXES[kind]);
          if (kind === 'recover') expect([...indexesOf(nodes)]).to.include('webhook_deliveries_event');
        }
      });
    }

    /** The statement that a run of such a replay makes deliveries with. */
    async function makingOf(kind: 'replay' | 'recover', filter: object): Promise<Statement> {
      const id = newId();
      const seen: Statement[] = [];
      await stack.runtime.db.rehearse([tenant.id], async (tx) => {
        await tx.query({
          text: 'insert into webhook_replays (tenant_id, id, kind, endpoint_id, filter, total) values ($1, $2, $3, $4, $5, 1)',
          values: [tenant.id, id, kind, endpoint, JSON.stringify(filter)],
        });
        const spy: Transaction = {
          query: (statement) => {
            seen.push(statement);
            return tx.query(statement);
          },
          queryAtCommit: () => undefined,
        };
        await continueReplay(spy, { tenant_id: tenant.id, id });
      });
      return seen.find(({ name }) => name?.startsWith('make-')) as Statement;
    }
  });
});
