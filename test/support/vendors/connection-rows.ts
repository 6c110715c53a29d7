import { newId } from '../../../shared/platform/ids.js';
import { DRIVERS } from '../../../shared/resources/connection-drivers/driver-kind.js';
import { VEHICLES } from '../../../shared/resources/connection-vehicles/vehicle-kind.js';
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
  `connection_vehicles (tenant_id, id, connection_id, external_id, name, listed_by)
   values ($1, $2, $3, $2::uuid::text, $4, $2)`,
  `connection_drivers (tenant_id, id, connection_id, external_id, name, phone, listed_by)
   values ($1, $2, $3, $2::uuid::text, $4, $4, $2)`,
  "book_differences (tenant_id, id, connection_id, code, message) values ($1, $2, $3, 'missing_here', $4)",
  // There is one comparison for each connection.
  `book_reconciliations (tenant_id, id, connection_id, from_month, to_month, months)
   values ($1, $2, $3, '2026-01-01', '2026-01-01', jsonb_build_object($4::text, 1)) on conflict do nothing`,
];

type ConnectionRowIds = Record<
  'sync_issue' | 'connection_work' | 'connection_vehicle' | 'connection_driver' | 'truck_position',
  string
>;

/**
 * Inserts one row into each list of a connection, one sync issue, and one past position of the
 * truck, if there is one. All these rows have the same id. Also stores the rows of {@link
 * storeNamesakes}, and with `hasPartner` a billing partner of customers.
 */
export async function storeConnectionRows(
  stack: TestStack,
  row: {
    tenantId: string;
    connectionId: string;
    text: string;
    truckId?: string | undefined;
    hasPartner?: true;
  },
): Promise<ConnectionRowIds> {
  const { tenantId, connectionId, text, truckId } = row;
  const id = newId();
  for (const insert of INSERTS)
    await stack.rows(tenantId, `insert into ${insert}`, [tenantId, id, connectionId, text]);
  await storeNamesakes(stack, { tenantId, connectionId, text });
  const position = `insert into truck_positions (tenant_id, id, truck_id, connection_id, lat, lng, at)
    values ($1, $2, $3, $4, 42, -73, now())`;
  if (truckId !== undefined) await stack.rows(tenantId, position, [tenantId, id, truckId, connectionId]);
  const partner = row.hasPartner
    ? { billing_connection: await storeBillingPartner(stack, { tenantId, text }) }
    : {};
  return {
    sync_issue: id,
    connection_work: id,
    connection_vehicle: id,
    connection_driver: id,
    truck_position: id,
    ...partner,
  };
}

/** Stores a connection through which customers can be billed, and returns its id. */
export async function storeBillingPartner(
  stack: TestStack,
  { tenantId, text }: { tenantId: string; text: string },
): Promise<string> {
  const id = newId();
  await stack.rows(
    tenantId,
    `insert into connections (tenant_id, id, vendor, kind, label, status, environment, settings, scopes, webhook_url)
     select $1, $2, 'roadsync', 'motor_club', $3, 'paused', environment, '{}', '{}', 'https://hooks.example.com/' || $3
     from tenants where tenant_id = $1`,
    [tenantId, id, text],
  );
  const queue = 'insert into connection_queues (tenant_id, connection_id) values ($1, $2)';
  await stack.rows(tenantId, queue, [tenantId, id]);
  return id;
}

/** Stores a vehicle and a driver whose ids at the vendor are that of their connection, once. */
async function storeNamesakes(
  stack: TestStack,
  { tenantId, connectionId, text }: { tenantId: string; connectionId: string; text: string },
): Promise<void> {
  for (const { table, deriveId } of [VEHICLES, DRIVERS])
    await stack.rows(
      tenantId,
      `insert into ${table} (tenant_id, id, connection_id, external_id, name, listed_by)
       values ($1, $2, $3, $3::uuid::text, $4, $3) on conflict do nothing`,
      [tenantId, deriveId(connectionId, connectionId), connectionId, text],
    );
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
  if (/\/(vehicles|drivers)\//.test(operation))
    await storeNamesakes(stack, { tenantId, connectionId: id, text: 'T-1' });
  if (operation.endsWith('/reconciliation')) await storeReconciliation(stack, { tenantId, connectionId: id });
  return id;
}

/** Makes a connection one to books, which were compared before. */
async function storeReconciliation(
  stack: TestStack,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<void> {
  const update = "update connections set kind = 'accounting' where tenant_id = $1 and id = $2";
  await stack.rows(tenantId, update, [tenantId, connectionId]);
  const row = `insert into book_reconciliations (tenant_id, connection_id, id, from_month, to_month)
    values ($1, $2, $2, '2026-01-01', '2026-01-01')`;
  await stack.rows(tenantId, row, [tenantId, connectionId]);
}
