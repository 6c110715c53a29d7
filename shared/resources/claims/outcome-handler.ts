import type { Command, EventDraft, Outcome } from '../../contracts/command.js';
import type { ClaimOutcome } from '../../contracts/generated.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres.js';
import { type AlsoAudited, auditAlso } from '../audit-also.js';
import { createPayments } from '../payments/handlers.js';
import { failed, nextUpdatedAt, recordset, refKey, refOf } from '../sets.js';
import type { SuggestionDraft } from '../suggestions/kinds.js';
import { insertSuggestions, newSuggestion } from '../suggestions/store.js';
import { type ClaimCourse, illegalClaimMove } from './claim-row.js';
import { lockCourses, storeCourses } from './courses.js';
import { readDenialFacts } from './denial-facts.js';
import type { DenialFacts } from './denial-rules.js';
import { deny, shortPaid } from './deny.js';

type OutcomeCommand = Command<ClaimOutcome>;

/** A claim on its way, and what it brings along. */
interface Made {
  command: OutcomeCommand;
  course: ClaimCourse;
  events: EventDraft[];
  suggestion?: SuggestionDraft | undefined;
  invoicePo?: string | undefined;
}

/** Records what clubs say: payments by the money rules, denials with the rule that answers them. */
export async function recordClaimOutcomes(tx: Transaction, commands: OutcomeCommand[]): Promise<Outcome[]> {
  const { courseOf } = await lockCourses(tx, commands);
  const denied = commands.filter(({ input }) => input.outcome === 'denied').map(refOf);
  const facts = await readDenialFacts(tx, denied);
  const now = new Date().toISOString();
  const made: Made[] = [];
  const outcomes = new Map<string, Outcome>();
  for (const command of commands) {
    const course = courseOf(command);
    const one = 'ok' in course ? course : await takeOutcome(tx, { command, course, facts, now });
    if ('ok' in one) outcomes.set(command.id, one);
    else made.push(one);
  }
  await storeCourses(tx, made);
  await storePos(tx, made);
  const suggestions = await suggest(tx, made);
  for (const { command, course, events } of made) {
    const suggested = suggestions.get(command.id);
    const told: EventDraft[] = suggested
      ? [{ type: 'ai.suggestion.created', entity: { type: 'suggestion', id: suggested } }]
      : [];
    outcomes.set(command.id, { ok: true, changes: course.changes, events: [...events, ...told] });
  }
  return commands.map((command) => outcomes.get(command.id) as Outcome);
}

interface Taking {
  command: OutcomeCommand;
  course: ClaimCourse;
  facts: Map<string, DenialFacts>;
  now: string;
}

async function takeOutcome(
  tx: Transaction,
  { command, course, facts, now }: Taking,
): Promise<Made | Outcome> {
  const { outcome, reason } = command.input;
  if (outcome === 'paid') return takePayment(tx, { command, course });
  if (course.row.status === outcome && outcome === 'accepted') return { ok: true, changes: [], events: [] };
  if (!course.mayMove(outcome, 'P')) return illegalClaimMove(course.row, outcome);
  if (outcome === 'accepted') {
    course.move('accepted', 'P', { status_reason: reason ?? null });
    return { command, course, events: [] };
  }
  const known = facts.get(refKey(refOf(command))) as DenialFacts;
  return { command, course, events: [], ...deny(course, command.input, { facts: known, now }) };
}

/** A payment of the invoice like any other; the claim follows what has come in. One at a time: clubs pay few claims of one batch. */
async function takePayment(
  tx: Transaction,
  { command, course }: { command: OutcomeCommand; course: ClaimCourse },
): Promise<Made | Outcome> {
  const { amount_cents: amount, reference, reason } = command.input;
  if (amount === undefined) {
    const message = 'amount_cents is required when the club has paid';
    return failed({
      code: 'validation_error',
      message: `${message}.`,
      details: [{ field: 'amount_cents', code: 'required', message }],
    });
  }
  const paidCents = course.row.paid_cents + amount;
  const isWhole = paidCents >= course.row.expected_cents;
  const to = isWhole ? 'paid' : 'short_paid';
  const isMore = course.row.status === 'short_paid' && !isWhole;
  if (!isMore && !course.mayMove(to, 'P')) return illegalClaimMove(course.row, to);
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
  const [taken] = await createPayments(tx, [payment]);
  if (!taken?.ok) return taken as Outcome;
  await auditAlso(tx, [
    {
      command,
      entityType: 'payment',
      entityId: payment.entityId,
      action: 'payment.created',
      changes: taken.changes,
    },
  ]);
  const fields = { paid_cents: paidCents, status_reason: reason ?? null };
  if (isMore) course.set(fields);
  else course.move(to, 'P', fields);
  return {
    command,
    course,
    events: taken.events,
    suggestion: to === 'short_paid' ? shortPaid(course) : undefined,
  };
}

/** Gives invoices the PO that was found for their claims. */
async function storePos(tx: Transaction, made: readonly Made[]): Promise<void> {
  const found = made.filter(({ invoicePo }) => invoicePo !== undefined);
  if (found.length === 0) return;
  const rows = found.map(({ course, invoicePo }) => ({
    tenant_id: course.invoice.tenant_id,
    id: course.invoice.id,
    po_number: invoicePo,
  }));
  await tx.query({
    name: 'set-invoice-pos',
    text: `update invoices t set po_number = r.po_number, updated_at = ${nextUpdatedAt('t')}
           from ${recordset('tenant_id uuid, id uuid, po_number text')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
  await auditAlso(
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

/** Makes the suggestions in the same transaction; by command, the ids of those that are new. */
async function suggest(tx: Transaction, made: readonly Made[]): Promise<Map<string, string>> {
  const drafts = made.flatMap(({ command, suggestion }) =>
    suggestion ? [{ command, row: newSuggestion(command, suggestion) }] : [],
  );
  const inserted = await insertSuggestions(
    tx,
    drafts.map(({ row }) => row),
  );
  const fresh = drafts.filter(({ row }) => inserted.has(refKey(row)));
  await auditAlso(
    tx,
    fresh.map(
      ({ command, row }): AlsoAudited => ({
        command,
        entityType: 'suggestion',
        entityId: row.id,
        action: 'suggestion.created',
        changes: [{ field: 'title', from: null, to: row.title }],
      }),
    ),
  );
  return new Map(fresh.map(({ command, row }) => [command.id, row.id]));
}
