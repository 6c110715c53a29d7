import { bookedPaymentRecords } from '../books/booked-payments.js';
import { customerRecords } from '../books/customers.js';
import { invoiceRecords } from '../books/invoices.js';
import { claimRecords } from '../clubs/claims.js';
import { autopayRecords } from '../records/autopay.js';
import { disputeRecords } from '../records/disputes.js';
import { messageRecords } from '../records/messages.js';
import { payLinkRecords } from '../records/pay-links.js';
import { paymentRecords } from '../records/payments.js';
import { payoutItemRecords, payoutRecords } from '../records/payouts.js';
import { readerRecords } from '../records/readers.js';
import type { RecordKind } from '../records/record-kind.js';
import { refundRecords } from '../records/refunds.js';
import { savedMethodRecords } from '../records/saved-methods.js';
import { terminalCheckRecords, terminalPaymentRecords } from '../records/terminal-payments.js';
import { inspectionRecords } from '../telematics/inspections.js';

/** Maps the `kind` of an outbound operation to the code that writes and pulls such records. */
const RECORD_KINDS: Readonly<Record<string, RecordKind>> = {
  message: messageRecords,
  pay_link: payLinkRecords,
  payment: paymentRecords,
  refund: refundRecords,
  dispute: disputeRecords,
  saved_method: savedMethodRecords,
  autopay_attempt: autopayRecords,
  payout: payoutRecords,
  payout_items: payoutItemRecords,
  terminal_payment: terminalPaymentRecords,
  terminal_check: terminalCheckRecords,
  terminal_reader: readerRecords,
  customer: customerRecords,
  invoice: invoiceRecords,
  booked_payment: bookedPaymentRecords,
  inspection: inspectionRecords,
  claim: claimRecords,
};

/**
 * The kinds that this worker can write. Operations of other kinds wait for a worker of a newer
 * version.
 */
export const KNOWN_KINDS = Object.keys(RECORD_KINDS);

/** The kinds of which one step may write several records at the same time. */
export const TOGETHER_KINDS = KNOWN_KINDS.filter((name) => RECORD_KINDS[name]?.isWrittenTogether);

/**
 * Maximum number of records that a step writes at the same time. With a vendor that answers within
 * 200 ms, that is 100 a second.
 */
export const MAX_TOGETHER = 64;

/** @throws {Error} if this version does not know the kind */
export function findRecordKind(name: string): RecordKind {
  const found = RECORD_KINDS[name];
  if (!found) throw new Error(`unknown kind of records ${name}`);
  return found;
}

/** Maps a stream to the kind of records that it changes. */
const STREAM_KINDS: Readonly<Record<string, string>> = {
  messages: 'message',
  payments: 'payment',
  refunds: 'refund',
  disputes: 'dispute',
  payment_methods: 'saved_method',
  payouts: 'payout',
  readers: 'terminal_reader',
  customers: 'customer',
  invoices: 'invoice',
  booked_payments: 'booked_payment',
  inspections: 'inspection',
  claims: 'claim',
};

export function findStreamKind(stream: string): RecordKind {
  return findRecordKind(STREAM_KINDS[stream] ?? stream);
}

/** @throws {Error} if no stream changes records of the kind */
export function findKindStream(kind: string): string {
  const found = Object.entries(STREAM_KINDS).find(([, name]) => name === kind);
  if (!found) throw new Error(`no stream of ${kind}`);
  return found[0];
}
