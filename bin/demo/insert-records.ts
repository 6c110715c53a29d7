import { chargedDays } from '../../shared/billing/storage-days.js';
import type { SqlQuery, Transaction } from '../../shared/platform/postgres/database.js';
import { recordsetSql } from '../../shared/records/record-refs.js';
import type { DemoAuditEntry } from './records/audit.js';
import { insertClaimsAndSuggestions } from './records/claims-and-suggestions.js';
import type { DemoRecords } from './records/records.js';

const CUSTOMER_COLUMNS = `tenant_id uuid, id uuid, company_name text, company_type text, billing_email text, primary_phone text, address text, city text,
  state text, zip text, is_active boolean, terms_days integer, tax_exempt boolean, tax_rate_bps integer, rate_card_id uuid, created_at timestamptz,
  updated_at timestamptz`;
const WORK_ORDER_COLUMNS = `tenant_id uuid, id uuid, job_number text, status text, intake text, billing_status text, service_type text, customer_id uuid,
  pickup_location text, pickup_lat double precision, pickup_lng double precision, dropoff_location text, vin text, vehicle_make text,
  vehicle_model text, vehicle_year integer, unit_number text, contact_name text, contact_phone text, notes text, step text, truck_id uuid, driver_id uuid,
  dispatch_time timestamptz, completion_time timestamptz, created_at timestamptz, updated_at timestamptz`;
const INVOICE_COLUMNS = `tenant_id uuid, id uuid, invoice_number text, status text, customer_id uuid, work_order_id uuid, billing_email text,
  po_number text, vehicle_description text, notes text, due_date timestamptz, service_date timestamptz, tax_rate_bps integer,
  subtotal_cents bigint, tax_cents bigint, total_cents bigint, paid_cents bigint, created_by_agent boolean, sent_at timestamptz,
  paid_at timestamptz, delivery_state text, created_at timestamptz, updated_at timestamptz`;
const LINE_ITEM_COLUMNS = `tenant_id uuid, invoice_id uuid, position integer, id uuid, name text, description text, category text, quantity numeric,
  unit_type text, unit_price_cents bigint, total_cents bigint, taxable boolean`;
const DRIVER_COLUMNS =
  'tenant_id uuid, id uuid, name text, phone text, duty_classes text[], created_at timestamptz';
const TRUCK_COLUMNS = `tenant_id uuid, id uuid, unit_number text, duty_class text, status text, driver_id uuid, make text, model text, year integer,
  lat double precision, lng double precision, located_at timestamptz, created_at timestamptz`;
const PAYMENT_COLUMNS = `tenant_id uuid, id uuid, invoice_id uuid, customer_id uuid, amount_cents bigint, applied_cents bigint, method text, received_at timestamptz,
  created_at timestamptz`;
const RATE_CARD_COLUMNS = `tenant_id uuid, id uuid, name text, version integer, effective_from date, is_default boolean, after_hours_start time,
  after_hours_end time, after_hours_weekends boolean, items jsonb, created_at timestamptz`;
const IMPOUND_COLUMNS = `tenant_id uuid, id uuid, work_order_id uuid, customer_id uuid, status text, held_from text, hold_reason text, vehicle_vin text,
  vehicle_make text, vehicle_model text, vehicle_year integer, lot text, spot text, impounded_at timestamptz, released_at timestamptz,
  release_kind text, daily_rate_cents bigint, free_days integer, created_at timestamptz, updated_at timestamptz`;
const APPROVAL_COLUMNS = `tenant_id uuid, id uuid, kind text, status text, action text, entity_id uuid, agent_id uuid, agent_name text, source text,
  tool text, payload jsonb, amount_cents bigint, counted_cents bigint, held_by text, justification text, invoice_id uuid, record_version timestamptz, hash text,
  decided_by uuid, decided_at timestamptz, note text, expires_at timestamptz, created_at timestamptz`;
const COUNTER_COLUMNS = 'tenant_id uuid, name text, value bigint';

function buildInsertQuery(table: string, columns: string, rows: readonly object[]): SqlQuery {
  const names = columns.split(',').map((column) => column.trim().split(' ')[0]);
  return {
    text: `insert into ${table} (${names.join(', ')}) select ${names.join(', ')} from ${recordsetSql(columns)}`,
    values: [JSON.stringify(rows)],
  };
}

/** released_at defaults to sent_at, then created_at; viewed_at equals sent_at. */
const SET_RELEASE_TIMES: SqlQuery = {
  text: `update invoices set released_at = coalesce(sent_at, created_at),
           released_as = case when status = 'sent_to_roadsync' then 'sent_to_roadsync' else 'sending' end,
           viewed_at = case when status in ('viewed', 'partially_paid', 'paid') then sent_at end
         where tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[])
           and status not in ('draft', 'needs_review', 'approved', 'cancelled')`,
};

/** Sets the storage days up to the time of seeding or of the release. */
const SET_STORAGE_DAYS: SqlQuery = {
  text: `update impounds i set accrued_days = ${chargedDays('i', 'i.updated_at')} from tenants t
         where i.tenant_id = any (string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) and t.tenant_id = i.tenant_id`,
};

/**
 * Inserts all records, one query per table, in one flush and parents before children. The tenants
 * must exist.
 */
export async function insertDemoRecords(tx: Transaction, records: DemoRecords): Promise<void> {
  const queries = [
    buildInsertQuery('rate_cards', RATE_CARD_COLUMNS, records.rateCards),
    buildInsertQuery('customers', CUSTOMER_COLUMNS, records.customers),
    buildInsertQuery('work_orders', WORK_ORDER_COLUMNS, records.workOrders),
    buildInsertQuery('invoices', INVOICE_COLUMNS, records.invoices),
    buildInsertQuery('invoice_line_items', LINE_ITEM_COLUMNS, records.lineItems),
    buildInsertQuery('tenant_counters', COUNTER_COLUMNS, records.counters),
    buildInsertQuery('drivers', DRIVER_COLUMNS, records.drivers),
    buildInsertQuery('trucks', TRUCK_COLUMNS, records.trucks),
    buildInsertQuery('payments', PAYMENT_COLUMNS, records.payments),
    buildInsertQuery('impounds', IMPOUND_COLUMNS, records.impounds),
    buildInsertQuery('approvals', APPROVAL_COLUMNS, records.approvals),
    SET_RELEASE_TIMES,
    SET_STORAGE_DAYS,
  ];
  await Promise.all([
    ...queries.map((query) => tx.query(query)),
    insertClaimsAndSuggestions(tx, records.claimsAndSuggestions),
    recordAudit(tx, records.auditEntries),
  ]);
}

/** Inserts audit entries whose actor is the system. */
export async function recordAudit(tx: Transaction, entries: readonly DemoAuditEntry[]): Promise<void> {
  await tx.query({
    text: `insert into audit_entries (tenant_id, id, occurred_at, actor_type, actor_name, action, entity_type, entity_id, outcome, source, changes)
           select tenant_id, id, occurred_at, 'system', 'tow', action, entity_type, entity_id, 'ok', 'job', changes
           from ${recordsetSql('tenant_id uuid, id uuid, occurred_at timestamptz, action text, entity_type text, entity_id uuid, changes jsonb')}`,
    values: [JSON.stringify(entries)],
  });
}
