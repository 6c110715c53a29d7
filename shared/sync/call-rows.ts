import { newId } from '../platform/ids.js';
import type { Transaction } from '../platform/postgres/database.js';
import { recordsetSql } from '../records/record-refs.js';

/**
 * The log entry of one call to a vendor. It names the fields of the bodies, but contains no value
 * from them.
 */
export interface ConnectionCall {
  method: string;
  /** The path without the query string, which may contain values. */
  path: string;
  response_status: number | null;
  error: string | null;
  total_ms: number;
  vendor_request_id: string | null;
  request_fields: string[];
  response_fields: string[];
  created_at: string;
}

const COLUMNS = `tenant_id uuid, id uuid, connection_id uuid, method text, path text, response_status smallint, error text, total_ms integer,
  vendor_request_id text, request_fields text[], response_fields text[], created_at timestamptz`;
const NAMES = `tenant_id, id, connection_id, method, path, response_status, error, total_ms, vendor_request_id, request_fields,
  response_fields, created_at`;

export function insertCalls(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  calls: readonly ConnectionCall[],
): void {
  if (calls.length === 0) return;
  const rows = calls.map((call) => ({
    ...call,
    tenant_id: tenantId,
    id: newId(),
    connection_id: connectionId,
  }));
  tx.queryAtCommit({
    name: 'insert-connection-calls',
    text: `insert into connection_calls (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}
