import type { Command, Outcome } from '../../contracts/command.js';
import type { InvoiceCreate, InvoiceDraft } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres.js';
import { byRef, failed, type RecordRef, recordset, refKey } from '../sets.js';
import { createInvoice } from './commands.js';
import { createInvoices } from './create-handler.js';
import { lineTotalCents } from './money.js';
import { type Numbered, nextNumbers, returnNumbers } from './next-numbers.js';

type DraftCommand = Command<InvoiceDraft>;

/** What a draft takes from its job. */
interface Job extends RecordRef {
  customer_id: string | null;
  billing_email: string | null;
  vehicle_description: string | null;
  service_date: string | null;
}

/** Numbers that somebody else gave out are passed one by one at first, then by leaps. */
const ROUNDS_BY_ONE = 4;
const MAX_ROUNDS = 20;

/**
 * Drafts invoices for jobs, each under the account's next number that is free. What an agent gets is the invoice that `invoice.create` would make: also what is
 * held is held as that, so that a person approves what was shown and nothing else, whatever becomes of the job meanwhile.
 */
export async function draftInvoices(tx: Transaction, commands: DraftCommand[]): Promise<Outcome[]> {
  const jobs = await findJobs(tx, commands);
  const outcomes = new Map<string, Outcome>();
  const numbered: Numbered[] = [];
  let open = commands.filter((command) => {
    const isKnown = jobs.has(refKey(jobRef(command)));
    if (!isKnown) outcomes.set(command.id, unknownJob());
    return isKnown;
  });
  for (let round = 0; open.length > 0 && round < MAX_ROUNDS; round += 1) {
    const numbers = await nextNumbers(tx, open, 2 ** Math.max(0, round - ROUNDS_BY_ONE + 1));
    const asked = open.map((command) =>
      toCreate(command, jobs.get(refKey(jobRef(command))) as Job, numbers.get(command.id) as Numbered),
    );
    const made = await createInvoices(tx, asked);
    for (const [index, { id }] of asked.entries()) {
      const outcome = made[index] as Outcome;
      outcomes.set(id, outcome);
      numbered.push({ ...(numbers.get(id) as Numbered), isUsed: outcome.ok || isTaken(outcome) });
    }
    open = open.filter(({ id }) => isTaken(outcomes.get(id) as Outcome));
  }
  await returnNumbers(tx, numbered);
  return commands.map(({ id }) => outcomes.get(id) as Outcome);
}

function isTaken(outcome: Outcome): boolean {
  return !outcome.ok && outcome.error.code === 'duplicate_invoice_number';
}

function jobRef({ tenantId, input }: DraftCommand): RecordRef {
  return { tenant_id: tenantId, id: input.work_order_id };
}

async function findJobs(tx: Transaction, commands: DraftCommand[]): Promise<Map<string, Job>> {
  const rows = await tx.query<Job>({
    name: 'jobs-to-draft',
    text: `select w.tenant_id, w.id, w.customer_id, w.billing_email, to_json(w.completion_time)#>>'{}' as service_date,
             left(nullif(concat_ws(' ', w.vehicle_year, w.vehicle_make, w.vehicle_model, 'VIN ' || w.vin, 'unit ' || w.unit_number), ''), 500) as vehicle_description
           from ${recordset('tenant_id uuid, id uuid')} join work_orders w on w.tenant_id = r.tenant_id and w.id = r.id`,
    values: [JSON.stringify(commands.map(jobRef))],
  });
  return byRef(rows);
}

function unknownJob(): Outcome {
  const message = 'work_order_id is not a work order of this account';
  return failed({
    code: 'validation_error',
    message: `${message}. list_work_orders shows the ids.`,
    details: [{ field: 'work_order_id', code: 'unknown', message }],
  });
}

/** Without lines it asks for the price of the rate card. */
function toCreate(command: DraftCommand, job: Job, { number }: Numbered): Command<InvoiceCreate> {
  const { line_items, billing_email = job.billing_email, ...input } = command.input;
  const { customer_id, vehicle_description, service_date } = job;
  return {
    ...command,
    type: createInvoice.type,
    input: {
      ...input,
      ...{ customer_id, vehicle_description, service_date, billing_email },
      invoice_number: number,
      ...(line_items && {
        line_items: line_items.map((line) => ({
          ...line,
          total_cents: lineTotalCents(line.quantity, line.unit_price_cents),
        })),
      }),
    },
  };
}
