import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { type ClockTarget, clockCommand } from '../clock-command.js';
import { accrueStorage } from './commands.js';
import { chargedDays } from './storage-days.js';

/**
 * Commands for impounds of this transaction's tenants on which a day has begun that is not charged yet. Found again before the first command has run, an
 * impound gets a second one, which changes nothing.
 * @param limit commands at most, so that one pass stays short
 */
export async function findAccruals(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await tx.query<ClockTarget>({
    name: 'sweep-storage',
    text: `select i.tenant_id, i.id, t.environment
           from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           join tenants t on t.tenant_id = own.tenant_id
           join impounds i on i.tenant_id = own.tenant_id and i.released_at is null
           where ${chargedDays('i', 'now()')} > i.accrued_days limit $1`,
    values: [limit],
  });
  return rows.map((row) => clockCommand(accrueStorage, row));
}
