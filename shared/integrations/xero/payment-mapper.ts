import type { BookPayment, BookPaymentState } from '../contract/accounting.js';
import { toCents } from '../contract/books/money.js';
import { buildOwnNote, readOwnNote } from '../contract/books/own-note.js';
import type { Change } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import { parseDay } from './api/dates.js';
import type { XeroRecord } from './api/pages.js';

export interface XeroPayment extends XeroRecord {
  PaymentID: string;
  Status?: string;
  Date?: string;
  Amount?: number;
  Reference?: string;
  Invoice?: { InvoiceID?: string };
}

/** The part of the reference that a person has entered. Our note needs the rest. */
const MAX_REFERENCE = 150;
const SEPARATOR = ' · ';

/** Builds the reference of a payment, with our id. People cannot change it in Xero. */
export function buildReference({ reference, paymentId }: BookPayment): string {
  const note = buildOwnNote('payment', paymentId);
  return reference ? `${reference.slice(0, MAX_REFERENCE)}${SEPARATOR}${note}` : note;
}

function readReference(text: string | undefined, paymentId: string | null): string | null {
  if (paymentId === null) return text || null;
  const [own = ''] = (text ?? '').split(buildOwnNote('payment', paymentId));
  return (own.endsWith(SEPARATOR) ? own.slice(0, -SEPARATOR.length) : own) || null;
}

export function toChange({
  PaymentID,
  Status,
  Date: day,
  Amount,
  Reference,
  Invoice,
}: XeroPayment): Change<BookPaymentState> {
  const paymentId = readOwnNote('payment', Reference);
  const isDeleted = Status === 'DELETED';
  const amountCents = isDeleted ? 0 : toCents(Amount);
  const invoiceExternalId = Invoice?.InvoiceID;
  const fields: BookPaymentState = {
    paymentId,
    amountCents,
    allocations: isDeleted || invoiceExternalId === undefined ? [] : [{ invoiceExternalId, amountCents }],
    status: isDeleted ? 'deleted' : 'open',
    day: parseDay(day),
    reference: readReference(Reference, paymentId),
  };
  return { kind: 'booked_payment', externalId: PaymentID, version: fingerprint(fields), fields };
}
