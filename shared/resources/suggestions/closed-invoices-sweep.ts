import type { Command } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { buildClockCommand, type ClockTarget } from '../../records/sweeps/clock-command.js';
import { findRowsRoundRobin } from '../../records/sweeps/sweep-round-robin.js';
import { expireSuggestion } from './commands.js';

/**
 * Returns at most `limit` commands that expire the open suggestions of paid, void and cancelled
 * invoices. Such an invoice can no longer be corrected.
 */
export async function findSuggestionsOfClosedInvoices(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await findRowsRoundRobin<ClockTarget & { status: string }>(tx, {
    name: 'settled-suggestions',
    rows: `select s.tenant_id, s.id, i.status from suggestions s
           join invoices i on i.tenant_id = s.tenant_id and i.id = s.invoice_id and i.status in ('paid', 'void', 'cancelled')
           where s.tenant_id = t.tenant_id and s.status = 'open'`,
    limit,
  });
  return rows.map((row) =>
    buildClockCommand(expireSuggestion, row, { reason: `The invoice is ${row.status}.` }),
  );
}
