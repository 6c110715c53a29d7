import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { recordsetSql } from '../../../records/record-refs.js';
import { countUpSql, setCounters } from '../../../records/tenant-counters.js';
import { createInvoices, type InvoiceInput } from './create-handler.js';

/** An invoice that is still without a number. */
export type InvoiceDetails = Omit<InvoiceInput, 'invoice_number'>;

/**
 * The number of rounds that try consecutive invoice numbers. Each later round doubles the step
 * between numbers, so that a long run of taken numbers is passed quickly.
 */
const SINGLE_STEP_ROUNDS = 4;
const MAX_ROUNDS = 20;

/** Runs `invoice.create` commands, each with the account's next invoice number that is free. */
export async function createNumberedInvoices(
  tx: Transaction,
  commands: Command<InvoiceDetails>[],
): Promise<CommandOutcome[]> {
  const outcomes = new Map<string, CommandOutcome>();
  const numbered: ReservedNumber[] = [];
  let open = commands;
  for (let round = 0; open.length > 0 && round < MAX_ROUNDS; round += 1) {
    const numbers = await reserveInvoiceNumbers(tx, open, 2 ** Math.max(0, round - SINGLE_STEP_ROUNDS + 1));
    const creates = open.map((command): Command<InvoiceInput> => {
      const { number } = numbers.get(command.id) as ReservedNumber;
      return { ...command, input: { ...command.input, invoice_number: number } };
    });
    const created = await createInvoices(tx, creates);
    for (const [index, { id }] of creates.entries()) {
      const outcome = created[index] as CommandOutcome;
      outcomes.set(id, outcome);
      numbered.push({ ...(numbers.get(id) as ReservedNumber), isUsed: outcome.ok || isNumberTaken(outcome) });
    }
    open = open.filter(({ id }) => isNumberTaken(outcomes.get(id) as CommandOutcome));
  }
  await releaseInvoiceNumbers(tx, numbered);
  return commands.map(({ id }) => outcomes.get(id) as CommandOutcome);
}

function isNumberTaken(outcome: CommandOutcome): boolean {
  return !outcome.ok && outcome.error.code === 'duplicate_invoice_number';
}

interface ReservedNumber {
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
async function reserveInvoiceNumbers(
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
async function releaseInvoiceNumbers(tx: Transaction, reserved: ReservedNumber[]): Promise<void> {
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
