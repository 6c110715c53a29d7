import type { Command, CommandOutcome, EventDraft } from '../../../contracts/command.js';
import type { ClaimOutcome } from '../../../contracts/generated.js';
import { newId } from '../../../platform/ids.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { type AuditedSideEffect, auditSideEffects } from '../../audit-log/audit-side-effects.js';
import { type InvoiceRow, lockInvoices, storeLifecycle } from '../../invoices/handlers/lifecycle.js';
import { storePoNumbers } from '../../invoices/handlers/store-invoices.js';
import { createPayments } from '../../payments/handlers/index.js';
import type { SuggestionDraft } from '../../suggestions/detectors/kinds.js';
import { buildSuggestion, insertSuggestions } from '../../suggestions/store.js';
import { lockClaimChangeSets, storeClaimChangeSets } from '../claim-change-sets.js';
import { type ClaimChangeSet, illegalClaimMove } from '../claim-row.js';
import { readDenialFacts } from '../denial-facts.js';
import type { DenialFacts } from '../denial-rules.js';
import { applyDenial, buildShortPaidSuggestion } from '../deny.js';

type OutcomeCommand = Command<ClaimOutcome>;

/** A claim that a response has changed, and what follows from that. */
export interface RecordedClaim {
  command: Command;
  course: ClaimChangeSet;
  events: EventDraft[];
  suggestion?: SuggestionDraft | undefined;
  invoicePo?: string | undefined;
}

/**
 * Records the responses of clubs. If the club paid, creates a payment of the invoice. If the club
 * denied the claim, corrects the claim and sends it again, or creates a suggestion for a person.
 */
export function recordClaimOutcomes(tx: Transaction, commands: OutcomeCommand[]): Promise<CommandOutcome[]> {
  return recordResponses(tx, commands, {
    isDenial: ({ outcome }) => outcome === 'denied',
    apply: applyOutcome,
  });
}

interface ResponseRules<Input> {
  isDenial(input: Input): boolean;
  apply(tx: Transaction, context: OutcomeContext<Input>): Promise<RecordedClaim | CommandOutcome>;
}

/** Applies responses to claims, and stores what follows from them. */
export async function recordResponses<Input>(
  tx: Transaction,
  commands: Command<Input>[],
  { isDenial, apply }: ResponseRules<Input>,
): Promise<CommandOutcome[]> {
  const { findCourse } = await lockClaimChangeSets(tx, commands);
  const denied = commands.filter(({ input }) => isDenial(input)).map(toRecordRef);
  const facts = await readDenialFacts(tx, denied);
  const now = new Date().toISOString();
  const recorded: RecordedClaim[] = [];
  const outcomes = new Map<string, CommandOutcome>();
  for (const command of commands) {
    const course = findCourse(command);
    const result = 'ok' in course ? course : await apply(tx, { command, course, facts, now });
    if ('ok' in result) outcomes.set(command.id, result);
    else recorded.push(result);
  }
  await storeClaimChangeSets(tx, recorded);
  await recordPoNumbers(tx, recorded);
  const suggestions = await storeSuggestions(tx, recorded);
  for (const { command, course, events } of recorded) {
    const suggestionId = suggestions.get(command.id);
    const suggestionEvents: EventDraft[] = suggestionId
      ? [{ type: 'ai.suggestion.created', entity: { type: 'suggestion', id: suggestionId } }]
      : [];
    outcomes.set(command.id, {
      ok: true,
      changes: course.changes,
      events: [...events, ...suggestionEvents],
      prompts: course.prompts,
    });
  }
  return commands.map((command) => outcomes.get(command.id) as CommandOutcome);
}

export interface OutcomeContext<Input> {
  command: Command<Input>;
  course: ClaimChangeSet;
  facts: Map<string, DenialFacts>;
  now: string;
}

export async function applyOutcome(
  tx: Transaction,
  { command, course, facts, now }: OutcomeContext<ClaimOutcome>,
): Promise<RecordedClaim | CommandOutcome> {
  const { outcome, reason } = command.input;
  if (outcome === 'paid') return applyPayment(tx, { command, course });
  if (course.row.status === outcome && outcome === 'accepted') return { ok: true, changes: [], events: [] };
  if (!course.canMove(outcome, 'P')) return illegalClaimMove(course.row, outcome);
  if (outcome === 'accepted') {
    course.move('accepted', 'P', { status_reason: reason ?? null });
    return { command, course, events: [] };
  }
  const denialFacts = facts.get(refKey(toRecordRef(command))) as DenialFacts;
  return { command, course, events: [], ...applyDenial(course, command.input, { facts: denialFacts, now }) };
}

/**
 * Records the payment of one claim. Payments are not batched, because few commands of a batch are
 * payments.
 */
async function applyPayment(
  tx: Transaction,
  { command, course }: { command: OutcomeCommand; course: ClaimChangeSet },
): Promise<RecordedClaim | CommandOutcome> {
  const { amount_cents: amount, reference, reason } = command.input;
  if (amount === undefined) {
    const message = 'amount_cents is required when the club has paid';
    return failedOutcome({
      code: 'validation_error',
      message: `${message}.`,
      details: [{ field: 'amount_cents', code: 'required', message }],
    });
  }
  const paidCents = course.row.paid_cents + amount;
  const isWhole = paidCents >= course.row.expected_cents;
  const to = isWhole ? 'paid' : 'short_paid';
  const isMore = course.row.status === 'short_paid' && !isWhole;
  if (!isMore && !course.canMove(to, 'P')) return illegalClaimMove(course.row, to);
  const payment = {
    ...command,
    entityId: newId(),
    input: {
      invoice_id: course.row.invoice_id,
      amount_cents: amount,
      method: 'motor_club' as const,
      reference: reference ?? null,
    },
  };
  // The payment reads and moves the stored invoice. The command may have moved the invoice before.
  if (course.isInvoiceChanged) await storeLifecycle(tx, [course.invoice]);
  const [paymentOutcome] = await createPayments(tx, [payment]);
  if (!paymentOutcome?.ok) return paymentOutcome as CommandOutcome;
  const { tenant_id, id } = course.invoice;
  const [paid] = (await lockInvoices(tx, [{ tenant_id, id }])).values();
  course.invoice = paid as InvoiceRow;
  await auditSideEffects(tx, [
    {
      command,
      entityType: 'payment',
      entityId: payment.entityId,
      action: 'payment.created',
      changes: paymentOutcome.changes,
    },
  ]);
  const fields = { paid_cents: paidCents, status_reason: reason ?? null };
  if (isMore) course.set(fields);
  else course.move(to, 'P', fields);
  return {
    command,
    course,
    events: paymentOutcome.events,
    suggestion: to === 'short_paid' ? buildShortPaidSuggestion(course) : undefined,
  };
}

async function recordPoNumbers(tx: Transaction, recorded: readonly RecordedClaim[]): Promise<void> {
  const found = recorded.filter(({ invoicePo }) => invoicePo !== undefined);
  if (found.length === 0) return;
  const rows = found.map(({ course, invoicePo }) => ({
    tenant_id: course.invoice.tenant_id,
    id: course.invoice.id,
    po_number: invoicePo,
  }));
  await storePoNumbers(tx, rows);
  await auditSideEffects(
    tx,
    found.map(({ command, course, invoicePo }) => ({
      command,
      entityType: 'invoice',
      entityId: course.invoice.id,
      action: 'invoice.updated',
      changes: [{ field: 'po_number', from: null, to: invoicePo }],
    })),
  );
}

/**
 * Stores the suggestions of denied and short-paid claims.
 * @returns the ids of the new suggestions, by command id
 */
async function storeSuggestions(
  tx: Transaction,
  recorded: readonly RecordedClaim[],
): Promise<Map<string, string>> {
  const drafts = recorded.flatMap(({ command, suggestion }) =>
    suggestion ? [{ command, row: buildSuggestion(command, suggestion) }] : [],
  );
  const inserted = await insertSuggestions(
    tx,
    drafts.map(({ row }) => row),
  );
  const created = drafts.filter(({ row }) => inserted.has(refKey(row)));
  await auditSideEffects(
    tx,
    created.map(
      ({ command, row }): AuditedSideEffect => ({
        command,
        entityType: 'suggestion',
        entityId: row.id,
        action: 'suggestion.created',
        changes: [{ field: 'title', from: null, to: row.title }],
      }),
    ),
  );
  return new Map(created.map(({ command, row }) => [command.id, row.id]));
}
