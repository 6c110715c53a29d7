import type { Command, CommandOutcome, EventDraft } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { type AuditedSideEffect, auditSideEffects } from '../../audit-log/audit-side-effects.js';
import { storePoNumbers } from '../../invoices/handlers/store-invoices.js';
import { buildSuggestion, insertSuggestions } from '../../suggestions/store.js';
import { lockClaimChangeSets, storeClaimChangeSets } from '../claim-change-sets.js';
import { type ClaimChangeSet, illegalClaimMove } from '../claim-row.js';
import { readDenialFacts } from '../denial-facts.js';
import type { DenialFacts } from '../denial-rules.js';
import { applyDenial } from '../deny.js';
import { type ClubResponse, planPayment, type RecordedClaim, recordPayments } from './club-payments.js';

type OutcomeCommand = Command<ClubResponse>;

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
  apply(context: OutcomeContext<Input>): RecordedClaim | CommandOutcome;
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
  const changed: RecordedClaim[] = [];
  const outcomes = new Map<string, CommandOutcome>();
  for (const command of commands) {
    const course = findCourse(command);
    const result = 'ok' in course ? course : apply({ command, course, facts, now });
    if ('ok' in result) outcomes.set(command.id, result);
    else changed.push(result);
  }
  const recorded = await recordPayments(tx, changed, outcomes);
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

export function applyOutcome({
  command,
  course,
  facts,
  now,
}: OutcomeContext<ClubResponse>): RecordedClaim | CommandOutcome {
  const { outcome, reason } = command.input;
  if (outcome === 'paid') return planPayment(command, course);
  if (course.row.status === outcome && outcome === 'accepted') return { ok: true, changes: [], events: [] };
  if (!course.canMove(outcome, 'P')) return illegalClaimMove(course.row, outcome);
  if (outcome === 'accepted') {
    course.move('accepted', 'P', { status_reason: reason ?? null });
    return { command, course, events: [] };
  }
  const denialFacts = facts.get(refKey(toRecordRef(command))) as DenialFacts;
  return { command, course, events: [], ...applyDenial(course, command.input, { facts: denialFacts, now }) };
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
