import pg from 'pg';
import { newId } from '../../../shared/platform/ids.js';

/**
 * Calls `work` with a new connection in the connection string's role, and then closes the
 * connection.
 */
export async function withPgClient<T>(
  databaseUrl: string,
  work: (client: pg.Client) => Promise<T>,
): Promise<T> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  return work(client).finally(() => client.end());
}

/** Lists the tables of the schema `public`, except those that record the migrations. */
export async function listTables(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and relname not like 'schema_migrations%' order by relname`,
  );
  return rows.map((row) => row.name);
}

const userId = newId();
const customerId = newId();
const workOrderId = newId();
const invoiceId = newId();
const driverId = newId();
const truckId = newId();
const paymentId = newId();
const payoutId = newId();
const remittanceId = newId();
const endpointId = newId();
const deliveryId = newId();
const noticeId = newId();
const connectionId = newId();

/**
 * These queries insert rows into the tables that {@link insertPlainRow} cannot fill, in an order
 * that the foreign keys allow. `$1` is the tenant. Rows of different tenants deliberately have the
 * same ids.
 */
const ROWS: Record<string, string> = {
  text_days: `insert into text_days (tenant_id, connection_id, day, segments) values ($1, '${newId()}', '2026-01-01', 3)`,
  mail_days: `insert into mail_days (tenant_id, day, mails) values ($1, '2026-01-01', 3)`,
  tenants: `insert into tenants (tenant_id, name, environment) values ($1, 'Filled Towing', 'live')`,
  users: `insert into users (tenant_id, id, email, name, password_hash) values ($1, '${userId}', 'Ann@example.com', 'Ann', 'scrypt$x$y')`,
  api_keys: `insert into api_keys (tenant_id, id, kind, name, prefix, last_four, key_hash, created_at)
    values ($1, '${newId()}', 'api', 'Key', 'tk_live_', 'abcd', sha256($1::uuid::text::bytea), now())`,
  sessions: `insert into sessions (tenant_id, id, user_id, token_hash, idle_expires_at, expires_at)
    values ($1, '${newId()}', '${userId}', sha256(('session' || $1::uuid::text)::bytea), now(), now())`,
  user_factors: `insert into user_factors (tenant_id, id, user_id, kind, name)
    values ($1, '${newId()}', '${userId}', 'totp', 'Phone')`,
  tenant_counters: `insert into tenant_counters (tenant_id, name, value) values ($1, 'job_number', 7)`,
  rate_cards: `insert into rate_cards (tenant_id, id, name, version, effective_from, is_default, after_hours_start, after_hours_end, after_hours_weekends, items)
    values ($1, '${newId()}', 'Card', 1, '2026-01-01', true, '18:00', '08:00', true, '[]')`,
  customers: `insert into customers (tenant_id, id, company_name, company_type) values ($1, '${customerId}', 'Club', 'motor_club')`,
  work_orders: `insert into work_orders (tenant_id, id, job_number, intake, service_type, customer_id)
    values ($1, '${workOrderId}', 'WO-000007', 'accepted', 'tow', '${customerId}')`,
  work_order_photos: `insert into work_order_photos (tenant_id, id, work_order_id, content_type, width, height, bytes, sha256, object_key)
    values ($1, '${newId()}', '${workOrderId}', 'image/jpeg', 40, 30, 900, 'ab', 'photos/x')`,
  impounds: `insert into impounds (tenant_id, id, work_order_id, status, impounded_at, daily_rate_cents, free_days)
    values ($1, '${newId()}', '${workOrderId}', 'stored', now(), 4500, 0)`,
  recurring_invoices: `insert into recurring_invoices (tenant_id, id, customer_id, every, anchor_date, line_items, next_date)
    values ($1, '${newId()}', '${customerId}', 'month', '2026-01-31', '[]', '9999-01-31')`,
  invoices: `insert into invoices (tenant_id, id, invoice_number, customer_id, work_order_id, subtotal_cents, tax_cents, total_cents)
    values ($1, '${invoiceId}', 'INV-7', '${customerId}', '${workOrderId}', 100, 8, 108)`,
  invoice_line_items: `insert into invoice_line_items (tenant_id, invoice_id, position, id, name, category, quantity, unit_type, unit_price_cents,
    total_cents, taxable) values ($1, '${invoiceId}', 1, '${newId()}', 'Tow', 'tow', 1, 'each', 100, 100, true)`,
  drivers: `insert into drivers (tenant_id, id, name) values ($1, '${driverId}', 'Dan')`,
  trucks: `insert into trucks (tenant_id, id, unit_number, duty_class, driver_id) values ($1, '${truckId}', 'T-1', 'light', '${driverId}')`,
  work_order_steps: `insert into work_order_steps (tenant_id, id, work_order_id, step, at) values ($1, '${newId()}', '${workOrderId}', 'en_route', now())`,
  inspections: `insert into inspections (tenant_id, id, kind, truck_id, result) values ($1, '${newId()}', 'pre_trip', '${truckId}', 'pass')`,
  payments: `insert into payments (tenant_id, id, invoice_id, amount_cents, method, applied_cents)
    values ($1, '${paymentId}', '${invoiceId}', 100, 'cash', 100)`,
  refunds: `insert into refunds (tenant_id, id, payment_id, amount_cents, reason) values ($1, '${newId()}', '${paymentId}', 1, 'x')`,
  disputes: `insert into disputes (tenant_id, id, payment_id, invoice_id, connection_id, provider_dispute_id, amount_cents, reason, status,
    observed_at) values ($1, '${newId()}', '${paymentId}', '${invoiceId}', '${connectionId}', 'dp_1', 100, 'fraudulent', 'open', now())`,
  payouts: `insert into payouts (tenant_id, id, connection_id, provider_payout_id, amount_cents, status, arrival_date, items_status,
    are_items_ready, observed_at, created_at)
    values ($1, '${payoutId}', '${connectionId}', 'po_1', 100, 'paid', '2026-01-31', 'complete', true, now(), now())`,
  payout_items: `insert into payout_items (tenant_id, id, payout_id, connection_id, provider_item_id, type, amount_cents, fee_cents, net_cents,
    created_at) values ($1, '${newId()}', '${payoutId}', '${connectionId}', 'txn_1', 'payment', 100, 3, 97, now())`,
  pay_links: `insert into pay_links (tenant_id, id, invoice_id, connection_id, amount_cents, status)
    values ($1, '${newId()}', '${invoiceId}', '${connectionId}', 100, 'closed')`,
  saved_methods: `insert into saved_methods (tenant_id, id, customer_id, connection_id, status)
    values ($1, '${newId()}', '${customerId}', '${connectionId}', 'active')`,
  autopay_attempts: `insert into autopay_attempts (tenant_id, id, invoice_id, payment_method_id, connection_id, attempt, amount_cents, status)
    values ($1, '${newId()}', '${invoiceId}', '${newId()}', '${connectionId}', 1, 100, 'failed')`,
  terminal_readers: `insert into terminal_readers (tenant_id, id, connection_id, external_id, label, status, observed_at)
    values ($1, '${newId()}', '${connectionId}', 'tmr_1', 'Front desk', 'online', now())`,
  club_offers: `insert into club_offers (tenant_id, id, club_id, club, reference, service_type, respond_by)
    values ($1, '${newId()}', '${newId()}', 'Club', 'R-1', 'tow', now())`,
  terminal_payments: `insert into terminal_payments (tenant_id, id, invoice_id, reader_id, connection_id, amount_cents, expires_at)
    values ($1, '${newId()}', '${invoiceId}', '${newId()}', '${connectionId}', 100, now())`,
  text_consents: `insert into text_consents (tenant_id, id, phone_key, number, state, source)
    values ($1, '${newId()}', '5185550999', '+15185550999', 'opted_out', 'text')`,
  claims: `insert into claims (tenant_id, id, invoice_id, club, submit_by, expected_cents)
    values ($1, '${newId()}', '${invoiceId}', 'Club', now(), 100)`,
  remittances: `insert into remittances (tenant_id, id, payer, reference, paid_on, total_cents, status, lines_cents, applied_cents, line_count,
    ready_count, open_count, applied_count, ignored_count)
    values ($1, '${remittanceId}', 'Club', 'EFT 1', '2026-01-31', 100, 'matched', 100, 0, 1, 0, 1, 0, 0)`,
  remittance_lines: `insert into remittance_lines (tenant_id, id, remittance_id, position, amount_cents, status, outcome, reason, is_claim_named)
    values ($1, '${newId()}', '${remittanceId}', 1, 100, 'open', 'no_po', 'x', false)`,
  suggestions: `insert into suggestions (tenant_id, id, kind, detector, entity_type, entity_id, invoice_id, title, rationale, amount_cents, confidence)
    values ($1, '${newId()}', 'anomaly', 'anomaly_amount', 'invoice', '${invoiceId}', '${invoiceId}', 'x', 'x', 1, 0.5)`,
  detector_thresholds: `insert into detector_thresholds (tenant_id, detector, threshold) values ($1, 'anomaly_amount', 4)`,
  detector_marks: `insert into detector_marks (tenant_id, looked_until) values ($1, now())`,
  detector_looks: `insert into detector_looks (tenant_id, invoice_id, version) values ($1, '${invoiceId}', now())`,
  messages: `insert into messages (tenant_id, id, invoice_id, channel, recipient, body_text, state, provider)
    values ($1, '${newId()}', '${invoiceId}', 'email', 'b@example.com', 'x', 'sent', 'outbox')`,
  approvals: `insert into approvals (tenant_id, id, kind, action, entity_id, source, payload, amount_cents, invoice_id, hash)
    values ($1, '${newId()}', 'agent_write', 'invoice.update', '${invoiceId}', 'rest', '{}', 100, '${invoiceId}', 'hash')`,
  audit_entries: `insert into audit_entries (tenant_id, id, actor_type, action, entity_type, entity_id, outcome, source, response_status)
    values ($1, '${newId()}', 'system', 'invoice.created', 'invoice', '${invoiceId}', 'ok', 'job', 201)`,
  events: `insert into events (tenant_id, id, type, body) values ($1, '${newId()}', 'invoice.created', '{}')`,
  webhook_endpoints: `insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight)
    values ($1, '${endpointId}', 'https://example.com/hook', '{*}', 10)`,
  webhook_secrets: `insert into webhook_secrets (tenant_id, id, endpoint_id, scheme, secret_sealed)
    values ($1, '${newId()}', '${endpointId}', 'v1', 'v1.x.y.z')`,
  webhook_lanes: `insert into webhook_lanes (tenant_id, endpoint_id) values ($1, '${endpointId}')`,
  webhook_deliveries: `insert into webhook_deliveries (tenant_id, id, endpoint_id, event_id, event_type)
    values ($1, '${deliveryId}', '${endpointId}', '${newId()}', 'invoice.created')`,
  webhook_attempts: `insert into webhook_attempts (tenant_id, id, delivery_id, endpoint_id, attempt, started_at, url, request_headers, total_ms)
    values ($1, '${newId()}', '${deliveryId}', '${endpointId}', 1, now(), 'https://example.com/hook', '{}', 5)`,
  webhook_replays: `insert into webhook_replays (tenant_id, id, kind, filter, total) values ($1, '${newId()}', 'replay', '{}', 1)`,
  connections: `insert into connections (tenant_id, id, vendor, kind, status, environment, webhook_url)
    values ($1, '${connectionId}', 'parrot', 'messaging', 'paused', 'live', 'x')`,
  connection_drivers: `insert into connection_drivers (tenant_id, id, connection_id, external_id, name, phone, listed_by)
    values ($1, '${newId()}', '${connectionId}', '281474976710657', 'Sam Rivera', '2125550100', '${newId()}')`,
  book_reconciliations: `insert into book_reconciliations (tenant_id, connection_id, id, from_month, to_month)
    values ($1, '${connectionId}', '${newId()}', '2026-01-01', '2026-01-01')`,
  compared_book_invoices: `insert into compared_book_invoices (tenant_id, connection_id, reconciliation_id, external_id)
    values ($1, '${connectionId}', '${newId()}', '145')`,
  book_differences: `insert into book_differences (tenant_id, id, connection_id, code, message)
    values ($1, '${newId()}', '${connectionId}', 'missing_here', 'x')`,
  connection_vehicles: `insert into connection_vehicles (tenant_id, id, connection_id, external_id, name, listed_by)
    values ($1, '${newId()}', '${connectionId}', '281474976710656', 'T-1', '${newId()}')`,
  truck_positions: `insert into truck_positions (tenant_id, id, truck_id, connection_id, lat, lng, at)
    values ($1, '${newId()}', '${truckId}', '${connectionId}', 42, -73, now())`,
  sync_runs: `insert into sync_runs (tenant_id, id, connection_id, stream, state)
    values ($1, '${newId()}', '${connectionId}', 'messages', 'succeeded')`,
  sync_issues: `insert into sync_issues (tenant_id, id, connection_id, kind, message)
    values ($1, '${newId()}', '${connectionId}', 'refused', 'x')`,
  exports: `insert into exports (tenant_id, id, resource, format) values ($1, '${newId()}', 'invoices', 'csv')`,
  export_schedules: `insert into export_schedules (tenant_id, id, resource, format, cadence, hour, next_run_at)
    values ($1, '${newId()}', 'invoices', 'csv', 'daily', 4, now() + interval '1 year')`,
  notices: `insert into notices (tenant_id, id, kind, title, text, entity_type, entity_id)
    values ($1, '${noticeId}', 'endpoint_failing', 'x', 'x', 'webhook_endpoint', '${endpointId}')`,
  notice_mails: `insert into notice_mails (tenant_id, notice_id, user_id) values ($1, '${noticeId}', '${userId}')`,
  invitations: `insert into invitations (tenant_id, id, email, role, token_hash, expires_at)
    values ($1, '${newId()}', 'a@b.co', 'viewer', sha256('${newId()}'::bytea), now() + interval '1 day')`,
  password_resets: `insert into password_resets (tenant_id, id, user_id, token_hash, expires_at)
    values ($1, '${newId()}', '${userId}', sha256('${newId()}'::bytea), now() + interval '1 day')`,
  sign_ups: `insert into sign_ups (tenant_id, id, email, company, name, password_hash, token_hash, expires_at)
    values ($1, '${newId()}', 'a@b.co', 'x', 'x', 'x', sha256('${newId()}'::bytea), now() + interval '1 day')`,
  sign_up_tokens: `insert into sign_up_tokens (tenant_id, id, token_hash, expires_at)
    values ($1, '${newId()}', sha256('${newId()}'::bytea), now() + interval '1 day')`,
  access_mails: `insert into access_mails (tenant_id, id, kind, recipient) values ($1, '${newId()}', 'invitation', 'a@b.co')`,
  idempotency_keys: `insert into idempotency_keys (tenant_id, key, command_id, method, path, body_hash, status, body)
    values ($1, '${newId()}', '${newId()}', 'POST', '/invoices', 'hash', 201, '{}')`,
  deployment_facts: `insert into deployment_facts (tenant_id, name, value) values ($1, 'a fact', 'x')`,
  operations: `insert into operations (tenant_id, id, command) values ($1, '${newId()}', '{}')`,
  account_logos: `insert into account_logos (tenant_id, content_type, width, height, sha256, data)
     values ($1, 'image/png', 1, 1, repeat('0', 64), '\\x00')`,
  terms_changes: `insert into terms_changes (tenant_id, customer_id) values ($1, '${customerId}')`,
  stored_json_walks: `insert into stored_json_walks (tenant_id, of_table, version, after_id, has_ended)
    values ($1, 'invoices', 1, '${newId()}', true)`,
  sweep_faults: `insert into sweep_faults (tenant_id, task, error) values ($1, 'mark-overdue', 'x')`,
  lost_writes: `insert into lost_writes (tenant_id, command_id, type, record_id, acknowledged_at, from_timeline, to_timeline)
    values ($1, '${newId()}', 'invoice.create', '${newId()}', now(), 1, 2)`,
  // Triggers of the tables above have already added entries. Keep only the invoice's entry.
  search_entries: `delete from search_entries where tenant_id = $1 and resource <> 'invoices'`,
  command_attempts: `insert into command_attempts (tenant_id, command_id, command) values ($1, '${newId()}', '{}')`,
};

/** An SQL value of each type, for columns that require a value. */
const VALUES: Readonly<Record<string, string>> = {
  uuid: `'${newId()}'`,
  text: "'x'",
  boolean: 'true',
  integer: '1',
  bigint: '1',
  numeric: '1',
  jsonb: "'{}'",
  date: "'2026-01-01'",
  'timestamp with time zone': 'now()',
};

/** Inserts a row for the tenant. Each column that requires a value gets one of {@link VALUES}. */
async function insertPlainRow(client: pg.Client, table: string, tenantId: string): Promise<void> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `select column_name as name, data_type as type from information_schema.columns
     where table_schema = 'public' and table_name = $1 and column_name <> 'tenant_id'
       and is_nullable = 'NO' and column_default is null and is_generated = 'NEVER'`,
    [table],
  );
  const columns = ['tenant_id', ...rows.map(({ name }) => name)];
  const values = ['$1', ...rows.map(({ type }) => VALUES[type] ?? "''")];
  await client.query(`insert into ${table} (${columns.join(', ')}) values (${values.join(', ')})`, [
    tenantId,
  ]);
}

/**
 * Inserts one row into each of these tables for the tenant. The client's role may be the owner or
 * the application's role.
 */
export async function fillTables(client: pg.Client, tables: string[], tenantId: string): Promise<void> {
  await client.query('begin');
  await client.query("select set_config('app.tenant_ids', $1, true)", [tenantId]);
  for (const [table, insert] of Object.entries(ROWS))
    if (tables.includes(table)) await client.query(insert, [tenantId]);
  for (const table of tables.filter((name) => !ROWS[name])) {
    await insertPlainRow(client, table, tenantId).catch((error: unknown) => {
      throw new Error(`add a row for ${table} to test/support/writes/rows.ts`, { cause: error });
    });
  }
  await client.query('commit');
}
