import { formatDollars } from '../../billing/phrases.js';
import type { ClaimOutcome } from '../../contracts/generated.js';
import { isVisibleToCustomer } from '../invoices/transitions.js';
import type { SuggestionDraft } from '../suggestions/detectors/kinds.js';
import type { ClaimChangeSet } from './claim-row.js';
import { type DenialFacts, findDenialRule } from './denial-rules.js';
import { sendToPartner } from './partner-moves.js';
import { INVOICE_STEPS_ON_DENIAL, INVOICE_STEPS_ON_REBILL, MAX_CLAIM_ATTEMPTS } from './transitions.js';

const RESPOND_DAYS = 30;
const DAY_MS = 86_400_000;

/** The effects of a denial that are not part of the {@link ClaimChangeSet}. */
export interface DenialResult {
  /**
   * The PO number to store on the invoice. Undefined if none was found, or if the invoice already
   * has one.
   */
  invoicePo: string | undefined;
  suggestion: SuggestionDraft | undefined;
}

/**
 * Applies a denial. If a rule can correct the claim and the claim may be sent again, sends the
 * corrected claim immediately. Otherwise a person reviews the invoice, with a suggestion that says
 * how to answer the denial (docs/decisions.md §9).
 */
export function applyDenial(
  course: ClaimChangeSet,
  { code, reason }: Pick<ClaimOutcome, 'code' | 'reason'>,
  { facts, now }: { facts: DenialFacts; now: string },
): DenialResult {
  const respondBy = new Date(Date.parse(now) + RESPOND_DAYS * DAY_MS).toISOString();
  course.move('denied', 'P', {
    denial_code: code ?? null,
    denial_reason: reason ?? null,
    respond_by: respondBy,
  });
  const rule = findDenialRule(code ?? null);
  const correction = rule.correct?.(course.row, facts);
  // The invoice may have been voided, paid or returned for editing since the claim was sent. Then
  // the claim cannot be sent again.
  const { status } = course.invoice;
  const canSendAgain =
    course.row.attempt < MAX_CLAIM_ATTEMPTS &&
    isVisibleToCustomer(status) &&
    status !== 'paid' &&
    (!course.hasPartner || course.isConnected);
  if (!correction || !canSendAgain) {
    course.moveInvoice(INVOICE_STEPS_ON_DENIAL[course.invoice.status] ?? []);
    return { invoicePo: undefined, suggestion: buildDenialSuggestion(course, facts) };
  }
  course.set({ ...correction });
  course.limitExpectedToOwed();
  course.move('rebilling', 'S');
  const steps = INVOICE_STEPS_ON_REBILL[course.invoice.status] ?? [];
  if (course.hasPartner) sendToPartner(course, steps);
  else {
    course.moveInvoice(steps);
    course.move('submitted', 'S', { submitted_at: now, attempt: course.row.attempt + 1, respond_by: null });
  }
  const lacksPo = correction.po_number !== undefined && facts.po_number === null;
  return { invoicePo: lacksPo ? correction.po_number : undefined, suggestion: undefined };
}

function buildDenialSuggestion({ row }: ClaimChangeSet, facts: DenialFacts): SuggestionDraft {
  const { advice, propose } = findDenialRule(row.denial_code);
  const lines = propose?.(facts) ?? [];
  const isLast = row.attempt >= MAX_CLAIM_ATTEMPTS;
  const quotedReason = row.denial_reason ? ` (“${row.denial_reason}”)` : '';
  const next = isLast ? 'This was the last attempt. Withdraw the claim and bill another payer' : advice;
  return {
    kind: 'denial',
    detector: 'claim_denied',
    entity_type: 'claim',
    entity_id: row.id,
    occasion: `attempt ${row.attempt}`,
    invoice_id: row.invoice_id,
    title: `Denied: ${row.denial_code ?? 'no code given'}`,
    rationale: `${row.club} denied attempt ${row.attempt} of ${MAX_CLAIM_ATTEMPTS} over ${formatDollars(row.expected_cents)}${quotedReason}. ${next}. Answer by ${row.respond_by?.slice(0, 10)}.`,
    amount_cents: Math.max(0, row.expected_cents - row.paid_cents),
    confidence: lines.length > 0 ? 0.9 : 0.5,
    proposed_lines: isLast ? [] : lines,
  };
}

export function buildShortPaidSuggestion({ row }: ClaimChangeSet): SuggestionDraft {
  const missing = row.expected_cents - row.paid_cents;
  return {
    kind: 'denial',
    detector: 'claim_short_paid',
    entity_type: 'claim',
    entity_id: row.id,
    occasion: '',
    invoice_id: row.invoice_id,
    title: 'The club paid less than was claimed',
    rationale: `${row.club} paid ${formatDollars(row.paid_cents)} of ${formatDollars(row.expected_cents)}; ${formatDollars(missing)} are missing. Ask the club for the rest, or bill the motorist for it.`,
    amount_cents: missing,
    confidence: 0.9,
    proposed_lines: [],
  };
}
