import { formatCount, formatDollars } from '../../../billing/phrases.js';
import type { Thresholds } from './catalogue.js';
import type { DetectionSubject } from './facts.js';
import type { SuggestionDraft } from './kinds.js';

/**
 * The confidence if the two invoices share the work order or the vehicle. A work order may have
 * several invoices, and a vehicle may be towed twice, but the totals are then rarely equal.
 */
const CONFIDENCE = { job: 0.95, vehicle: 0.85 } as const;

export function findDuplicate(
  { job, possibleDuplicates }: DetectionSubject,
  thresholds: Thresholds,
): SuggestionDraft | undefined {
  const close = possibleDuplicates.filter((twin) => twin.days_apart <= thresholds.duplicate_invoice);
  const twin = close.find((one) => one.shares === 'job') ?? close[0];
  if (!twin) return undefined;
  const shared = twin.shares === 'job' ? 'the same job' : 'the same customer and vehicle';
  const apart = twin.days_apart === 0 ? 'on the same day' : `${formatCount(twin.days_apart, 'day')} earlier`;
  return {
    kind: 'anomaly',
    detector: 'duplicate_invoice',
    entity_type: 'invoice',
    entity_id: job.invoice_id,
    occasion: '',
    invoice_id: job.invoice_id,
    title: 'This may be a duplicate',
    rationale: `Invoice ${twin.invoice_number} bills ${shared} the same total of ${formatDollars(twin.total_cents)}, ${apart}.`,
    amount_cents: twin.total_cents,
    confidence: CONFIDENCE[twin.shares],
    proposed_lines: [],
  };
}
