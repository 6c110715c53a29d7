import type { OpenConnection, Written } from './connection.js';
import type { WriteAttempt } from './messaging.js';
import type { OpenedPage, Readings } from './readings.js';

/** A page at the vendor where a customer saves a card or a bank account. */
export interface SetupPage {
  /** The id of our payment method. */
  methodId: string;
  /** The vendor's id of the customer; null if the vendor does not know the customer. */
  customerExternalId: string | null;
  customerEmail: string | null;
  /** The address to which the vendor sends the customer back. */
  returnUrl: string;
}

/** The state of a customer's saved payment method at the vendor. */
export interface SavedMethodState {
  /** The id of our payment method; null if the vendor's record does not name it. */
  methodId: string | null;
  customerExternalId: string | null;
  /**
   * - `verifying`: the customer still has to confirm small deposits to the bank account.
   * - `usable`: the method can be charged.
   * - `attached`: the vendor has the method, but its record does not show whether it is verified.
   * - `detached`: the method can no longer be charged.
   * - `failed`: the verification has failed.
   */
  status: 'verifying' | 'usable' | 'attached' | 'detached' | 'failed';
  type: 'card' | 'us_bank_account' | 'other';
  brand: string | null;
  last4: string | null;
  expMonth: number | null;
  expYear: number | null;
  /** The page where the customer confirms the deposits. */
  verificationUrl: string | null;
  failureReason: string | null;
}

/** A charge of a saved payment method. The customer is not present. */
export interface ChargeOrder {
  attemptId: string;
  invoiceId: string;
  /** The description on the customer's receipt and bank record. */
  title: string;
  amountCents: number;
  methodExternalId: string;
  customerExternalId: string;
  /** The vendor mails the receipt to this address. */
  receiptEmail: string | null;
}

export interface ChargeResult {
  paymentExternalId: string;
  /** `processing` means a bank debit that may still fail. */
  status: 'processing' | 'succeeded' | 'declined';
  /** The vendor's reason for a decline, such as `insufficient_funds`. */
  declineCode: string | null;
  message: string | null;
}

export interface SavedMethods extends Readings<SavedMethodState> {
  openPage(connection: OpenConnection, page: SetupPage, attempt: WriteAttempt): Promise<OpenedPage>;
  /** Makes a saved method unusable. Also succeeds if the method is unusable already. */
  detach(connection: OpenConnection, externalId: string): Promise<Written>;
  charge(connection: OpenConnection, order: ChargeOrder, attempt: WriteAttempt): Promise<ChargeResult>;
  /**
   * Finds the payment of a charge whose response was lost. Idempotency keys alone do not prevent a
   * second charge, because a vendor may forget them.
   * @param since the start of the first attempt
   * @returns undefined if the customer was not charged
   */
  findCharge(connection: OpenConnection, order: ChargeOrder, since: Date): Promise<ChargeResult | undefined>;
}
