import type { CommandOutcome } from '../contracts/command.js';
import { failedOutcome } from '../records/outcomes.js';
import { MAX_INVOICE_TOTAL_CENTS } from './money.js';
import { formatCount } from './phrases.js';

/** Returns an error if an invoice's total is outside its limits (docs/decisions.md §5, Limits). */
export function checkInvoiceTotal(totalCents: number): CommandOutcome | undefined {
  if (totalCents >= 0 && totalCents <= MAX_INVOICE_TOTAL_CENTS) return undefined;
  const message =
    totalCents < 0
      ? 'The total of line_items must not be negative'
      : `The total of line_items must be at most ${MAX_INVOICE_TOTAL_CENTS} cents`;
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'line_items', code: totalCents < 0 ? 'negative_total' : 'total_too_large', message }],
  });
}

/**
 * Returns an error if an invoice's new total is less than what is already paid. A denied or
 * disputed invoice may have payments while its line items are still editable.
 */
export function checkTotalCoversPayments(
  { paid_cents: paid }: { paid_cents: number },
  totalCents: number,
): CommandOutcome | undefined {
  if (totalCents >= paid) return undefined;
  const message = `What is paid on this invoice, ${formatCount(paid, 'cent')}, is more than its new total of ${formatCount(totalCents, 'cent')}`;
  return failedOutcome({
    code: 'invoice_locked',
    message: `${message}. Refund the difference first.`,
    details: [{ field: 'line_items', code: 'below_paid', message }],
  });
}
