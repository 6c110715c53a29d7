import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import type { Database, SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';
import { findBookedParts } from '../../../shared/resources/books/queries.js';
import { listOperations } from '../../../shared/resources/connections/queries.js';
import { findUnreadPayout } from '../../../shared/resources/payouts/queries.js';
import { listSyncIssues } from '../../../shared/resources/sync-issues/queries.js';
import { findDifferences, findUnseenDifferences } from '../../../shared/sync/difference-rows.js';
import { insertOperations, startNextOperations } from '../../../shared/sync/operation-rows.js';
import { useOwnStack, useTenant } from '../../support/use-stack.js';
import { explainGenericPlan } from '../../support/writes/explain.js';

const ROWS = 3000;

/** Each inserts rows for the account `$1` and its connection `$2`. */
const INSERTS = [
  `insert into external_ids (tenant_id, connection_id, kind, local_id, external_id)
   select $1, $2, 'booked_payment', gen_random_uuid(), n || '/' || n from generate_series(1, ${ROWS}) n`,
  `insert into sync_issues (tenant_id, id, connection_id, kind, record_kind, external_id, digest, message, seen_at)
   select $1, gen_random_uuid(), $2, 'difference', 'payment', n::text, 'x', 'x', now() from generate_series(1, ${ROWS}) n`,
  `insert into sync_issues (tenant_id, id, connection_id, kind, status, message)
   select $1, gen_random_uuid(), $2, 'refused', 'resolved', 'x' from generate_series(1, ${ROWS}) n`,
  `insert into payouts (tenant_id, id, connection_id, provider_payout_id, amount_cents, status, arrival_date, items_status, are_items_ready,
     observed_at, created_at)
   select $1, gen_random_uuid(), $2, n::text, 1, 'paid', now(), 'pending', true, now(), now() from generate_series(1, ${ROWS}) n`,
  `insert into outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key)
   select $1, gen_random_uuid(), $2, 'invoice', gen_random_uuid(), 'book', gen_random_uuid() from generate_series(1, ${ROWS}) n`,
];

describe('the plan of a query of many records of a connection, for any values,', () => {
  const stack = useOwnStack();
  const tenant = useTenant(stack);
  const connectionId = newId();

  before(async () => {
    for (const text of INSERTS) await stack.rows(tenant.id, text, [tenant.id, connectionId]);
    await stack.runAsOwner('analyze external_ids, sync_issues, payouts');
  });

  /** Returns the conditions by which the plan of the query that `find` sends searches indexes. */
  async function listConditions(find: (db: Database & Transaction) => Promise<unknown>): Promise<string> {
    const sent: SqlQuery[] = [];
    const query = async (sqlQuery: SqlQuery) => {
      sent.push(sqlQuery);
      return [];
    };
    const read = (_tenantId: string, sqlQuery: SqlQuery) => query(sqlQuery);
    await find({ query, read } as unknown as Database & Transaction);
    const [{ text, values = [] } = { text: '' }] = sent;
    const literals = values.map((value) => (Array.isArray(value) ? `{${value.join(',')}}` : value));
    const plan = await explainGenericPlan(stack.runtime.db, tenant.id, { text, values: literals });
    return plan.map((node) => `${node['Index Name']}: ${node['Index Cond']}`).join('\n');
  }

  const ref = () => ({ tenantId: tenant.id, connectionId, earlierIds: [] });

  it('finds the parts of a payment in the books by the range of their names', async () => {
    const conditions = await listConditions((db) => findBookedParts(db, ref(), ['17', '18']));
    expect(conditions).to.match(/external_ids_of_payment: .*external_id.* >= .*external_id.* < /);
  });

  it('finds the unread payouts and the unseen differences after an id by that id', async () => {
    const after = newId();
    expect(await listConditions((db) => findUnreadPayout(db, ref(), { after }))).to.match(/\bid > \$4/);
    const page = { kind: 'payment', startedAt: new Date().toISOString(), after, limit: 10 };
    expect(await listConditions((db) => findUnseenDifferences(db, ref(), page))).to.match(/\bid > \$5/);
  });

  it('finds the operations of a record by that record, also while their table has no statistics', async () => {
    const { tenantId: tenant_id, connectionId: connection_id } = ref();
    const one = {
      tenant_id,
      connection_id,
      kind: 'invoice',
      local_id: newId(),
      verb: 'book',
      is_creation: true,
    };
    const rule = { kinds: ['invoice'], isEnding: false };
    const searches = [
      await listConditions((db) => insertOperations(db, [one])),
      await listConditions((db) => startNextOperations(db, ref(), rule)),
    ];
    const [inserted, started] = searches.map((found) => found.match(/^outbound_operations.*/gm) ?? []);
    expect(inserted?.filter((line) => !/\blocal_id = | AND \(id = /.test(line))).to.deep.equal([]);
    expect(started?.filter((line) => !/\blocal_id = | AND \(id = |_due: /.test(line))).to.deep.equal([]);
    expect([inserted?.length, started?.length]).to.deep.equal([5, 5]);
  });

  it('finds the differences of records by their ids in the books', async () => {
    const records = { kind: 'payment', externalIds: ['17'] };
    const conditions = await listConditions((db) => findDifferences(db, ref(), records));
    expect(conditions).to.match(/sync_issues_of_external_id: .*external_id = /);
  });

  it('lists open issues and given up writes without a search of the resolved and the done ones', async () => {
    const scope = { tenantId: tenant.id, position: undefined, timeZone: 'UTC' };
    const issues = listSyncIssues({ limit: 50, status: 'open' }, scope);
    expect(await listConditions((db) => db.read(tenant.id, issues))).to.match(
      /sync_issues_status: .*status = /,
    );
    const dead = listOperations({ limit: 50, connection_id: connectionId, state: 'dead' }, scope);
    expect(await listConditions((db) => db.read(tenant.id, dead))).to.match(/outbound_operations_dead: /);
  });
});
