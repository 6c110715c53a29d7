import type { ExportScheduleCreate } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres.js';
import { namesOf, nextUpdatedAt, type RecordRef, recordset } from '../sets.js';
import { nextTimeSql } from './times.js';

/** A row of export_schedules, as JSON has it. */
export interface ScheduleRow extends Row, RecordRef, ExportScheduleCreate {
  next_run_at: string | null;
  last_export_id: string | null;
  deleted_at: string | null;
}

export const EDITABLE = `resource text, format text, filters jsonb, include text[], compression text, bom boolean, decimals boolean,
  cadence text, hour smallint, weekday text, day smallint, period text, enabled boolean`;
const NAMES = namesOf(EDITABLE);
const COLUMNS = `tenant_id uuid, id uuid, ${EDITABLE}`;

/** Adds schedules, each due at its next time unless it is disabled. */
export async function insertSchedules(tx: Transaction, rows: object[]): Promise<void> {
  const names = namesOf(COLUMNS);
  await tx.query({
    name: 'insert-export-schedules',
    text: `insert into export_schedules (${names.join(', ')}, next_run_at)
           select ${names.map((name) => `r.${name}`).join(', ')}, case when r.enabled then ${nextTimeSql('r', 'o.time_zone')} end
           from ${recordset(COLUMNS)} join tenants o on o.tenant_id = r.tenant_id`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Stores changed schedules. What is due stays due: its run comes at once, and then at the new time. @param rows `is_moved`: when it runs has changed
 */
export async function storeSchedules(
  tx: Transaction,
  rows: (object & { is_moved: boolean })[],
): Promise<void> {
  const next = `case when not r.enabled then null
                     when t.next_run_at <= now() or (t.next_run_at is not null and not r.is_moved) then t.next_run_at
                     else ${nextTimeSql('r', 'o.time_zone')} end`;
  await tx.query({
    name: 'store-export-schedules',
    text: `update export_schedules t set ${NAMES.map((name) => `${name} = r.${name}`).join(', ')},
             next_run_at = ${next}, updated_at = ${nextUpdatedAt('t')}
           from ${recordset(`${COLUMNS}, is_moved boolean`)} join tenants o on o.tenant_id = r.tenant_id
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** Ends schedules; their rows stay a while, for the answers that show them. */
export async function endSchedules(tx: Transaction, refs: RecordRef[]): Promise<void> {
  await tx.query({
    name: 'end-export-schedules',
    text: `update export_schedules t set deleted_at = now(), enabled = false, next_run_at = null, updated_at = ${nextUpdatedAt('t')}
           from ${recordset('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
}

/** Brings schedules to the new time zones of their accounts. What is due already stays due. */
export async function moveToTimeZone(tx: Transaction, tenantIds: string[]): Promise<void> {
  if (tenantIds.length === 0) return;
  await tx.query({
    name: 'move-export-schedules-to-time-zone',
    text: `update export_schedules t set next_run_at = ${nextTimeSql('t', 'o.time_zone')}, updated_at = ${nextUpdatedAt('t')}
           from tenants o where o.tenant_id = t.tenant_id and t.tenant_id = any($1::uuid[]) and t.next_run_at > now()`,
    values: [tenantIds],
  });
}
