import type {
  ConnectionCallListQuery,
  ConnectionListQuery,
  OutboundOperationListQuery,
  SyncRunListQuery,
} from '../../contracts/generated.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import type { RecordFields } from '../../records/fields/record-fields.js';
import { addIdRange, buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { connectionCallFields, connectionFields, outboundOperationFields, syncRunFields } from './fields.js';

export function listConnections(query: ConnectionListQuery, scope: ListScope): SqlQuery {
  return buildListQuery({
    table: 'connections',
    representation: connectionFields.representation('t'),
    conditions: new Conditions()
      .add('t.tenant_id = ?', scope.tenantId)
      .addIf(query.vendor, 't.vendor = ?')
      .addIf(query.status, 't.status = ?'),
    limit: query.limit,
    position: scope.position,
  });
}

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
    conditions: new Conditions().addIf(query.state, 't.state = ?'),
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
