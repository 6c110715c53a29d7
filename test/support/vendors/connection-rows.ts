import { newId } from '../../../shared/platform/ids.js';
import type { TestClient } from '../client.js';
import type { TestStack } from '../stack.js';

/**
 * These texts follow `insert into`. The resulting queries insert rows that a worker would store
 * about a connection. `$1` is the tenant, `$2` the row's id, `$3` the connection and `$4` a text.
 */
const INSERTS = [
  "sync_runs (tenant_id, id, connection_id, stream, state, error) values ($1, $2, $3, 'messages', 'failed', $4)",
  `outbound_operations (tenant_id, id, connection_id, kind, local_id, verb, operation_key, last_error)
   values ($1, $2, $3, 'message', $2, 'send', $2, $4)`,
  `connection_calls (tenant_id, id, connection_id, method, path, total_ms, created_at)
   values ($1, $2, $3, 'GET', $4, 1, now())`,
  "sync_issues (tenant_id, id, connection_id, kind, message) values ($1, $2, $3, 'refused', $4)",
];

/**
 * Inserts one row into each list of a connection, and one sync issue. All these rows have the same
 * id.
 */
export async function storeConnectionRows(
  stack: TestStack,
  { tenantId, connectionId, text }: { tenantId: string; connectionId: string; text: string },
): Promise<{ sync_issue: string; connection_work: string }> {
  const id = newId();
  for (const insert of INSERTS)
    await stack.rows(tenantId, `insert into ${insert}`, [tenantId, id, connectionId, text]);
  return { sync_issue: id, connection_work: id };
}

/**
 * Returns the credentials and settings for a connection to `parrot_keys`, the made-up vendor that
 * uses API keys. Both contain `text`.
 */
export function connectionAccess(text: string, isLive: boolean): Record<string, object> {
  const credentials = { api_key: isLive ? text : `test_${text}` };
  return { credentials, settings: { from_number: text.slice(0, 32) } };
}

/** Creates a connection, gives it a status that allows the operation, and returns its id. */
export async function createConnectionFor(
  operation: string,
  stack: TestStack,
  { tenantId, client }: { tenantId: string; client: TestClient },
): Promise<string> {
  const body = { vendor: 'parrot_keys', ...connectionAccess(newId(), true) };
  const { id } = (await client.post('/connections', body)).body;
  const status = operation.endsWith('/resume') ? 'paused' : 'active';
  const update = 'update connections set status = $3 where tenant_id = $1 and id = $2';
  await stack.rows(tenantId, update, [tenantId, id, status]);
  return id;
}
