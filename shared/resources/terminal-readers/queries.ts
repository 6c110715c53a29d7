import type { TerminalReaderListQuery } from '../../contracts/generated.js';
import type { Database, SqlQuery } from '../../platform/postgres/database.js';
import { buildListQuery, Conditions, type ListScope } from '../../records/lists/keyset-list.js';
import { terminalReaderFields } from './fields.js';
import { IS_PRETENDING_SQL, PRETEND_READER_ID } from './pretend-reader.js';

const COLUMNS = 'tenant_id, id, connection_id, label, device_type, status, created_at, updated_at';

/**
 * SQL for the readers of connections that are not revoked, and for the pretend reader of a sandbox.
 */
export const READERS_SQL = `(
  select ${COLUMNS} from terminal_readers r where exists (
    select from connections c where c.tenant_id = r.tenant_id and c.id = r.connection_id and c.status <> 'revoked')
  union all
  select t.tenant_id, '${PRETEND_READER_ID}'::uuid, null, 'Pretend reader', null, 'online', t.created_at, t.created_at
  from tenants t where ${IS_PRETENDING_SQL})`;

export function listTerminalReaders(query: TerminalReaderListQuery, scope: ListScope): SqlQuery {
  const conditions = new Conditions()
    .add('t.tenant_id = ?', scope.tenantId)
    .addEqual(query, 'connection_id', 'status');
  if (query.status === undefined) conditions.add("t.status <> 'removed'");
  return buildListQuery({
    table: READERS_SQL,
    representation: terminalReaderFields.representation('t'),
    conditions,
    limit: query.limit,
    position: scope.position,
  });
}

/** A reader as it is stored. */
export interface StoredReader {
  external_id: string;
  label: string;
  device_type: string | null;
}

/** Reads a connection's card readers, except removed ones. */
export function readConnectionReaders(
  db: Database,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<StoredReader[]> {
  return db.read<StoredReader>(tenantId, {
    name: 'read-connection-readers',
    text: `select r.external_id, r.label, r.device_type from terminal_readers r
           where r.tenant_id = $1 and r.connection_id = $2 and r.status <> 'removed'`,
    values: [tenantId, connectionId],
  });
}
