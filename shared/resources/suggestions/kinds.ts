/** Closed, as `ai.suggestion.created` publishes them (decisions 8). */
export const SUGGESTION_KINDS = ['missed_fee', 'denial', 'anomaly'] as const;
export type SuggestionKind = (typeof SUGGESTION_KINDS)[number];

/** `expired`: what it was about is settled, or no longer so. */
export const SUGGESTION_STATUSES = ['open', 'accepted', 'dismissed', 'expired'] as const;
export type SuggestionStatus = (typeof SUGGESTION_STATUSES)[number];

export const SUGGESTION_ENTITIES = ['invoice', 'work_order', 'claim'] as const;
export type SuggestionEntity = (typeof SUGGESTION_ENTITIES)[number];

/** A line that would stand on the invoice. */
export interface ProposedLine {
  name: string;
  description: string | null;
  category: string;
  quantity: number;
  unit_type: string;
  unit_price_cents: number;
  total_cents: number;
  taxable: boolean;
}

/** What a detector or a denial has to say. */
export interface SuggestionDraft {
  kind: SuggestionKind;
  detector: string;
  entity_type: SuggestionEntity;
  entity_id: string;
  /** Tells apart what can happen to one entity more than once. */
  occasion: string;
  invoice_id: string | null;
  title: string;
  rationale: string;
  amount_cents: number;
  /** 0 to 1. */
  confidence: number;
  proposed_lines: ProposedLine[];
}
