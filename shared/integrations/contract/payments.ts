import type { Change, OpenConnection, Page, PullStart, Written } from './connection.js';
import type { WriteAttempt } from './messaging.js';

/**
 * Takes payments through one vendor. Each member is one subject, and a vendor omits what it does
 * not offer. Nothing here keeps state. The currency is US dollars, and amounts are cents.
 */
export interface PaymentsAdapter {
  pages: PayPages;
  charges: Charges;
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

/** An open pay page. From `expiresAt` on, it takes no payment. */
export type OpenedPayPage = Required<Written>;

export interface PayPages {
  open(connection: OpenConnection, page: PayPage, attempt: WriteAttempt): Promise<OpenedPayPage>;
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

export type Charges = Readings<PaymentState>;

/** Reads the records of one kind at the vendor. */
export interface Readings<State> {
  /** Reads the records that the items of webhooks named (`InboundNotice.hint`). */
  readNamed(connection: OpenConnection, hints: readonly string[]): Promise<Change<State>[]>;
  /** Reads the records that changed since the cursor. */
  pull(connection: OpenConnection, from: PullStart): Promise<Page<State>>;
}
