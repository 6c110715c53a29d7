import type { Transaction } from '../../../platform/postgres/database.js';
import { recordsetSql } from '../../../records/record-refs.js';
import { isDetector } from '../detectors/catalogue.js';
import type { SuggestionDraft, SuggestionStatus } from '../detectors/kinds.js';

/** Stands in an occasion before the number of times that the finding has expired. */
const RETURN_MARK = '#';

export interface KnownSuggestion {
  id: string;
  detector: string;
  entity_id: string;
  occasion: string;
  status: SuggestionStatus;
}

export function readKnownSuggestions(
  tx: Transaction,
  tenantId: string,
  invoiceIds: readonly string[],
): Promise<KnownSuggestion[]> {
  return tx.query<KnownSuggestion>({
    name: 'known-suggestions',
    text: `select s.id, s.detector, s.entity_id, s.occasion, s.status from ${recordsetSql('tenant_id uuid, id uuid')}
           join suggestions s on s.tenant_id = r.tenant_id and s.invoice_id = r.id`,
    values: [JSON.stringify(invoiceIds.map((id) => ({ tenant_id: tenantId, id })))],
  });
}

/**
 * Returns the findings that are no suggestions yet, and the open suggestions that are no findings
 * any more. A finding with an occasion compares an invoice with a record. It comes back if its
 * suggestion expired only because the record differed meanwhile.
 */
export function compareWithKnown(
  found: readonly SuggestionDraft[],
  known: readonly KnownSuggestion[],
): { created: SuggestionDraft[]; outdated: KnownSuggestion[] } {
  const created = found.flatMap((draft) => {
    const same = known.filter((one) => isSame(one, draft));
    const expired = same.filter(({ status }) => status === 'expired').length;
    if (same.length > (draft.occasion === '' ? 0 : expired)) return [];
    return [expired === 0 ? draft : { ...draft, occasion: `${draft.occasion}${RETURN_MARK}${expired}` }];
  });
  const outdated = known.filter(
    (one) => one.status === 'open' && isDetector(one.detector) && !found.some((draft) => isSame(one, draft)),
  );
  return { created, outdated };
}

/** Suggestions of earlier releases have no occasion, so they match any. */
function isSame(known: KnownSuggestion, draft: SuggestionDraft): boolean {
  if (known.detector !== draft.detector || known.entity_id !== draft.entity_id) return false;
  return known.occasion === '' || known.occasion.split(RETURN_MARK)[0] === draft.occasion;
}
