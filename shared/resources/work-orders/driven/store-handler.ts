import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Row, Transaction } from '../../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../../records/lock-records.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../../records/record-refs.js';
import { LISTED_VEHICLES } from '../../../sync/listed/listed-tables.js';
import { selectProgress } from '../../trucks/current-work-order.js';
import type { DrivenMilesEntry } from './command.js';

/** The least time from the completion to the measurement. Vendors report some positions late. */
const DELAY = "interval '5 minutes'";

/** SQL that is true if a vendor reports the truck of the row `r`, or did so during its work. */
const IS_TRACKED = `(exists (select from trucks k where k.tenant_id = r.tenant_id and k.id = r.truck_id and k.located_at >= r.dispatch_time)
  or exists (select from connections c join external_ids x on x.tenant_id = c.tenant_id and x.connection_id = c.id
    and x.kind = '${LISTED_VEHICLES.linkKind}' and x.local_id = r.truck_id
    where c.tenant_id = r.tenant_id and c.kind = 'telematics' and c.status <> 'revoked'))`;

/**
 * SQL that is true if the truck was under way for the work order `t` when the work order was
 * cancelled.
 */
const WAS_UNDER_WAY = `(r.status = 'cancelled' and t.status in ('dispatched', 'in_progress') and ${selectProgress('t')} <> 'assigned')`;

/**
 * SQL that, in an update of the work orders `t` to the rows `r`, forgets what was measured. It
 * makes a measurement due if the work order is now completed, or cancelled with its truck under
 * way, and the truck is tracked. The positions may come later, after an outage at the vendor.
 */
export const RESET_DRIVEN_MILES = `driven_miles = null, driven_coverage = null, driven_source = null, driven_loaded_miles = null,
  driven_loaded_coverage = null, driven_loaded_source = null, driven_measured_at = null,
  drive_until = case r.status when 'completed' then r.completion_time when 'cancelled' then now() end,
  drive_due_at = case when (r.status = 'completed' or ${WAS_UNDER_WAY}) and ${IS_TRACKED} then now() + ${DELAY} end`;

/**
 * Stores what the clock measured. A work order that was opened again since has another due time, or
 * none, so a late result changes nothing.
 */
export async function storeDrives(
  tx: Transaction,
  commands: Command<DrivenMilesEntry>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<Row & RecordRef>(tx, 'work_orders', commands.map(toRecordRef));
  const stored = await tx.query<RecordRef & { is_measured: boolean }>({
    name: 'store-drives',
    text: `update work_orders t set drive_due_at = null, driven_miles = r.miles, driven_coverage = r.coverage, driven_source = r.source,
             driven_loaded_miles = r.loaded_miles, driven_loaded_coverage = r.loaded_coverage, driven_loaded_source = r.loaded_source,
             driven_measured_at = case when r.coverage is not null then now() end,
             updated_at = case when r.coverage is null then t.updated_at else ${nextUpdatedAtSql('t')} end
           from ${recordsetSql(`tenant_id uuid, id uuid, due_at timestamptz, miles numeric, coverage numeric,
             source text, loaded_miles numeric, loaded_coverage numeric, loaded_source text`)}
           where t.tenant_id = r.tenant_id and t.id = r.id and t.drive_due_at = r.due_at
           returning t.tenant_id, t.id, r.coverage is not null as is_measured`,
    values: [
      JSON.stringify(
        commands.map((command) => ({
          ...command.input.driven,
          ...toRecordRef(command),
          due_at: command.input.due_at,
        })),
      ),
    ],
  });
  const measured = new Set(stored.filter((row) => row.is_measured).map(refKey));
  return commands.map((command): CommandOutcome => {
    const key = refKey(toRecordRef(command));
    if (!rows.has(key)) return notFoundOutcome('work order');
    const changes = measured.has(key) ? [{ field: 'driven', from: null, to: command.input.driven }] : [];
    return { ok: true, changes, events: [] };
  });
}
