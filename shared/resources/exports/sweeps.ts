import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { expireExport, recordExportFailed } from './commands.js';
import { MAX_EXPORT_TRIES } from './limits.js';

export interface DueExport extends RecordRef {
  estimated_rows: number | null;
  format: string;
}

/**
 * Finds the oldest due export of each tenant. An export is due if it is queued or running, its
 * `lease_until` has passed, and tries are left. The result omits a tenant while another of its
 * exports is running.
 */
export function findDueExports(tx: Transaction): Promise<DueExport[]> {
  return tx.query<DueExport>({
    name: 'due-exports',
    text: `select e.tenant_id, e.id, e.estimated_rows, e.format from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           cross join lateral (
             select e.tenant_id, e.id, e.estimated_rows, e.format from exports e
             where e.tenant_id = own.tenant_id and e.status in ('queued', 'running') and e.lease_until <= now() and e.tries < ${MAX_EXPORT_TRIES}
               and not exists (select from exports b where b.tenant_id = own.tenant_id and b.status = 'running' and b.id <> e.id)
             order by e.id limit 1) e`,
  });
}

const INTERRUPTED = {
  code: 'interrupted',
  message: `The export was started ${MAX_EXPORT_TRIES} times and never finished. Retry it; if it fails again, request fewer rows at a time.`,
};

/**
 * Finds exports that have used all their tries without a result. Returns the commands that mark
 * them as failed.
 */
export async function findLostExports(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget & { attempts: number }>(tx, {
    name: 'lost-exports',
    rows: `select e.tenant_id, e.id, e.attempts from exports e
           where e.tenant_id = t.tenant_id and e.status in ('queued', 'running') and e.lease_until <= now() and e.tries >= ${MAX_EXPORT_TRIES}
           order by e.id`,
    limit,
  });
  return rows.map((row) =>
    buildClockCommand(recordExportFailed, row, { attempt: row.attempts, ...INTERRUPTED }),
  );
}

export async function findExpiredExports(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget>(tx, {
    name: 'expired-exports',
    rows: `select e.tenant_id, e.id from exports e
           where e.tenant_id = t.tenant_id and e.status = 'completed' and e.expires_at <= now() order by e.expires_at`,
    limit,
  });
  return rows.map((row) => buildClockCommand(expireExport, row));
}
