import type { ClaimOutcome } from '../../contracts/generated.js';
import { isWithCustomer } from '../invoices/transitions.js';
import type { SuggestionDraft } from '../suggestions/kinds.js';
import { dollars } from '../suggestions/phrases.js';
import type { ClaimCourse } from './claim-row.js';
import { type DenialFacts, ruleFor } from './denial-rules.js';
import { MAX_ATTEMPTS, REBILLED, REFUSED } from './transitions.js';

const RESPOND_DAYS = 30;
const DAY_MS = 86_400_000;

/** What a denial comes to beside the claim's own course. */
export interface Denied {
  /** A PO that the invoice lacks. */
  invoicePo: string | undefined;
  suggestion: SuggestionDraft | undefined;
}

/**
 * Takes a denial: where a rule knows what to change, the claim is corrected and goes out again at once; else its invoice waits for a person, with a suggestion of
 * what answers it (decisions 9).
 */
export function deny(
  course: ClaimCourse,
  { code, reason }: Pick<ClaimOutcome, 'code' | 'reason'>,
  { facts, now }: { facts: DenialFacts; now: string },
): Denied {
  const respondBy = new Date(Date.parse(now) + RESPOND_DAYS * DAY_MS).toISOString();
  course.move('denied', 'P', {
    denial_code: code ?? null,
    denial_reason: reason ?? null,
    respond_by: respondBy,
  });
  const rule = ruleFor(code ?? null);
  const correction = rule.correct?.(course.row, facts);
  // What was annulled, paid or taken back meanwhile goes nowhere by itself, as it could not by hand.
  const { status } = course.invoice;
  const mayGoOut = course.row.attempt < MAX_ATTEMPTS && isWithCustomer(status) && status !== 'paid';
  if (!correction || !mayGoOut) {
    course.moveInvoice(REFUSED[course.invoice.status] ?? []);
    return { invoicePo: undefined, suggestion: suggestionOf(course, facts) };
  }
  course.set({ ...correction });
  course.askForOwed();
  course.move('rebilling', 'S');
  course.moveInvoice(REBILLED[course.invoice.status] ?? []);
  course.move('submitted', 'S', { submitted_at: now, attempt: course.row.attempt + 1, respond_by: null });
  const lacksPo = correction.po_number !== undefined && facts.po_number === null;
  return { invoicePo: lacksPo ? correction.po_number : undefined, suggestion: undefined };
}

function suggestionOf({ row }: ClaimCourse, facts: DenialFacts): SuggestionDraft {
  const { advice, propose } = ruleFor(row.denial_code);
  const lines = propose?.(facts) ?? [];
  const isLast = row.attempt >= MAX_ATTEMPTS;
  const said = row.denial_reason ? ` (“${row.denial_reason}”)` : '';
  const next = isLast ? 'It was the last attempt: withdraw the claim and bill somebody else' : advice;
  return {
    kind: 'denial',
    detector: 'claim_denied',
    entity_type: 'claim',
    entity_id: row.id,
    occasion: `attempt ${row.attempt}`,
    invoice_id: row.invoice_id,
    title: `Denied: ${row.denial_code ?? 'no code given'}`,
    rationale: `${row.club} denied attempt ${row.attempt} of ${MAX_ATTEMPTS} over ${dollars(row.expected_cents)}${said}. ${next}. Answer by ${row.respond_by?.slice(0, 10)}.`,
    amount_cents: Math.max(0, row.expected_cents - row.paid_cents),
    confidence: lines.length > 0 ? 0.9 : 0.5,
    proposed_lines: isLast ? [] : lines,
  };
}

/** What is missing of a claim that was paid short. */
export function shortPaid({ row }: ClaimCourse): SuggestionDraft {
  const missing = row.expected_cents - row.paid_cents;
  return {
    kind: 'denial',
    detector: 'claim_short_paid',
    entity_type: 'claim',
    entity_id: row.id,
    occasion: '',
    invoice_id: row.invoice_id,
    title: 'The club paid less than was claimed',
    rationale: `${row.club} paid ${dollars(row.paid_cents)} of ${dollars(row.expected_cents)}; ${dollars(missing)} are missing. Ask the club for the rest, or bill the motorist for it.`,
    amount_cents: missing,
    confidence: 0.9,
    proposed_lines: [],
  };
}
