import type { ExportScheduleCreate } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import type { ClockTarget } from '../../records/sweeps/clock-command.js';
import { runTimesSql } from './times.js';

export interface DueSchedule
  extends ClockTarget,
    Pick<ExportScheduleCreate, 'resource' | 'format' | 'filters' | 'include' | 'period'> {
  /** RFC 3339 time. */
  due_at: string;
  time_zone: string;
  /** First day of the exported period. `until` is the day after the last day. */
  since: string;
  until: string;
}

/**
 * Finds due schedules. If a schedule is found again before its command has run, the second command
 * does nothing.
 */
export function findDueSchedules(tx: Transaction, limit: number): Promise<DueSchedule[]> {
  return tx.query<DueSchedule>({
    name: 'due-export-schedules',
    text: `select s.tenant_id, s.id, o.environment, o.time_zone, s.resource, s.format, s.filters, s.include, s.period,
             to_json(s.next_run_at) #>> '{}' as due_at, n.since, n.until
           from (select s.* from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
                 join export_schedules s on s.tenant_id = own.tenant_id and s.next_run_at <= now()
                 order by s.next_run_at limit $1) s
           join tenants o on o.tenant_id = s.tenant_id
           cross join lateral (select ${runTimesSql('s', 'o.time_zone')}) n`,
    values: [limit],
  });
}

/**
 * Returns the filters for the export of a run. With the period `previous`, adds `since`, the first
 * day of the period, and `until`, the day after its last day.
 */
export function buildRunFilters(
  { period, filters }: Pick<ExportScheduleCreate, 'period' | 'filters'>,
  { since, until }: Pick<DueSchedule, 'since' | 'until'>,
): ExportScheduleCreate['filters'] {
  return period === 'previous' ? { ...filters, since, until } : filters;
}
