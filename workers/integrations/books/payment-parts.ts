import type { BookPaymentState } from '../../../shared/integrations/contract/accounting.js';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import { BOOKED_PAYMENT_KIND } from '../../../shared/resources/books/kinds.js';
import {
  findBookedInvoices,
  findBookedParts,
  findOwnPayments,
} from '../../../shared/resources/books/queries.js';
import type { Step } from '../vendor/step.js';

/**
 * The part of a payment in the books that counts for one invoice. A payment here belongs to one
 * invoice, and one in the books may be for several.
 */
export interface PaymentPart {
  /** Our invoice; null if the part is for an invoice that is only in the books. */
  invoiceId: string | null;
  /** Our payment; null if the part was made in the books. */
  ownId: string | null;
  /** Our payment that the record names, also if another record is linked to it. */
  namedId: string | null;
  /** True if the books use a payment of ours for this invoice, which it was not made for here. */
  isReused: boolean;
  /** What counts for the invoice. 0 if the payment is void, or counts for it no longer. */
  amountCents: number;
  /** RFC 3339 */
  paidAt: string;
  reference: string | null;
}

/** Splits changed payments into the parts that concern our invoices, or did so before. */
export async function splitPayments(
  step: Step,
  changes: readonly Change<BookPaymentState>[],
): Promise<Change<PaymentPart>[]> {
  if (changes.length === 0) return [];
  const { db, connection } = step;
  const invoiceIds = changes.flatMap(({ fields }) =>
    fields.allocations.map(({ invoiceExternalId }) => invoiceExternalId),
  );
  const [known, invoices, own] = await Promise.all([
    findBookedParts(
      db,
      connection,
      changes.map(({ externalId }) => externalId),
    ),
    findBookedInvoices(db, connection, invoiceIds),
    findOwnPayments(
      db,
      connection,
      changes.flatMap(({ fields: { paymentId } }) => paymentId ?? []),
    ),
  ]);
  return changes.flatMap((change) => {
    const { fields } = change;
    const ours = fields.paymentId === null ? undefined : own.get(fields.paymentId);
    // Anybody can copy a payment with its note. Only the one that we have written is ours.
    const isOwn = ours && (ours.part === null || ours.part.startsWith(`${change.externalId}/`));
    const before = known.flatMap((part) => {
      const [payment, invoice = ''] = part.split('/');
      return payment === change.externalId ? [invoice] : [];
    });
    const now = fields.allocations
      .map(({ invoiceExternalId }) => invoiceExternalId)
      .filter((id) => invoices.has(id));
    return [...new Set([...before, ...now])].map((invoiceExternalId) => {
      const invoiceId = invoices.get(invoiceExternalId) ?? null;
      const isOurs = isOwn && invoiceId === ours.invoiceId;
      return joinPart(change, {
        invoiceExternalId,
        invoiceId,
        ownId: isOurs ? fields.paymentId : null,
        namedId: ours ? fields.paymentId : null,
        isReused: isOwn === true && !isOurs,
      });
    });
  });
}

/** Builds the part of a payment for one invoice. */
export function joinPart(
  { externalId, version, fields }: Change<BookPaymentState>,
  {
    invoiceExternalId,
    ...ours
  }: { invoiceExternalId: string } & Pick<PaymentPart, 'invoiceId' | 'ownId' | 'namedId' | 'isReused'>,
): Change<PaymentPart> {
  const { allocations, status, day, reference } = fields;
  const part = allocations.find((one) => one.invoiceExternalId === invoiceExternalId);
  return {
    kind: BOOKED_PAYMENT_KIND,
    externalId: `${externalId}/${invoiceExternalId}`,
    version,
    fields: {
      ...ours,
      amountCents: status === 'open' ? (part?.amountCents ?? 0) : 0,
      paidAt: day ? new Date(`${day}T12:00:00Z`).toISOString() : new Date().toISOString(),
      reference,
    },
  };
}
