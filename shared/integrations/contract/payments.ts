import type { Change, OpenConnection, Written } from './connection.js';
import type { WriteAttempt } from './messaging.js';
import type { ListedReadings, OpenedPage, Readings } from './readings.js';
import type { SavedMethods } from './saved-methods.js';
import type { Terminal } from './terminal.js';

/**
 * Takes payments through one vendor. Each member covers one subject. A vendor omits the members
 * that it does not offer. Adapters keep no state. The currency is US dollars, and amounts are
 * cents.
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
  /** The text on the page that names the invoice. */
  title: string;
  amountCents: number;
  customerEmail: string | null;
  /**
   * The address to which the vendor sends the customer back, whether the customer has paid or not.
   */
  returnUrl: string;
}

export interface PayPages {
  open(connection: OpenConnection, page: PayPage, attempt: WriteAttempt): Promise<OpenedPage>;
  /**
   * Closes a page, so that customers can no longer pay on it.
   * @returns false if a customer had already paid on the page, or the page had expired
   */
  close(connection: OpenConnection, externalId: string): Promise<boolean>;
}

/** The state of one payment at the vendor. */
export interface PaymentState {
  /** Null if the payment does not belong to an invoice of this service. */
  invoiceId: string | null;
  payLinkId: string | null;
  terminalPaymentId: string | null;
  /**
   * - `open`: the customer has not paid yet.
   * - `processing`: the customer has paid by bank debit, and the debit may still fail.
   */
  status: 'open' | 'processing' | 'succeeded' | 'failed';
  amountCents: number;
  method: 'card' | 'ach' | 'other';
  /** The vendor's fee; null until the vendor reports it. */
  feeCents: number | null;
  failureReason: string | null;
  /** RFC 3339: the time at which the customer paid. */
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

/** The state of one refund at the vendor. */
export interface RefundState {
  /** Our id of the refund. Null if a person made the refund at the vendor. */
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

/**
 * The state of a dispute at the vendor. In a dispute, the customer's bank takes a payment back or
 * asks for it back.
 */
export interface DisputeState {
  paymentExternalId: string;
  amountCents: number;
  /** The bank's reason, as the vendor names it, such as `fraudulent`. */
  reason: string;
  /** `open` until the vendor decides. After that, the account has `won` or `lost` the dispute. */
  status: 'open' | 'won' | 'lost';
  /** RFC 3339: the deadline for evidence; null if the vendor asks for no evidence. */
  respondBy: string | null;
  /** True if a bank debit came back. Such a return cannot be contested. */
  isReturn: boolean;
}

/** The records of the account that prove the disputed work. */
export interface DisputeEvidence {
  customerName: string | null;
  customerEmail: string | null;
  /** Sentences that say which work was done, where and when. */
  description: string;
  /** The day of the work, as YYYY-MM-DD. */
  serviceDate: string | null;
  /** Further evidence: the log of the work order's steps, and the account's own text. */
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
  /** Sends evidence. The vendor accepts evidence for a dispute only once. */
  respond(
    connection: OpenConnection,
    dispute: { externalId: string; evidence: DisputeEvidence },
    attempt: WriteAttempt,
  ): Promise<Written>;
}

/** The state of one payout at the vendor: a transfer of the account's balance to its bank. */
export interface PayoutState {
  /** Negative if the vendor collects money from the bank. */
  amountCents: number;
  status: 'pending' | 'in_transit' | 'paid' | 'failed' | 'canceled';
  /** The day on which the bank gets the money, as YYYY-MM-DD. */
  arrivalDate: string;
  failureReason: string | null;
  /** Whether the vendor lists the items of the payout: not yet, now, or never. */
  items: 'pending' | 'ready' | 'unavailable';
  /** RFC 3339 */
  createdAt: string;
}

/** One movement of the vendor's balance that a payout contains. */
export interface PayoutItem {
  externalId: string;
  type: 'payment' | 'refund' | 'dispute' | 'fee' | 'other';
  /** The amount before the fee; negative if the item reduced the balance. */
  amountCents: number;
  feeCents: number;
  description: string | null;
  /** The vendor's id of the payment; null if the item does not belong to a payment. */
  paymentExternalId: string | null;
  /** The vendor's id of the refund or dispute. */
  sourceExternalId: string | null;
  /** RFC 3339 */
  createdAt: string;
}

export interface Payouts extends Readings<PayoutState> {
  /**
   * Reads one page of a payout's items.
   * @param from.after the `next` of the previous page; null for the first page
   */
  listItems(
    connection: OpenConnection,
    from: { externalId: string; after: string | null },
  ): Promise<{ items: PayoutItem[]; next: string | null }>;
}
