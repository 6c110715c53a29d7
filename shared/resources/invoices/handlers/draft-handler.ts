import { calculateLineTotalCents } from '../../../billing/money.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { InvoiceCreate, InvoiceDraft } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { indexByRef, type RecordRef, recordsetSql, refKey } from '../../../records/record-refs.js';
import { createInvoice } from '../commands.js';
import { createInvoices } from './create-handler.js';
import { type ReservedNumber, releaseInvoiceNumbers, reserveInvoiceNumbers } from './invoice-numbers.js';

type DraftCommand = Command<InvoiceDraft>;

interface WorkOrder extends RecordRef {
  customer_id: string | null;
  billing_email: string | null;
  vehicle_description: string | null;
  service_date: string | null;
}

/**
 * The number of rounds that try consecutive invoice numbers. Each later round doubles the step, to
 * pass a long run of taken numbers quickly.
 */
const SINGLE_STEP_ROUNDS = 4;
const MAX_ROUNDS = 20;

/**
 * Runs each draft as an `invoice.create` command, with values from the work order. If the write
 * needs approval, the `invoice.create` command is held. A person then approves exactly the values
 * shown, even if the work order changes before the approval.
 */
export async function draftInvoices(tx: Transaction, commands: DraftCommand[]): Promise<CommandOutcome[]> {
  const workOrders = await findWorkOrders(tx, commands);
  const outcomes = new Map<string, CommandOutcome>();
  const numbered: ReservedNumber[] = [];
  let open = commands.filter((command) => {
    const isKnown = workOrders.has(refKey(workOrderRef(command)));
    if (!isKnown) outcomes.set(command.id, unknownWorkOrder());
    return isKnown;
  });
  for (let round = 0; open.length > 0 && round < MAX_ROUNDS; round += 1) {
    const numbers = await reserveInvoiceNumbers(tx, open, 2 ** Math.max(0, round - SINGLE_STEP_ROUNDS + 1));
    const creates = open.map((command) =>
      toCreate(
        command,
        workOrders.get(refKey(workOrderRef(command))) as WorkOrder,
        numbers.get(command.id) as ReservedNumber,
      ),
    );
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

function workOrderRef({ tenantId, input }: DraftCommand): RecordRef {
  return { tenant_id: tenantId, id: input.work_order_id };
}

async function findWorkOrders(tx: Transaction, commands: DraftCommand[]): Promise<Map<string, WorkOrder>> {
  const rows = await tx.query<WorkOrder>({
    name: 'jobs-to-draft',
    text: `select w.tenant_id, w.id, w.customer_id, w.billing_email, to_json(w.completion_time)#>>'{}' as service_date,
             left(nullif(concat_ws(' ', w.vehicle_year, w.vehicle_make, w.vehicle_model, 'VIN ' || w.vin, 'unit ' || w.unit_number), ''), 500) as vehicle_description
           from ${recordsetSql('tenant_id uuid, id uuid')} join work_orders w on w.tenant_id = r.tenant_id and w.id = r.id`,
    values: [JSON.stringify(commands.map(workOrderRef))],
  });
  return indexByRef(rows);
}

function unknownWorkOrder(): CommandOutcome {
  const message = 'work_order_id is not a work order of this account';
  return failedOutcome({
    code: 'validation_error',
    message: `${message}. list_work_orders shows the ids.`,
    details: [{ field: 'work_order_id', code: 'unknown', message }],
  });
}

function toCreate(
  command: DraftCommand,
  workOrder: WorkOrder,
  { number }: ReservedNumber,
): Command<InvoiceCreate> {
  const { line_items, billing_email = workOrder.billing_email, ...input } = command.input;
  const { customer_id, vehicle_description, service_date } = workOrder;
  return {
    ...command,
    type: createInvoice.type,
    input: {
      ...input,
      customer_id,
      vehicle_description,
      service_date,
      billing_email,
      invoice_number: number,
      ...(line_items && {
        line_items: line_items.map((line) => ({
          ...line,
          total_cents: calculateLineTotalCents(line.quantity, line.unit_price_cents),
        })),
      }),
    },
  };
}
