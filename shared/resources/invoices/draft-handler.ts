import type { Command, Outcome } from '../../contracts/command.js';
import type { InvoiceCreate, InvoiceDraft } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres.js';
import { byRef, failed, type RecordRef, recordset, refKey } from '../sets.js';
import { createInvoices } from './create-handler.js';
import { lineTotalCents } from './money.js';

type DraftCommand = Command<InvoiceDraft & { invoice_number?: string }>;

/** What a draft takes from its job. */
interface Job extends RecordRef {
  customer_id: string | null;
  billing_email: string | null;
  vehicle_description: string | null;
  service_date: string | null;
}

/** Each round of looking for free numbers leaves out twice as many as the one before: those of an account that numbers like this by itself are passed soon. */
const MAX_ROUNDS = 16;

/** Drafts invoices for jobs, each under the account's next number. */
export async function draftInvoices(tx: Transaction, commands: DraftCommand[]): Promise<Outcome[]> {
  const jobs = await findJobs(tx, commands);
  const outcomes = new Map<string, Outcome>();
  let open = commands.filter((command) => {
    const isKnown = jobs.has(refKey(jobRef(command)));
    if (!isKnown) outcomes.set(command.id, unknownJob());
    return isKnown;
  });
  for (let round = 0; open.length > 0 && round < MAX_ROUNDS; round += 1) {
    const asked = await numbered(tx, open, 2 ** round);
    const made = await createInvoices(
      tx,
      asked.map((command) => toCreate(command, jobs.get(refKey(jobRef(command))) as Job)),
    );
    for (const [index, command] of asked.entries()) outcomes.set(command.id, made[index] as Outcome);
    open = open.filter(
      ({ id, input }) => input.invoice_number === undefined && isTaken(outcomes.get(id) as Outcome),
    );
  }
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
             nullif(concat_ws(' ', w.vehicle_year, w.vehicle_make, w.vehicle_model, 'VIN ' || w.vin, 'unit ' || w.unit_number), '') as vehicle_description
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

/** Gives each draft the account's next number. @param step how many numbers each takes, of which it uses the last */
async function numbered(tx: Transaction, commands: DraftCommand[], step: number): Promise<DraftCommand[]> {
  const without = commands.filter(({ input }) => input.invoice_number === undefined);
  if (without.length === 0) return commands;
  const rows = await tx.query<{ id: string; number: string }>({
    name: 'next-invoice-numbers',
    text: `with r as materialized (
             select *, row_number() over (partition by tenant_id order by ordinal) * $2::int as nth, count(*) over (partition by tenant_id) * $2::int as total
             from ${recordset('tenant_id uuid, id uuid, ordinal integer', 'input')}
           ), counter as (
             insert into tenant_counters as c (tenant_id, name, value)
             select tenant_id, 'invoice_number', count(*) * $2::int from r group by tenant_id order by tenant_id
             on conflict (tenant_id, name) do update set value = c.value + excluded.value
             returning c.tenant_id, c.value
           )
           select r.id, 'INV-' || case when n < 1000000 then lpad(n::text, 6, '0') else n::text end as number
           from r join counter on counter.tenant_id = r.tenant_id, lateral (select counter.value - r.total + r.nth as n) x`,
    values: [
      JSON.stringify(without.map(({ tenantId, id }, ordinal) => ({ tenant_id: tenantId, id, ordinal }))),
      step,
    ],
  });
  const numbers = new Map(rows.map(({ id, number }) => [id, number]));
  return commands.map((command) => ({
    ...command,
    input: {
      ...command.input,
      invoice_number: command.input.invoice_number ?? (numbers.get(command.id) as string),
    },
  }));
}

/** What a rate card prices takes customer, vehicle and date from the job by itself. */
function toCreate(command: DraftCommand, job: Job): Command<InvoiceCreate> {
  const { line_items, billing_email, ...input } = command.input;
  const { customer_id, vehicle_description, service_date } = job;
  return {
    ...command,
    input: {
      ...input,
      invoice_number: input.invoice_number as string,
      ...((billing_email ?? job.billing_email) ? { billing_email: billing_email ?? job.billing_email } : {}),
      ...(line_items
        ? {
            ...{ customer_id, vehicle_description, service_date },
            line_items: line_items.map((line) => ({
              ...line,
              total_cents: lineTotalCents(line.quantity, line.unit_price_cents),
            })),
          }
        : {}),
    },
  };
}
