import type { Command } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { recordsetSql } from '../../../records/record-refs.js';
import { countUpSql, setCounters } from '../../../records/tenant-counters.js';

export interface ReservedNumber {
  tenantId: string;
  /** The counter value from which `number` is formed. */
  nth: number;
  /** For example `INV-000123`. */
  number: string;
  /** True if an invoice has the number. */
  isUsed?: boolean;
}

/**
 * Reserves an invoice number for each command, and locks the accounts' counters until the
 * transaction ends. For each command, the account's counter advances by `step`, and the command
 * gets the new value.
 * @returns the numbers, by command id
 */
export async function reserveInvoiceNumbers(
  tx: Transaction,
  commands: Command[],
  step: number,
): Promise<Map<string, ReservedNumber>> {
  const requests = commands.map(({ tenantId, id }, ordinal) => ({ tenant_id: tenantId, id, ordinal }));
  const rows = await tx.query<{ tenant_id: string; id: string; nth: number }>({
    name: 'next-invoice-numbers',
    text: `with r as materialized (
             select *, row_number() over (partition by tenant_id order by ordinal) * $2::int as nth, count(*) over (partition by tenant_id) * $2::int as total
             from ${recordsetSql('tenant_id uuid, id uuid, ordinal integer', 'input')}
           ), counter as (
             ${countUpSql('invoice_number', { rows: 'r', step: '$2::int' })}
           )
           select r.tenant_id, r.id, counter.value - r.total + r.nth as nth from r join counter on counter.tenant_id = r.tenant_id`,
    values: [JSON.stringify(requests), step],
  });
  return new Map(
    rows.map(({ tenant_id, id, nth }) => [
      id,
      { tenantId: tenant_id, nth, number: `INV-${String(nth).padStart(6, '0')}` },
    ]),
  );
}

/**
 * Sets each account's counter back to the last used number, so that refused drafts leave no gap.
 * Call this function in the transaction that reserved the numbers.
 */
export async function releaseInvoiceNumbers(tx: Transaction, reserved: ReservedNumber[]): Promise<void> {
  const tenants = [...new Set(reserved.filter(({ isUsed }) => !isUsed).map(({ tenantId }) => tenantId))];
  if (tenants.length === 0) return;
  const counters = tenants.map((tenantId) => {
    const own = reserved.filter((one) => one.tenantId === tenantId);
    const used = own.filter(({ isUsed }) => isUsed).map(({ nth }) => nth);
    const first = Math.min(...own.map(({ nth }) => nth));
    return { tenant_id: tenantId, value: Math.max(first - 1, ...used) };
  });
  await setCounters(tx, 'invoice_number', counters);
}
