import type { Outcome } from '../../contracts/command.js';
import { failed } from '../sets.js';
import { MAX_INVOICE_TOTAL_CENTS } from './money.js';

/** The bounds of an invoice's total (decisions 5, Limits), as an outcome when they are passed. */
export function totalFault(totalCents: number): Outcome | undefined {
  if (totalCents >= 0 && totalCents <= MAX_INVOICE_TOTAL_CENTS) return undefined;
  const message =
    totalCents < 0
      ? 'The total of line_items must not be negative'
      : `The total of line_items must be at most ${MAX_INVOICE_TOTAL_CENTS} cents`;
  return failed({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'line_items', code: totalCents < 0 ? 'negative_total' : 'total_too_large', message }],
  });
}

/** A denied or disputed invoice may hold money while its lines are open: it never comes to less than was paid. */
export function paidFault(
  { paid_cents: paid }: { paid_cents: number },
  totalCents: number,
): Outcome | undefined {
  if (totalCents >= paid) return undefined;
  const message = `${paid} cents are paid on this invoice, more than the ${totalCents} that it would come to`;
  return failed({
    code: 'invoice_locked',
    message: `${message}. Refund the difference first.`,
    details: [{ field: 'line_items', code: 'below_paid', message }],
  });
}
