import type {
  ConnectionCallListQuery,
  ConnectionListQuery,
  OutboundOperationListQuery,
  SyncRunListQuery,
} from '../../contracts/generated.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import type { RecordFields } from '../../records/fields/record-fields.js';
import { defineList } from '../../records/lists/define-list.js';
import { addIdRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { connectionCallFields, connectionFields, outboundOperationFields, syncRunFields } from './fields.js';

export const listConnections = defineList<ConnectionListQuery>({
  table: 'connections',
  fields: connectionFields,
  filters: ['vendor', 'status'],
});

type OfConnection<Query> = Query & { connection_id?: string };

export function listSyncRuns(query: OfConnection<SyncRunListQuery>, scope: ListScope): SqlQuery {
  return listOfConnection(query, scope, {
    from: 'sync_runs',
    fields: syncRunFields,
    idTimeColumn: 'started_at',
    conditions: new Conditions(),
  });
}

export function listOperations(query: OfConnection<OutboundOperationListQuery>, scope: ListScope): SqlQuery {
  return listOfConnection(query, scope, {
    from: 'outbound_operations',
    fields: outboundOperationFields,
    idTimeColumn: 'created_at',
    conditions:
      // An index serves only this value, so the query must contain it.
      query.state === 'dead'
        ? new Conditions().add("t.state = 'dead'")
        : new Conditions().addIf(query.state, 't.state = ?'),
  });
}

export function listCalls(query: OfConnection<ConnectionCallListQuery>, scope: ListScope): SqlQuery {
  const conditions = new Conditions();
  addIdRange(conditions, { since: query.since, until: query.until, timeZone: scope.timeZone });
  return listOfConnection(query, scope, {
    from: 'connection_calls',
    fields: connectionCallFields,
    idTimeColumn: 'created_at',
    conditions,
  });
}

/**
 * Builds the query that lists the rows of one connection, newest first. The ids begin with the
 * time, so sorting by id sorts by time.
 */
function listOfConnection(
  { connection_id, limit }: OfConnection<{ limit: number }>,
  { tenantId, position }: ListScope,
  list: { from: string; fields: RecordFields; idTimeColumn: string; conditions: Conditions },
): SqlQuery {
  const { from: table, fields, idTimeColumn, conditions } = list;
  conditions.add('t.tenant_id = ?', tenantId).add('t.connection_id = ?', connection_id);
  return buildListQuery({
    table,
    representation: fields.representation('t'),
    conditions,
    limit,
    position,
    idTimeColumn,
  });
}

/**
 * Reads the vendor's records that the settings of a connection may name, such as accounts and tax
 * codes. Returns undefined if the account has no such connection.
 */
export async function readChoices(
  db: Database,
  { tenantId, connectionId, subject }: { tenantId: string; connectionId: string; subject: string },
): Promise<object[] | undefined> {
  const [row] = await db.read<{ choices: object[] }>(tenantId, {
    name: 'read-choices',
    text: `select coalesce(h.choices, '[]'::jsonb) as choices from connections c
           left join connection_choices h on h.tenant_id = c.tenant_id and h.connection_id = c.id and h.subject = $3
           where c.tenant_id = $1 and c.id = $2`,
    values: [tenantId, connectionId, subject],
  });
  return row?.choices;
}
