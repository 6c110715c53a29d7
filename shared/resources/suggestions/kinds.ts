import type { Suggestion } from '../../contracts/generated.js';

/** Closed, as `ai.suggestion.created` publishes them (decisions 8). */
export const SUGGESTION_KINDS = ['missed_fee', 'denial', 'anomaly'] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];

/** `expired`: what it was about is settled, or no longer so. */
export const SUGGESTION_STATUSES = ['open', 'accepted', 'dismissed', 'expired'] as const;
export type SuggestionStatus = (typeof SUGGESTION_STATUSES)[number];

export const SUGGESTION_ENTITIES = ['invoice', 'work_order', 'claim'] as const;
export type SuggestionEntity = (typeof SUGGESTION_ENTITIES)[number];

/** What a detector or a denial has to say. */
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
  /** Tells apart what can happen to one entity more than once. */
  occasion: string;
}
