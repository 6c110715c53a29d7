import type { Command } from '../../contracts/command.js';
import type { ExportScheduleCreate } from '../../contracts/generated.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql, toRecordRef } from '../../records/record-refs.js';
import { exportScheduleFields } from './fields.js';
import { nextScheduleTimeSql } from './times.js';

export interface ScheduleRow extends Row, RecordRef, ExportScheduleCreate {
  next_run_at: string | null;
  last_export_id: string | null;
  deleted_at: string | null;
}

const COLUMNS = `tenant_id uuid, id uuid, ${exportScheduleFields.settable}`;

/** Inserts schedules. Sets next_run_at to the next run, or to null if the schedule is disabled. */
export async function insertSchedules(tx: Transaction, rows: object[]): Promise<void> {
  const names = parseColumnNames(COLUMNS);
  await tx.query({
    name: 'insert-export-schedules',
    text: `insert into export_schedules (${names.join(', ')}, next_run_at)
           select ${names.map((name) => `r.${name}`).join(', ')}, case when r.enabled then ${nextScheduleTimeSql('r', 'o.time_zone')} end
           from ${recordsetSql(COLUMNS)} join tenants o on o.tenant_id = r.tenant_id`,
    values: [JSON.stringify(rows)],
  });
}

/** Locks the schedules of these commands. Skips deleted schedules. */
export async function lockSchedules(tx: Transaction, commands: Command[]): Promise<Map<string, ScheduleRow>> {
  const rows = await lockRecords<ScheduleRow>(tx, 'export_schedules', commands.map(toRecordRef));
  return new Map([...rows].filter(([, { deleted_at }]) => deleted_at === null));
}

/**
 * Stores changed schedules. If an enabled schedule is already due, its next run stays due, and the
 * new times apply after that run. `is_moved` means that the timing has changed.
 */
export async function storeSchedules(
  tx: Transaction,
  rows: (object & { is_moved: boolean })[],
): Promise<void> {
  const next = `case when not r.enabled then null
                     when t.next_run_at <= now() or (t.next_run_at is not null and not r.is_moved) then t.next_run_at
                     else ${nextScheduleTimeSql('r', 'o.time_zone')} end`;
  await tx.query({
    name: 'store-export-schedules',
    text: `update export_schedules t set ${exportScheduleFields.settableNames.map((name) => `${name} = r.${name}`).join(', ')},
             next_run_at = ${next}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`${COLUMNS}, is_moved boolean`)} join tenants o on o.tenant_id = r.tenant_id
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Marks schedules as deleted. The rows remain for {@link EXTENDED_RETENTION}, because operations
 * and stored responses may still refer to them.
 */
export async function markSchedulesDeleted(tx: Transaction, refs: RecordRef[]): Promise<void> {
  await tx.query({
    name: 'end-export-schedules',
    text: `update export_schedules t set deleted_at = now(), enabled = false, next_run_at = null, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(refs)],
  });
}

/**
 * Moves the next runs of all schedules of these accounts. Call this function after the accounts
 * have changed their time zones. Schedules that are already due stay due.
 */
export async function rescheduleForTimeZones(tx: Transaction, tenantIds: string[]): Promise<void> {
  if (tenantIds.length === 0) return;
  await tx.query({
    name: 'move-export-schedules-to-time-zone',
    text: `update export_schedules t set next_run_at = ${nextScheduleTimeSql('t', 'o.time_zone')}, updated_at = ${nextUpdatedAtSql('t')}
           from tenants o where o.tenant_id = t.tenant_id and t.tenant_id = any($1::uuid[]) and t.next_run_at > now()`,
    values: [tenantIds],
  });
}

export const EXPIRED_SCHEDULES: ExpiryRule = {
  table: 'export_schedules',
  condition: `o.deleted_at < now() - ${EXTENDED_RETENTION}`,
};
