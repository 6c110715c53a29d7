import { newId } from '../../../shared/platform/ids.js';
import type { TestStack } from '../stack.js';

/** Inserts of the rows that a worker stores; `$1` is the tenant, `$3` the connection. */
const INSERTS = [
  "sync_runs (tenant_id, id, connection_id, stream, state, error) values ($1, $2, $3, 'messages', 'failed', $4)",
  `outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key, last_error)
   values ($1, $2, $3, 'message', $2, 'send', $2, $4)`,
  `connection_calls (tenant_id, id, connection_id, method, path, total_ms, created_at)
   values ($1, $2, $3, 'GET', $4, 1, now())`,
  "sync_issues (tenant_id, id, connection_id, kind, message) values ($1, $2, $3, 'refused', $4)",
];

/** Stores an item of each list of a connection, and an issue, under one id. Returns the id. */
export async function storeConnectionRows(
  stack: TestStack,
  { tenantId, connectionId, text }: { tenantId: string; connectionId: string; text: string },
): Promise<string> {
  const id = newId();
  for (const insert of INSERTS)
    await stack.rows(tenantId, `insert into ${insert}`, [tenantId, id, connectionId, text]);
  return id;
}
