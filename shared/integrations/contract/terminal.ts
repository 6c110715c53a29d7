import type { Change, OpenConnection, Written } from './connection.js';
import type { WriteAttempt } from './messaging.js';

/** The state of one card reader at the vendor. */
export interface ReaderState {
  label: string;
  deviceType: string | null;
  status: 'online' | 'offline';
}

/** A payment for which a card reader asks a customer. */
export interface TerminalOrder {
  terminalPaymentId: string;
  invoiceId: string;
  title: string;
  amountCents: number;
}

/** The vendor's ids of a payment and of the reader that asks for it. */
export interface ReaderPayment {
  readerId: string;
  externalId: string;
}

/**
 * The state of a payment on a card reader:
 * - `waiting`: the reader waits for a card.
 * - `tried`: the reader has read a card. The state of the payment itself shows the result.
 * - `ended`: the reader no longer asks for the payment, and the customer has not paid.
 */
export type ReaderPaymentState = { state: 'waiting' | 'tried' } | { state: 'ended'; reason: string };

/** Takes card-present payments on readers that the vendor drives. */
export interface Terminal {
  /** Returns undefined if the credentials give no access to readers. */
  listReaders(connection: OpenConnection): Promise<Change<ReaderState>[] | undefined>;
  /** Creates the payment at the vendor. The reader does not show the payment until `show`. */
  prepare(connection: OpenConnection, order: TerminalOrder, attempt: WriteAttempt): Promise<Written>;
  /**
   * Shows a prepared payment on a reader, which then waits for a card.
   * @throws {VendorError} of kind `refused` if the reader cannot show the payment. Its error
   * message is a sentence for people
   */
  show(connection: OpenConnection, payment: ReaderPayment, attempt: WriteAttempt): Promise<void>;
  read(connection: OpenConnection, payment: ReaderPayment): Promise<ReaderPaymentState>;
  /**
   * Cancels a payment, so that no card can pay it any more.
   * @returns false if the reader had already read a card
   */
  cancel(connection: OpenConnection, payment: ReaderPayment): Promise<boolean>;
}
