import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres.js';
import { clockCommand } from '../clock-command.js';
import { expireApproval } from './commands.js';

/**
 * Commands for pending approvals of this transaction's tenants that nobody decided in time. Found again before the first command has run, one
 * gets a second command, which changes nothing.
 * @param limit commands at most, so that one pass stays short
 */
export async function findExpired(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await tx.query<{ tenant_id: string; id: string; environment: 'live' | 'sandbox' }>({
    name: 'sweep-expired-approvals',
    text: `select a.tenant_id, a.id, t.environment
           from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           join approvals a on a.tenant_id = own.tenant_id and a.status = 'pending' and a.expires_at <= now()
           join tenants t on t.tenant_id = a.tenant_id limit $1`,
    values: [limit],
  });
  return rows.map((row) => clockCommand(expireApproval, row));
}
