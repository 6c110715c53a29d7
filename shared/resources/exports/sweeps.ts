import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type ClockTarget, clockCommand } from '../clock-command.js';
import type { RecordRef } from '../sets.js';
import { expireExport, recordExportFailed } from './commands.js';
import { MOST_TRIES } from './limits.js';

const OWN = `unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)`;

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
    text: `select e.tenant_id, e.id, e.estimated_rows, e.format from ${OWN} cross join lateral (
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

/** Ends exports of this transaction's tenants that have had all their tries. */
export async function findLostExports(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await tx.query<ClockTarget & { attempts: number }>({
    name: 'lost-exports',
    text: `select e.tenant_id, e.id, e.attempts, o.environment from ${OWN}
           join exports e on e.tenant_id = own.tenant_id and e.status in ('queued', 'running') and e.lease_until <= now() and e.tries >= ${MOST_TRIES}
           join tenants o on o.tenant_id = e.tenant_id limit $1`,
    values: [limit],
  });
  return rows.map((row) => clockCommand(recordExportFailed, row, { attempt: row.attempts, ...LOST }));
}

/** Ends exports of this transaction's tenants whose days are over. */
export async function findExpiredExports(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await tx.query<ClockTarget>({
    name: 'expired-exports',
    text: `select e.tenant_id, e.id, o.environment from ${OWN}
           join exports e on e.tenant_id = own.tenant_id and e.status = 'completed' and e.expires_at <= now()
           join tenants o on o.tenant_id = e.tenant_id limit $1`,
    values: [limit],
  });
  return rows.map((row) => clockCommand(expireExport, row));
}
