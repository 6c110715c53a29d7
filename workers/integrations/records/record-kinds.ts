import { autopayRecords } from './autopay.js';
import { disputeRecords } from './disputes.js';
import { messageRecords } from './messages.js';
import { payLinkRecords } from './pay-links.js';
import { paymentRecords } from './payments.js';
import { payoutItemRecords, payoutRecords } from './payouts.js';
import { readerRecords } from './readers.js';
import type { RecordKind } from './record-kind.js';
import { refundRecords } from './refunds.js';
import { savedMethodRecords } from './saved-methods.js';
import { terminalCheckRecords, terminalPaymentRecords } from './terminal-payments.js';

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
};

/**
 * The kinds that this worker can write. Operations of other kinds wait for a worker of a newer
 * version.
 */
export const KNOWN_KINDS = Object.keys(RECORD_KINDS);

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
};

export function findStreamKind(stream: string): RecordKind {
  return findRecordKind(STREAM_KINDS[stream] ?? stream);
}
