import { findStorageItem } from '../../../billing/compute-work-order-price.js';
import { formatCount, formatDollars } from '../../../billing/phrases.js';
import type { Thresholds } from './catalogue.js';
import type { DetectionSubject } from './facts.js';
import type { SuggestionDraft } from './kinds.js';

/**
 * The confidence if no day of storage was billed, and if some days were. In the second case, a
 * person looked at the storage, and may have left days out on purpose.
 */
const CONFIDENCE = { none: 0.95, some: 0.85 } as const;

/**
 * Finds days of storage that the rules of a released impound charge and no invoice has. An impound
 * released without a charge owes none.
 */
export function findUnbilledStorage(
  { job, impound, cardItems }: DetectionSubject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  // An invoice without line items is still being written.
  if (!impound?.is_due || !impound.is_newest_invoice || job.lines.length === 0) return undefined;
  const { charged_days: charged, invoiced_days: invoiced, daily_rate_cents: rate } = impound;
  const days = charged - invoiced;
  if (impound.is_billed_otherwise || rate <= 0 || days < thresholds.missed_storage_days) return undefined;
  const cents = days * rate;
  const item = findStorageItem(cardItems ?? [], job.service_type);
  return {
    kind: 'missed_fee',
    detector: 'missed_storage_days',
    entity_type: 'invoice',
    entity_id: job.invoice_id,
    occasion: `${charged}/${invoiced}`,
    invoice_id: job.invoice_id,
    title: invoiced === 0 ? 'Storage was not billed' : 'Not all days of storage were billed',
    rationale: `The vehicle was released after ${formatCount(charged, 'day')} of storage to charge, at ${formatDollars(rate)} a day. ${invoiced} of them were billed; ${formatCount(days, 'day')} for ${formatDollars(cents)} ${days === 1 ? 'is' : 'are'} missing.`,
    amount_cents: cents,
    confidence: invoiced === 0 ? CONFIDENCE.none : CONFIDENCE.some,
    proposed_lines: [
      {
        name: item?.name ?? 'Storage',
        description: null,
        category: 'storage',
        quantity: days,
        unit_type: 'day',
        unit_price_cents: rate,
        total_cents: cents,
        taxable: item?.taxable ?? false,
      },
    ],
  };
}
