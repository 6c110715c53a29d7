import type { Suggestion } from '../../../contracts/generated.js';

/** A closed list, as `ai.suggestion.created` publishes it (docs/decisions.md §8). */
export const SUGGESTION_KINDS = ['missed_fee', 'denial', 'anomaly'] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];

/** `expired`: its invoice is paid, void or cancelled, or the finding no longer applies. */
export const SUGGESTION_STATUSES = ['open', 'accepted', 'dismissed', 'expired'] as const;
export type SuggestionStatus = (typeof SUGGESTION_STATUSES)[number];

export const SUGGESTION_ENTITIES = ['invoice', 'work_order', 'claim'] as const;
export type SuggestionEntity = (typeof SUGGESTION_ENTITIES)[number];

/** A finding of a detector, or a denial. */
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
  /** Distinguishes findings that can occur more than once for one entity. */
  occasion: string;
}
