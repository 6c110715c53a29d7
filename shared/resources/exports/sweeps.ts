import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type ClockTarget, clockCommand } from '../clock-command.js';
import type { RecordRef } from '../sets.js';
import { findInTurns } from '../sweep-turns.js';
import { expireExport, recordExportFailed } from './commands.js';
import { MOST_TRIES } from './limits.js';

export interface DueExport extends RecordRef {
  estimated_rows: number | null;
  format: string;
}

/**
 * The next export of each of this transaction's tenants that can be taken now: the one whose worker has died, else the oldest that is queued, unless another
 * one is running. With one tenant: what to go on with.
 */
export function findDueExports(tx: Transaction): Promise<DueExport[]> {
  return tx.query<DueExport>({
    name: 'due-exports',
    text: `select e.tenant_id, e.id, e.estimated_rows, e.format from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           cross join lateral (
             select e.tenant_id, e.id, e.estimated_rows, e.format from exports e
             where e.tenant_id = own.tenant_id and e.status in ('queued', 'running') and e.lease_until <= now() and e.tries < ${MOST_TRIES}
               and not exists (select from exports b where b.tenant_id = own.tenant_id and b.status = 'running' and b.id <> e.id)
             order by e.id limit 1) e`,
  });
}

const LOST = {
  code: 'interrupted',
  message: `It was begun ${MOST_TRIES} times and did not come to its end. Try it once more; should it fail again, ask for less at a time.`,
};

/**
 * Ends exports of this transaction's tenants that have had all their tries. The accounts take
 * turns.
 */
export async function findLostExports(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findInTurns<ClockTarget & { attempts: number }>(tx, {
    name: 'lost-exports',
    rows: `select e.tenant_id, e.id, e.attempts from exports e
           where e.tenant_id = t.tenant_id and e.status in ('queued', 'running') and e.lease_until <= now() and e.tries >= ${MOST_TRIES}
           order by e.id`,
    limit,
  });
  return rows.map((row) => clockCommand(recordExportFailed, row, { attempt: row.attempts, ...LOST }));
}

/** Ends exports of this transaction's tenants whose days are over. The accounts take turns. */
export async function findExpiredExports(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findInTurns<ClockTarget>(tx, {
    name: 'expired-exports',
    rows: `select e.tenant_id, e.id from exports e
           where e.tenant_id = t.tenant_id and e.status = 'completed' and e.expires_at <= now() order by e.expires_at`,
    limit,
  });
  return rows.map((row) => clockCommand(expireExport, row));
}
