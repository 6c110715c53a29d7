import { leasePending } from '../../../shared/operations/pending.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { findExpiredApprovals } from '../../../shared/resources/approvals/expiry.js';
import { findPretendedCharges } from '../../../shared/resources/autopay-attempts/pretend-sweep.js';
import { findClaimDeadlines } from '../../../shared/resources/claims/deadlines.js';
import { findUnansweredOffers } from '../../../shared/resources/club-offers/sweep.js';
import { findDiscardedObjects } from '../../../shared/resources/exports/run-store.js';
import { findExpiredExports, findLostExports } from '../../../shared/resources/exports/sweeps.js';
import { findDueStorageAccruals } from '../../../shared/resources/impounds/storage-sweep.js';
import { findOverdueInvoices } from '../../../shared/resources/invoices/overdue-sweep.js';
import { findDueRecurringInvoices } from '../../../shared/resources/recurring-invoices/sweep.js';
import { findSuggestionsOfClosedInvoices } from '../../../shared/resources/suggestions/closed-invoices-sweep.js';
import { findUntappedPayments } from '../../../shared/resources/terminal-payments/sweep.js';
import { findHealthSteps } from '../../../shared/resources/webhook-endpoints/health/sweep.js';
import { findDueDrives } from '../../../shared/resources/work-orders/driven/sweep.js';
import { findDueConnections } from '../../../shared/sync/find-due-connections.js';

/** A sweep that searches many accounts with one limit for all of them together. */
export interface LimitedSweep {
  find: (tx: Transaction, limit: number) => Promise<unknown[]>;
  /** SQL that inserts `$2` rows for the account `$1`. The sweep must find these rows. */
  dueSql: string;
  /**
   * SQL that inserts `$2` rows of the same kind for the account `$1`. The sweep must not find these
   * rows.
   */
  otherSql: string;
  /**
   * The indexes by which PostgreSQL can find an account's rows. The planner chooses one of them by
   * its statistics.
   */
  indexes: string[];
  /**
   * If true, the sweep reads only due rows through the index. If false, it also reads other rows.
   */
  readsDueOnly: boolean;
}

const NEW_ROW = '$1::uuid as tenant_id, gen_random_uuid() as id';
const SERIES = 'from generate_series(1, $2::int)';

const invoices = (status: string) => `insert into invoices
  (tenant_id, id, invoice_number, status, due_date, released_at, released_as, subtotal_cents, tax_cents, total_cents)
  select ${NEW_ROW}, gen_random_uuid()::text, ${status}, 0, 0, 0 ${SERIES}`;

const open = (daysAgo: number) =>
  `'sending', now() - interval '${daysAgo} days', now() - interval '${daysAgo} days', 'sending'`;

const approvals = (expires: string) => `insert into approvals
  (tenant_id, id, kind, action, entity_id, source, payload, amount_cents, hash, expires_at)
  select ${NEW_ROW}, 'agent_write', 'invoice.update', gen_random_uuid(), 'rest', '{}', 100, 'hash', ${expires} ${SERIES}`;

const claims = (
  status: string,
  submitBy: string,
) => `with made as (${invoices("'approved', null, null, null")} returning id)
  insert into claims (tenant_id, id, invoice_id, club, status, submit_by, expected_cents)
  select $1, gen_random_uuid(), id, 'Club', '${status}', ${submitBy}, 100 from made`;

const suggestions = (
  status: string,
) => `with made as (${invoices(`'${status}', null, null, null`)} returning id)
  insert into suggestions (tenant_id, id, kind, detector, entity_type, entity_id, invoice_id, title, rationale, amount_cents, confidence)
  select $1, gen_random_uuid(), 'anomaly', 'anomaly_amount', 'invoice', id, id, 'x', 'x', 1, 0.5 from made`;

const impounds = (age: string) => `insert into impounds
  (tenant_id, id, status, impounded_at, daily_rate_cents, free_days)
  select ${NEW_ROW}, 'stored', now() - interval '${age}', 4500, 1 ${SERIES}`;

const drives = (
  due: string,
) => `insert into work_orders (tenant_id, id, job_number, status, intake, service_type, drive_due_at)
  select ${NEW_ROW}, gen_random_uuid()::text, 'completed', 'accepted', 'tow', ${due} ${SERIES}`;

const endpoints = (exhausted: number) => `with made as (
    insert into webhook_endpoints (tenant_id, id, url, event_types, max_in_flight)
    select ${NEW_ROW}, 'https://receiver.invalid', array['*'], 1 ${SERIES} returning id)
  insert into webhook_lanes (tenant_id, endpoint_id, exhausted_count) select $1, id, ${exhausted} from made`;

const exports = (columns: string, values: string) =>
  `insert into exports (tenant_id, id, resource, format, ${columns}) select ${NEW_ROW}, 'invoices', 'csv', ${values} ${SERIES}`;

const operations = (lease: string, settled: string) => `insert into operations
  (tenant_id, id, command, lease_until, settled_at)
  select ${NEW_ROW}, jsonb_build_object('tenantId', $1::text), ${lease}, ${settled} ${SERIES}`;

const recurringInvoices = (date: string) => `with made as (
    insert into customers (tenant_id, id, company_name, company_type) select $1, gen_random_uuid(), 'Fleet', 'fleet' returning id)
  insert into recurring_invoices (tenant_id, id, customer_id, every, anchor_date, line_items, next_date)
  select ${NEW_ROW}, made.id, 'month', ${date}, '[]', ${date} from made cross join generate_series(1, $2::int)`;

const terminalPayments = (expires: string) => `insert into terminal_payments
  (tenant_id, id, invoice_id, reader_id, amount_cents, expires_at)
  select ${NEW_ROW}, gen_random_uuid(), gen_random_uuid(), 100, ${expires} ${SERIES}`;

const clubOffers = (respondBy: string) => `insert into club_offers
  (tenant_id, id, club_id, club, reference, service_type, respond_by)
  select ${NEW_ROW}, gen_random_uuid(), 'Club', 'R-1', 'tow', ${respondBy} ${SERIES}`;

const attempts = (status: string) => `with
  made as (${invoices("'sending', null, null, null")} returning id),
  method as (insert into saved_methods (tenant_id, id, customer_id, status)
    select $1::uuid, gen_random_uuid(), gen_random_uuid(), 'active' returning id)
  insert into autopay_attempts (tenant_id, id, invoice_id, payment_method_id, attempt, amount_cents, status)
  select $1::uuid, gen_random_uuid(), made.id, method.id, 1, 100, '${status}' from made cross join method`;

const connections = (status: string) => `with made as (
    insert into connections (tenant_id, id, vendor, kind, status, environment, webhook_url)
    select ${NEW_ROW}, 'parrot', 'messaging', '${status}', 'live', '' ${SERIES} returning id),
  queues as (insert into connection_queues (tenant_id, connection_id) select $1, id from made)
  insert into sync_states (tenant_id, connection_id, stream, every_seconds, next_at) select $1, id, 'messages', 60, now() from made`;

/**
 * Every sweep that has one limit for many accounts and finds the rows account by account. The keys
 * are parts of test titles.
 */
export const LIMITED_SWEEPS: Readonly<Record<string, LimitedSweep>> = {
  'of overdue invoices': {
    find: findOverdueInvoices,
    dueSql: invoices(open(9)),
    otherSql: invoices(open(-9)),
    indexes: ['invoices_due_by_date'],
    readsDueOnly: true,
  },
  'of recurring invoices': {
    find: findDueRecurringInvoices,
    dueSql: recurringInvoices('current_date - 9'),
    otherSql: recurringInvoices('current_date + 9'),
    indexes: ['recurring_invoices_due'],
    readsDueOnly: true,
  },
  'of pretended payments on readers': {
    find: findUntappedPayments,
    dueSql: terminalPayments("now() - interval '1 hour'"),
    otherSql: terminalPayments("now() + interval '1 hour'"),
    indexes: ['terminal_payments_open'],
    readsDueOnly: true,
  },
  "of motor clubs' offers": {
    find: findUnansweredOffers,
    dueSql: clubOffers("now() - interval '1 minute'"),
    otherSql: clubOffers("now() + interval '1 hour'"),
    indexes: ['club_offers_waiting'],
    readsDueOnly: true,
  },
  'of pretended charges': {
    find: findPretendedCharges,
    dueSql: attempts('charging'),
    otherSql: attempts('succeeded'),
    indexes: ['autopay_attempts_pretended'],
    readsDueOnly: true,
  },
  'of storage days': {
    find: findDueStorageAccruals,
    dueSql: impounds('3 days'),
    otherSql: impounds('0 days'),
    indexes: ['impounds_open'],
    readsDueOnly: false,
  },
  'of driven miles': {
    find: findDueDrives,
    dueSql: drives("now() - interval '2 hours'"),
    otherSql: drives("now() + interval '5 minutes'"),
    indexes: ['work_orders_drive_due'],
    readsDueOnly: true,
  },
  'of expired approvals': {
    find: findExpiredApprovals,
    dueSql: approvals("now() - interval '1 hour'"),
    otherSql: approvals("now() + interval '1 hour'"),
    indexes: ['approvals_expiry'],
    readsDueOnly: true,
  },
  'of claim deadlines': {
    find: findClaimDeadlines,
    dueSql: claims('queued', "now() - interval '1 day'"),
    otherSql: claims('paid', "now() - interval '1 day'"),
    indexes: ['claims_status'],
    readsDueOnly: true,
  },
  'of endpoint health': {
    find: findHealthSteps,
    dueSql: endpoints(1),
    otherSql: endpoints(0),
    indexes: ['webhook_lanes_pkey'],
    readsDueOnly: false,
  },
  'of connections with due work': {
    find: findDueConnections,
    dueSql: connections('active'),
    otherSql: connections('paused'),
    indexes: ['connections_pkey', 'connections_created'],
    readsDueOnly: false,
  },
  'of settled suggestions': {
    find: findSuggestionsOfClosedInvoices,
    dueSql: suggestions('void'),
    otherSql: suggestions('draft'),
    indexes: ['suggestions_status', 'suggestions_invoice'],
    readsDueOnly: false,
  },
  'of lost exports': {
    find: findLostExports,
    dueSql: exports('tries', '99'),
    otherSql: exports('status, expires_at', "'completed', now() + interval '1 day'"),
    indexes: ['exports_open'],
    readsDueOnly: true,
  },
  'of expired exports': {
    find: findExpiredExports,
    dueSql: exports('status, expires_at', "'completed', now() - interval '1 day'"),
    otherSql: exports('status, expires_at', "'completed', now() + interval '1 day'"),
    indexes: ['exports_expiring'],
    readsDueOnly: true,
  },
  'of discarded export files': {
    find: findDiscardedObjects,
    dueSql: exports('status, object_key', "'expired', 'x'"),
    otherSql: exports('status, object_key', "'completed', 'x'"),
    indexes: ['exports_discarded'],
    readsDueOnly: true,
  },
  'of pending operations': {
    find: (tx, limit) => leasePending(tx, { leaseSeconds: 20, limit }),
    dueSql: operations("now() - interval '1 minute'", 'null'),
    otherSql: operations("now() - interval '1 minute'", 'now()'),
    indexes: ['operations_unsettled'],
    readsDueOnly: true,
  },
};
