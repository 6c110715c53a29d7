import { checkInvoiceTotal } from '../../billing/check-total.js';
import { calculateLineTotalCents, priceInvoice } from '../../billing/money.js';
import { findTaxRates, type TaxRates } from '../../billing/tax-rates.js';
import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { RecurringInvoiceCreate, RecurringInvoicePatch } from '../../contracts/generated.js';
import type { ErrorDetail } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffPatch } from '../../records/changes.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { findToday, type RecurringInvoiceRow } from './recurring-invoice-rows.js';
import { addDays, findNextDate, type Rhythm } from './rhythm.js';

/** The current date and the tax rates of the commands' accounts. */
export interface Facts {
  today: Map<string, string>;
  rates: TaxRates;
}

export async function readFacts(
  tx: Transaction,
  commands: { command: Command; customerId: string }[],
): Promise<Facts> {
  const [today, rates] = await Promise.all([
    findToday(
      tx,
      commands.map(({ command }) => command),
    ),
    findTaxRates(
      tx,
      commands.map(({ command, customerId }) => ({ tenantId: command.tenantId, customerId })),
    ),
  ]);
  return { today, rates };
}

/** The columns of a recurring invoice that the rules check. */
type Planned = Rhythm &
  Pick<RecurringInvoiceRow, 'customer_id' | 'line_items' | 'last_date'> & {
    ends_on?: string | null;
  };

/** Sets the total of each line item to the server's total (docs/decisions.md §3, Money). */
export function addLineTotals(lines: RecurringInvoiceCreate['line_items']) {
  return lines.map((line) => ({
    ...line,
    total_cents: calculateLineTotalCents(line.quantity, line.unit_price_cents),
  }));
}

/**
 * Finds the first date that is today or later. If an invoice was already created for a date, that
 * date is not due again, even after a change of the rhythm.
 */
function findFirstDate(planned: Planned, today: string): string | undefined {
  const yesterday = addDays(today, -1) as string;
  const { last_date: last } = planned;
  return findNextDate(planned, last !== null && last > yesterday ? last : yesterday);
}

/**
 * Checks the rules that involve several members.
 * @param kept the next date, if the change keeps it
 * @returns every error, or the next date of an active recurring invoice
 */
export function planNextDate(
  command: Command,
  planned: Planned,
  { facts, kept }: { facts: Facts; kept?: string | null },
): { next: string } | { details: ErrorDetail[] } {
  const { ends_on: endsOn = null, line_items: lines } = planned;
  const details: ErrorDetail[] = [];
  const priced = priceInvoice(lines, facts.rates.rateFor(command.tenantId, planned.customer_id) ?? 0);
  const tooLarge = checkInvoiceTotal(priced.totalCents);
  if (tooLarge && !tooLarge.ok) details.push(...((tooLarge.error.details ?? []) as ErrorDetail[]));
  const next = kept ?? findFirstDate(planned, facts.today.get(command.tenantId) as string);
  if (endsOn !== null && endsOn < planned.anchor_date)
    details.push(describe('ends_on', 'before_anchor', 'ends_on must not be before anchor_date'));
  else if (next === undefined)
    details.push(
      describe('anchor_date', 'no_date_left', 'anchor_date must leave a date before the year 10000'),
    );
  else if (endsOn !== null && next > endsOn)
    details.push(
      describe('ends_on', 'no_date_left', `ends_on must not be before ${next}, the date of the next invoice`),
    );
  return details.length > 0 ? { details } : { next: next as string };
}

function describe(field: string, code: string, message: string): ErrorDetail {
  return { field, code, message };
}

export function invalidOutcome(details: ErrorDetail[]): CommandOutcome {
  return failedOutcome({
    code: 'validation_error',
    message: `${details.map(({ message }) => message).join('. ')}.`,
    details,
  });
}

/**
 * A PATCH with only these fields does not change what is sent, so it needs no confirmation of
 * `release`. A change of autopay always needs the permission `approve`.
 */
const HARMLESS_FIELDS = ['description', 'status', 'autopay'];
/** A change of one of these fields moves the next date. */
const TIMING_FIELDS = ['every', 'anchor_date'];

/** Returns the changed row with its changes, or the outcome of a command that changes nothing. */
export function planUpdate(
  command: Command<RecurringInvoicePatch>,
  row: RecurringInvoiceRow | undefined,
  facts: Facts,
): { row: RecurringInvoiceRow; changes: ReturnType<typeof diffPatch> } | CommandOutcome {
  if (!row) return notFoundOutcome('recurring invoice');
  const { line_items: lines, ...rest } = command.input;
  const patch = { ...rest, ...(lines && { line_items: addLineTotals(lines) }) };
  const changes = diffPatch(row, patch);
  if (changes.length === 0) return { ok: true, changes, events: [] };
  if (row.status === 'ended')
    return failedOutcome({
      code: 'conflict',
      message: 'This recurring invoice has ended and can no longer change. Create a new one.',
    });
  const merged = { ...row, ...patch } as RecurringInvoiceRow;
  const startsAgain = row.status === 'paused' && merged.status === 'active';
  const isHarmless = changes.every(({ field }) => HARMLESS_FIELDS.includes(field)) && !startsAgain;
  if (row.release === 'send' && patch.release === undefined && !isHarmless) return failUnconfirmed();
  // Keep a date that is already due. The new rhythm applies to the dates after it.
  const isDue = row.next_date !== null && row.next_date <= (facts.today.get(command.tenantId) as string);
  const isMoved = changes.some(({ field }) => TIMING_FIELDS.includes(field));
  const planned = planNextDate(command, merged, { facts, kept: isDue || !isMoved ? row.next_date : null });
  if (merged.status !== 'active') {
    const faults = 'details' in planned ? planned.details.filter(({ code }) => code !== 'no_date_left') : [];
    return faults.length > 0 ? invalidOutcome(faults) : withNextDate(row, merged, { next: null, changes });
  }
  if ('details' in planned) return invalidOutcome(planned.details);
  return withNextDate(row, merged, { next: planned.next, changes });
}

function withNextDate(
  row: RecurringInvoiceRow,
  merged: RecurringInvoiceRow,
  { next, changes }: { next: string | null; changes: ReturnType<typeof diffPatch> },
) {
  const moved = diffPatch(row, { next_date: next });
  return { row: { ...merged, next_date: next }, changes: [...changes, ...moved] };
}

/**
 * Returns the error for a change that does not repeat `release`. The permission that a PATCH needs
 * depends only on the PATCH's members. Without this error, a key without the permission `approve`
 * could change invoices that are sent without approval.
 */
function failUnconfirmed(): CommandOutcome {
  const message = 'release must be in this change, because the invoices are sent without further approval';
  return failedOutcome({
    code: 'conflict',
    message: `${message}. Repeat release: send, which needs the permission approve, or set release: draft.`,
    details: [{ field: 'release', code: 'required', message }],
  });
}
