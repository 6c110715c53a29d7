import type { Config } from '../../config/config.js';
import type { Change, Command, CommandOutcome } from '../../contracts/command.js';
import { createSystemCommand } from '../../contracts/system-command.js';
import { deriveTimedId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffPatch } from '../../records/changes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { approveInvoice, createInvoice, sendInvoice } from '../invoices/commands.js';
import { createNumberedInvoices, type InvoiceDetails } from '../invoices/handlers/invoice-numbers.js';
import { createInvoiceActionHandler } from '../invoices/handlers/move-handler.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import type { RecurringInvoiceRun } from './commands.js';
import {
  findToday,
  lockRecurringInvoices,
  type RecurringInvoiceRow,
  storeRecurringInvoices,
} from './recurring-invoice-rows.js';
import { findNextDate } from './rhythm.js';

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

type Succeeded = Extract<CommandOutcome, { ok: true }>;

interface Run {
  command: Command<RecurringInvoiceRun>;
  row: RecurringInvoiceRow;
  /** The commands that a person would submit (create, approve and send), with their outcomes. */
  steps: { command: Command; outcome: CommandOutcome }[];
}

/**
 * Creates the invoices of due dates. A command does nothing if its date already has an invoice. It
 * also does nothing if the recurring invoice was paused, ended or moved after the clock found it.
 * The lock on the row and its next date prevent a second invoice for a date.
 */
export async function runRecurringInvoices(
  tx: Transaction,
  commands: Command<RecurringInvoiceRun>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockRecurringInvoices(tx, commands);
  const today = await findToday(tx, commands);
  const runs = commands.flatMap((command): Run[] => {
    const row = rows.get(refKey(toRecordRef(command)));
    const { date } = command.input;
    const isDue = row?.next_date === date && date <= (today.get(command.tenantId) as string);
    return row && isDue ? [{ command, row, steps: [] }] : [];
  });
  if (runs.length === 0) return commands.map(() => UNCHANGED);
  const creations = runs.map(buildCreation);
  const created = await createNumberedInvoices(tx, creations);
  for (const [index, run] of runs.entries())
    run.steps.push({ command: creations[index] as Command, outcome: created[index] as CommandOutcome });
  await releaseInvoices(tx, runs, config);
  const moved = new Map(runs.map((run) => [run.command, moveOn(run)]));
  await storeRecurringInvoices(tx, [...moved.values()]);
  await insertNotices(tx, runs.flatMap(buildNotices), config);
  const outcomes = new Map(
    runs.map((run) => [run.command, buildOutcome(run, moved.get(run.command) as RecurringInvoiceRow)]),
  );
  return commands.map((command) => outcomes.get(command) ?? UNCHANGED);
}

/**
 * Builds the command that creates the invoice. The invoice's id is derived from the recurring
 * invoice and the date, so PostgreSQL would refuse a second invoice for the date.
 */
function buildCreation({ command, row }: Run): Command<InvoiceDetails> {
  const { date } = command.input;
  const { customer_id, line_items, id } = row;
  const input: InvoiceDetails = { customer_id, line_items, service_date: date, recurring_invoice_id: id };
  return derive(command, {
    type: createInvoice.type,
    entityId: deriveTimedId(Date.parse(date), `${id}/${date}`),
    input,
  });
}

function derive<Input>(
  { tenantId, environment }: Command,
  { type, entityId, input }: { type: string; entityId: string; input: Input },
): Command<Input> {
  return createSystemCommand({
    type,
    tenantId,
    environment,
    name: 'clock',
    entityId,
    input,
  }) as Command<Input>;
}

/** Approves and sends the new invoices whose recurring invoice has the release `send`. */
async function releaseInvoices(tx: Transaction, runs: Run[], config: Config): Promise<void> {
  const actions = [
    { type: approveInvoice.type, run: createInvoiceActionHandler('approve') },
    { type: sendInvoice.type, run: createInvoiceActionHandler('send') },
  ];
  for (const action of actions) {
    const open = runs.filter(({ row, steps }) => row.release === 'send' && steps.at(-1)?.outcome.ok);
    if (open.length === 0) return;
    const commands = open.map((run) =>
      derive(run.command, { type: action.type, entityId: getInvoiceId(run), input: {} }),
    );
    const outcomes = await action.run(tx, commands, config);
    for (const [index, { steps }] of open.entries())
      steps.push({ command: commands[index] as Command, outcome: outcomes[index] as CommandOutcome });
  }
}

function getInvoiceId({ steps }: Pick<Run, 'steps'>): string {
  return (steps[0] as Run['steps'][number]).command.entityId;
}

/**
 * Returns the row with its next date. If the invoice could not be created, pauses the recurring
 * invoice and keeps the date, so that no date is skipped.
 */
function moveOn(run: Run): RecurringInvoiceRow {
  const { row, command, steps } = run;
  if (!steps[0]?.outcome.ok) return { ...row, status: 'paused', next_date: null };
  const { date } = command.input;
  const next = findNextDate(row, date);
  const hasEnded = next === undefined || (row.ends_on !== null && next > row.ends_on);
  return {
    ...row,
    status: hasEnded ? 'ended' : row.status,
    next_date: hasEnded ? null : next,
    last_date: date,
    last_invoice_id: getInvoiceId(run),
  };
}

function buildOutcome({ row, steps }: Run, moved: RecurringInvoiceRow): CommandOutcome {
  const { status, next_date, last_date, last_invoice_id } = moved;
  const changes: Change[] = diffPatch(row, { status, next_date, last_date, last_invoice_id });
  const done = steps.filter((step): step is { command: Command; outcome: Succeeded } => step.outcome.ok);
  return {
    ok: true,
    changes,
    events: done.flatMap(({ command, outcome }) =>
      outcome.events.map((event) => ({ ...event, entity: { type: 'invoice', id: command.entityId } })),
    ),
    ranCommands: done.map(({ command, outcome }) => ({ command, changes: outcome.changes })),
    prompts: done.flatMap(({ outcome }) => outcome.prompts ?? []),
  };
}

function buildNotices({ command, row, steps }: Run): { command: Command; notice: NoticeDraft }[] {
  const failed = steps.find(({ outcome }) => !outcome.ok);
  if (!failed || failed.outcome.ok) return [];
  const { date } = command.input;
  const label = row.description ? `"${row.description}"` : row.id;
  const isCreated = failed !== steps[0];
  const reason = failed.outcome.error.message;
  const notice: NoticeDraft = {
    kind: 'recurring_invoice_failed',
    title: isCreated
      ? `The recurring invoice ${label} was created for ${date} but not sent`
      : `The recurring invoice ${label} could not be created for ${date} and is paused`,
    text: isCreated
      ? `The reason: ${reason}\n\nSet it right, then send the invoice ${getInvoiceId({ steps })} yourself. The next one is due as planned.`
      : `The reason: ${reason}\n\nSet it right, create the invoice for ${date} yourself, and set the recurring invoice to active again.`,
    entity_type: 'recurring_invoice',
    entity_id: row.id,
  };
  return [{ command, notice }];
}
