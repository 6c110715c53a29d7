import type { Command } from '../../contracts/command.js';
import { systemCommand } from '../../contracts/system-command.js';
import type { Transaction } from '../../platform/postgres.js';
import { markInvoiceOverdue } from './commands.js';
import { IS_PAST_DUE, PAST_DUE_JOINS } from './past-due.js';
import { INVOICE_MOVES } from './transitions.js';

/** States that the clock may move to overdue, from the table. */
const SWEPT = Object.entries(INVOICE_MOVES)
  .filter(([, moves]) => moves.some(({ to, by }) => to === 'overdue' && by.includes('S')))
  .map(([status]) => `'${status}'`);

/**
 * Commands for invoices of this transaction's tenants that have crossed their threshold. Found again before the first command has run, an invoice gets a
 * second one, which changes nothing.
 * @param limit commands at most, so that one pass stays short
 */
export async function findOverdue(tx: Transaction, limit: number): Promise<Command[]> {
  const rows = await tx.query<{ tenant_id: string; id: string; environment: 'live' | 'sandbox' }>({
    name: 'sweep-overdue',
    text: `select i.tenant_id, i.id, t.environment
           from unnest(string_to_array(current_setting('app.tenant_ids'), ',')::uuid[]) as own(tenant_id)
           join invoices i on i.tenant_id = own.tenant_id and i.status in (${SWEPT.join(', ')}) ${PAST_DUE_JOINS}
           where ${IS_PAST_DUE} limit $1`,
    values: [limit],
  });
  return rows.map(({ tenant_id: tenantId, id: entityId, environment }) =>
    systemCommand({
      type: markInvoiceOverdue.type,
      tenantId,
      environment,
      name: 'clock',
      entityId,
      input: {},
    }),
  );
}
