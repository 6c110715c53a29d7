import type { Command } from '../../../contracts/command.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { recordsetSql } from '../../../records/record-refs.js';
import { buildClockCommand } from '../../../records/sweeps/clock-command.js';
import { createSuggestion, expireSuggestion } from '../commands.js';
import { runDetectors } from '../detectors/detect.js';
import { readThresholds } from '../thresholds.js';
import { CHANGE_SOURCES, OVERLAP, UNRELEASED_STATUSES } from './change-sources.js';
import { compareWithKnown, readKnownSuggestions } from './known-suggestions.js';
import { loadDetectionSubjects } from './load-subjects.js';

/** Maximum number of changed invoices in one scan, to keep the scan short. */
const INVOICES_PER_SCAN = 100;

/** Finds the tenants with changes to scan. The tenant with the oldest scan comes first. */
export async function findChangedTenants(tx: Transaction): Promise<string[]> {
  const rows = await tx.query<{ tenant_id: string }>({
    name: 'watched-tenants',
    text: `select own.tenant_id
           from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           left join detector_marks m on m.tenant_id = own.tenant_id
           where ${CHANGE_SOURCES.map((source) => `exists (${source})`).join(' or ')}
           order by m.looked_until nulls first`,
    values: [],
  });
  return rows.map((row) => row.tenant_id);
}

interface ChangedInvoice {
  id: string;
  /**
   * The later `updated_at` of the invoice and its work order, as text. A Date would drop the
   * microseconds that distinguish versions.
   */
  version: string;
  changed_at: string;
  environment: 'live' | 'sandbox';
}

export interface TenantScan {
  scannedInvoices: number;
  commands: Command[];
  /** True if there are more changes than one scan reads. */
  hasMore: boolean;
}

/**
 * Runs the detectors on a tenant's changed invoices, and returns commands that create and expire
 * suggestions. Stores the progress in the caller's transaction. Scans overlap, so that a version
 * that is committed late is not missed. A version that was already scanned is skipped.
 */
export async function scanTenant(tx: Transaction, tenantId: string): Promise<TenantScan> {
  const { changed, last } = await findChanged(tx, tenantId);
  const hasMore = last !== null;
  await storeProgress(tx, tenantId, { changed, last });
  if (changed.length === 0) return { scannedInvoices: 0, commands: [], hasMore };
  const changedIds = changed.map(({ id }) => id);
  const ids = [...changedIds, ...(await findSuggestedSiblings(tx, tenantId, changedIds))];
  const [subjects, thresholds, known] = await Promise.all([
    loadDetectionSubjects(tx, tenantId, ids),
    readThresholds(tx, tenantId),
    readKnownSuggestions(tx, tenantId, ids),
  ]);
  const found = subjects.flatMap((subject) => runDetectors(subject, thresholds));
  const { created, outdated } = compareWithKnown(found, known);
  const origin = { tenant_id: tenantId, environment: changed[0]?.environment ?? 'live' };
  const commands = [
    ...created.map((draft) => buildClockCommand(createSuggestion, { ...origin, id: newId() }, draft)),
    ...outdated.map(({ id }) =>
      buildClockCommand(expireSuggestion, { ...origin, id }, { reason: 'The finding no longer applies.' }),
    ),
  ];
  return { scannedInvoices: changedIds.length, commands, hasMore };
}

/**
 * Returns the changed invoices, oldest change first. If both an invoice and its work order changed,
 * the invoice appears once, with the later change. `last` is the time of the last change if the
 * scan reached its limit; otherwise null.
 */
async function findChanged(
  tx: Transaction,
  tenantId: string,
): Promise<{ changed: ChangedInvoice[]; last: string | null }> {
  const rows = await tx.query<ChangedInvoice>({
    name: 'watched-changes',
    text: `select c.id, c.changed_at::text, c.version::text, (select t.environment from tenants t where t.tenant_id = $1) as environment
           from (select $1::uuid as tenant_id) own
           left join detector_marks m on m.tenant_id = own.tenant_id
           cross join lateral (
             ${CHANGE_SOURCES.map((source) => `(${source} limit ${INVOICES_PER_SCAN})`).join(' union all ')}
           ) c
           order by c.changed_at, c.id limit ${INVOICES_PER_SCAN}`,
    values: [tenantId],
  });
  const last = rows.length < INVOICES_PER_SCAN ? null : (rows.at(-1) as ChangedInvoice).changed_at;
  return { changed: [...new Map(rows.map((row) => [row.id, row])).values()], last };
}

/**
 * Stores the scanned versions, and the time up to which changes were scanned. That time is the time
 * of the last scanned change, or now if no change is left. Deletes the versions that are too old
 * for the next scan to read again.
 */
async function storeProgress(
  tx: Transaction,
  tenantId: string,
  { changed, last }: { changed: ChangedInvoice[]; last: string | null },
): Promise<void> {
  await Promise.all([
    tx.query({
      name: 'mark-look',
      text: `insert into detector_marks as m (tenant_id, looked_until) values ($1, coalesce($2::timestamptz, now()))
             on conflict (tenant_id) do update set looked_until = greatest(m.looked_until, excluded.looked_until)`,
      values: [tenantId, last],
    }),
    tx.query({
      name: 'note-looks',
      text: `insert into detector_looks (tenant_id, invoice_id, version)
             select $1, r.id, r.version from jsonb_to_recordset($2::jsonb) as r(id uuid, version timestamptz)
             on conflict (tenant_id, invoice_id) do update set version = excluded.version`,
      values: [tenantId, JSON.stringify(changed)],
    }),
    tx.query({
      name: 'forget-looks',
      text: `delete from detector_looks k using detector_marks m
             where m.tenant_id = $1 and k.tenant_id = m.tenant_id and k.version < m.looked_until - interval '${OVERLAP}'`,
      values: [tenantId],
    }),
  ]);
}

/**
 * Returns the other invoices of the same work orders that have an open suggestion, or are billed to
 * a customer with a coverage. If one of the changed invoices now has the missing line item, that
 * suggestion must close. If it bills more, less of the coverage is left for the others.
 */
async function findSuggestedSiblings(
  tx: Transaction,
  tenantId: string,
  invoiceIds: readonly string[],
): Promise<string[]> {
  const rows = await tx.query<{ id: string }>({
    name: 'suggested-siblings',
    text: `select distinct o.id from ${recordsetSql('tenant_id uuid, id uuid')}
           join invoices i on i.tenant_id = r.tenant_id and i.id = r.id
           cross join lateral (select * from invoices x where x.tenant_id = i.tenant_id and x.work_order_id = i.work_order_id offset 0) o
           where exists (select from suggestions s where s.tenant_id = o.tenant_id and s.invoice_id = o.id and s.status = 'open')
             or (o.status in ${UNRELEASED_STATUSES} and exists (select from customers c
                   where c.tenant_id = o.tenant_id and c.id = o.customer_id and c.coverage is not null))`,
    values: [JSON.stringify(invoiceIds.map((id) => ({ tenant_id: tenantId, id })))],
  });
  const changed = new Set(invoiceIds);
  return rows.flatMap(({ id }) => (changed.has(id) ? [] : id));
}
