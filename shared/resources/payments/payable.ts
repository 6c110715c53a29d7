import type { CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { type InvoiceState, mayMove, refuseInvoiceMove } from '../invoices/handlers/lifecycle.js';

/** The facts that decide how much a customer may pay now through a vendor. */
export interface PayableFacts {
  invoice: InvoiceState & { total_cents: number };
  /** The sum of the bank debits that customers have started and that have not arrived yet. */
  processingCents: number;
  allowsPartialPayments: boolean;
}

/**
 * Returns the amount that a customer is to pay through a vendor: the amount in the request or,
 * without one, the balance of the invoice. Returns a failed outcome if the invoice or the amount
 * does not allow the payment.
 */
export function planAmount(
  { invoice, processingCents, allowsPartialPayments }: PayableFacts,
  wantedCents: number | undefined,
): number | CommandOutcome {
  if (!mayMove(invoice, 'paid', 'P'))
    return refuseInvoiceMove(invoice, 'paid', `An invoice that is ${invoice.status} cannot be paid online.`);
  const payableCents = invoice.total_cents - invoice.paid_cents - processingCents;
  if (payableCents <= 0)
    return refuseInvoiceMove(invoice, 'paid', 'A payment of the whole balance is already processing.');
  const amountCents = wantedCents ?? payableCents;
  return checkAmount(amountCents, payableCents, allowsPartialPayments) ?? amountCents;
}

function checkAmount(
  amountCents: number,
  payableCents: number,
  isPartial: boolean,
): CommandOutcome | undefined {
  if (amountCents === payableCents || (amountCents < payableCents && isPartial)) return undefined;
  const isTooMuch = amountCents > payableCents;
  const message = isTooMuch
    ? `amount_cents is more than the invoice owes: ${payableCents}`
    : `amount_cents must be what the invoice owes, ${payableCents}: the connection does not allow partial payments`;
  return failedOutcome({
    code: 'validation_error',
    message: `${message}.`,
    details: [{ field: 'amount_cents', code: isTooMuch ? 'max' : 'only', message }],
  });
}

/** Returns the sums of the payments that are processing, by invoice. */
export async function sumProcessingPayments(
  tx: Transaction,
  refs: readonly RecordRef[],
): Promise<Map<string, number>> {
  const rows = await tx.query<RecordRef & { cents: number }>({
    name: 'sum-processing-payments',
    text: `select p.tenant_id, p.invoice_id as id, sum(p.amount_cents)::float8 as cents from ${recordsetSql('tenant_id uuid, id uuid')}
           join payments p on p.tenant_id = r.tenant_id and p.invoice_id = r.id and p.status = 'processing' group by 1, 2`,
    values: [JSON.stringify(refs)],
  });
  return new Map(rows.map((row) => [refKey(row), row.cents]));
}
