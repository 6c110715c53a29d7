import type { Change, OpenConnection, Written } from './connection.js';
import type { WriteAttempt } from './messaging.js';

/** What the vendor knows about one card reader. */
export interface ReaderState {
  label: string;
  deviceType: string | null;
  status: 'online' | 'offline';
}

/** A payment that a reader asks a customer for. */
export interface TerminalOrder {
  terminalPaymentId: string;
  invoiceId: string;
  title: string;
  amountCents: number;
}

/** A payment at the vendor, and the reader that asks for it. Both are the vendor's ids. */
export interface ReaderPayment {
  readerId: string;
  externalId: string;
}

/**
 * What the vendor knows about a payment on a reader:
 * - `waiting`: the reader waits for a card.
 * - `tried`: a card was read. The payment's own state says what became of it.
 * - `ended`: the reader no longer asks for the payment, and nobody has paid.
 */
export type ReaderPaymentState = { state: 'waiting' | 'tried' } | { state: 'ended'; reason: string };

/** Takes card-present payments on readers that the vendor drives. */
export interface Terminal {
  /** Returns undefined if the credentials give no access to readers. */
  listReaders(connection: OpenConnection): Promise<Change<ReaderState>[] | undefined>;
  /** Prepares a payment, which no reader shows yet. */
  prepare(connection: OpenConnection, order: TerminalOrder, attempt: WriteAttempt): Promise<Written>;
  /**
   * Shows a prepared payment on a reader, which then waits for a card.
   * @throws {VendorError} of kind `refused`, with a sentence for people, if the reader cannot
   */
  show(connection: OpenConnection, payment: ReaderPayment, attempt: WriteAttempt): Promise<void>;
  read(connection: OpenConnection, payment: ReaderPayment): Promise<ReaderPaymentState>;
  /**
   * Cancels a payment, so that no card can pay it any more.
   * @returns false if a card was read before
   */
  cancel(connection: OpenConnection, payment: ReaderPayment): Promise<boolean>;
}
