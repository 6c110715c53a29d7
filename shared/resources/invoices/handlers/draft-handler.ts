import { calculateLineTotalCents } from '../../../billing/money.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { InvoiceDraft } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { indexByRef, type RecordRef, recordsetSql, refKey } from '../../../records/record-refs.js';
import { createInvoice } from '../commands.js';
import { createNumberedInvoices, type InvoiceDetails } from './invoice-numbers.js';

type DraftCommand = Command<InvoiceDraft>;

interface WorkOrder extends RecordRef {
  customer_id: string | null;
  billing_email: string | null;
  vehicle_description: string | null;
  service_date: string | null;
}

/**
 * Runs each draft as an `invoice.create` command, with values from the work order. If the write
 * needs approval, the `invoice.create` command is held. A person then approves exactly the values
 * shown, even if the work order changes before the approval.
 */
export async function draftInvoices(tx: Transaction, commands: DraftCommand[]): Promise<CommandOutcome[]> {
  const workOrders = await findWorkOrders(tx, commands);
  const known = commands.filter((command) => workOrders.has(refKey(workOrderRef(command))));
  const created = await createNumberedInvoices(
    tx,
    known.map((command) => toCreate(command, workOrders.get(refKey(workOrderRef(command))) as WorkOrder)),
  );
  const outcomes = new Map(known.map((command, index) => [command, created[index] as CommandOutcome]));
  return commands.map((command) => outcomes.get(command) ?? unknownWorkOrder());
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

function toCreate(command: DraftCommand, workOrder: WorkOrder): Command<InvoiceDetails> {
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
      ...(line_items && {
        line_items: line_items.map((line) => ({
          ...line,
          total_cents: calculateLineTotalCents(line.quantity, line.unit_price_cents),
        })),
      }),
    },
  };
}
