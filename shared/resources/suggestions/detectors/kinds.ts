import type { Suggestion } from '../../../contracts/generated.js';

/**
 * The kinds of suggestions. The documentation of the event `ai.suggestion.created` lists exactly
 * these (docs/decisions.md §8).
 */
export const SUGGESTION_KINDS = ['missed_fee', 'denial', 'anomaly'] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];

/**
 * A suggestion becomes `expired` when its invoice is closed, or when the finding no longer applies.
 */
export const SUGGESTION_STATUSES = ['open', 'accepted', 'dismissed', 'expired'] as const;
export type SuggestionStatus = (typeof SUGGESTION_STATUSES)[number];

export const SUGGESTION_ENTITIES = ['invoice', 'work_order', 'claim'] as const;
export type SuggestionEntity = (typeof SUGGESTION_ENTITIES)[number];

/** The content of a suggestion: a finding of a detector, or the denial of a claim. */
export interface SuggestionDraft
  extends Pick<
    Suggestion,
    | 'kind'
    | 'detector'
    | 'entity_type'
    | 'entity_id'
    | 'invoice_id'
    | 'title'
    | 'rationale'
    | 'amount_cents'
    | 'confidence'
    | 'proposed_lines'
  > {
  /**
   * Distinguishes suggestions of the same detector about the same record. Of a detector that
   * compares an invoice with another record, it names what that record said.
   */
  occasion: string;
  /**
   * The subtotal for which the proposed line items were computed. Accepting is refused if the
   * invoice has another one. Absent if the line items are right for any subtotal.
   */
  invoice_subtotal_cents?: number;
}
