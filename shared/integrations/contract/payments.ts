import type { Change, OpenConnection, Written } from './connection.js';
import type { WriteAttempt } from './messaging.js';
import type { ListedReadings, OpenedPage, Readings } from './readings.js';
import type { SavedMethods } from './saved-methods.js';
import type { Terminal } from './terminal.js';

/**
 * Takes payments through one vendor. Each member is one subject, and a vendor omits what it does
 * not offer. Nothing here keeps state. The currency is US dollars, and amounts are cents.
 */
export interface PaymentsAdapter {
  pages: PayPages;
  charges: Charges;
  refunds: Refunds;
  disputes: Disputes;
  savedMethods: SavedMethods;
  payouts: Payouts;
  /** Set if the vendor drives card readers. */
  terminal?: Terminal;
}

/** A page at the vendor where a customer pays one invoice. */
export interface PayPage {
  payLinkId: string;
  invoiceId: string;
  /** The line on the page that says what is paid. */
  title: string;
  amountCents: number;
  customerEmail: string | null;
  /** Where the vendor sends the customer back, after the payment or without one. */
  returnUrl: string;
}

export interface PayPages {
  open(connection: OpenConnection, page: PayPage, attempt: WriteAttempt): Promise<OpenedPage>;
  /**
   * Closes a page, so that nobody can pay on it any more.
   * @returns false if the page was already paid, or had expired
   */
  close(connection: OpenConnection, externalId: string): Promise<boolean>;
}

/** What the vendor knows about one payment. */
export interface PaymentState {
  /** Null if the payment was not made for an invoice of ours. */
  invoiceId: string | null;
  payLinkId: string | null;
  terminalPaymentId: string | null;
  /**
   * - `open`: nothing was paid yet.
   * - `processing`: the customer has paid, but the money may still fail to arrive (bank debits).
   */
  status: 'open' | 'processing' | 'succeeded' | 'failed';
  amountCents: number;
  method: 'card' | 'ach' | 'other';
  /** The vendor's fee; null while the vendor does not state it. */
  feeCents: number | null;
  failureReason: string | null;
  /** RFC 3339: when the customer paid. */
  paidAt: string;
}

export type Charges = ListedReadings<PaymentState>;

/** A refund to pay out. */
export interface RefundOrder {
  refundId: string;
  /** The vendor's id of the payment. */
  paymentExternalId: string;
  amountCents: number;
}

/** What the vendor knows about one refund. */
export interface RefundState {
  /** The id of our refund; null if the refund was made at the vendor. */
  refundId: string | null;
  paymentExternalId: string;
  status: 'pending' | 'succeeded' | 'failed';
  amountCents: number;
  failureReason: string | null;
}

export interface Refunds extends ListedReadings<RefundState> {
  create(
    connection: OpenConnection,
    refund: RefundOrder,
    attempt: WriteAttempt,
  ): Promise<Change<RefundState>>;
}

/** What the vendor knows about a payment that the customer's bank takes back, or wants to. */
export interface DisputeState {
  paymentExternalId: string;
  amountCents: number;
  /** The bank's reason, as the vendor names it, such as `fraudulent`. */
  reason: string;
  /** `open` until the vendor's decision: `won` or `lost`. */
  status: 'open' | 'won' | 'lost';
  /** RFC 3339: until when evidence may be sent; null if none is asked for. */
  respondBy: string | null;
  /** True if a bank debit came back. Such a return cannot be contested. */
  isReturn: boolean;
}

/** What the account holds about the disputed work. */
export interface DisputeEvidence {
  customerName: string | null;
  customerEmail: string | null;
  /** What was done, where and when, in sentences. */
  description: string;
  /** The day of the work, as YYYY-MM-DD. */
  serviceDate: string | null;
  /** Everything else: the log of steps, and what the account adds. */
  text: string;
  files: readonly EvidenceFile[];
}

/** A PDF that proves the work. */
export interface EvidenceFile {
  kind: 'invoice' | 'photos';
  name: string;
  data: Buffer;
}

export interface Disputes extends ListedReadings<DisputeState> {
  /** Sends evidence, which the vendor accepts only once. */
  respond(
    connection: OpenConnection,
    dispute: { externalId: string; evidence: DisputeEvidence },
    attempt: WriteAttempt,
  ): Promise<Written>;
}

/** What the vendor knows about one transfer of the account's balance to its bank. */
export interface PayoutState {
  /** Negative if the vendor collects money from the bank. */
  amountCents: number;
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';
  /** The day on which the bank gets the money, as YYYY-MM-DD. */
  arrivalDate: string;
  failureReason: string | null;
  /** Whether the vendor names what the payout contains: not yet, now, or never. */
  items: 'pending' | 'ready' | 'unavailable';
  /** RFC 3339 */
  createdAt: string;
}

/** One movement of the vendor's balance that a payout contains. */
export interface PayoutItem {
  externalId: string;
  type: 'payment' | 'refund' | 'dispute' | 'fee' | 'other';
  /** Before the fee; negative if money left. */
  amountCents: number;
  feeCents: number;
  description: string | null;
  /** The vendor's id of the payment; null if the item belongs to none. */
  paymentExternalId: string | null;
  /** The vendor's id of the refund or dispute. */
  sourceExternalId: string | null;
  /** RFC 3339 */
  createdAt: string;
}

export interface Payouts extends Readings<PayoutState> {
  /**
   * Reads one page of what a payout contains.
   * @param from.after the `next` of the page before; null for the first page
   */
  listItems(
    connection: OpenConnection,
    from: { externalId: string; after: string | null },
  ): Promise<{ items: PayoutItem[]; next: string | null }>;
}
