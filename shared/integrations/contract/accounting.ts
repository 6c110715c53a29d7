import type { OpenConnection, Written } from './connection.js';
import type { WriteAttempt } from './messaging.js';
import type { Readings } from './readings.js';

/** The currency of all amounts here. */
export const OUR_CURRENCY = 'USD';

/**
 * Keeps the books of an account at one vendor. Adapters keep no state. Amounts are cents, and days
 * are YYYY-MM-DD in the account's time zone.
 */
export interface AccountingAdapter {
  customers: BookedCustomers;
  invoices: BookedInvoices;
  payments: BookedPayments;
  /** Lists the entries that an account can choose in the settings of a connection. */
  listChoices(connection: OpenConnection): Promise<Choices>;
}

/** The settings of every accounting connection. */
export interface AccountingSettings {
  /** Maps the categories of line items to income accounts. */
  accounts?: Readonly<Record<string, string>>;
  tax_codes?: Readonly<{ taxable?: string; exempt?: string }>;
  /**
   * The vendor's account that receives payments. If absent, the vendor uses its default account, or
   * accepts no payment.
   */
  deposit_account?: string;
}

/** One entry that an account can choose. */
export interface Choice {
  id: string;
  name: string;
  /** The purpose of an income or deposit account. Null for a tax code. */
  use: 'income' | 'deposit' | null;
}

export interface Choices {
  account: Choice[];
  tax: Choice[];
}

/** A record that is in the books already. */
export interface KnownRecord {
  externalId: string;
  /** The version that we have last written or read; null if that is unknown. */
  version: string | null;
}

/** A record in the books, as it is after a write or a search. */
export interface Booked<State> {
  written: Written;
  state: State;
  /**
   * True if the write changed nothing, because the record was changed in the books since our last
   * write.
   */
  isOverruled?: true;
}

export interface BookCustomer {
  /**
   * Null if the payer has no customer record here. The invoice then names only an email address, or
   * nobody.
   */
  customerId: string | null;
  name: string;
  email: string | null;
  phone: string | null;
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
}

/** A customer's data in the books. A member is null if the books have no value for it. */
export type BookCustomerState = Omit<BookCustomer, 'customerId'>;

export interface BookedCustomers extends Readings<BookCustomerState> {
  /** Finds customers in the books with the same name or email, the best match first. */
  findMatches(connection: OpenConnection, customer: BookCustomer): Promise<Booked<BookCustomerState>[]>;
  /**
   * Creates the customer, or updates a known one. Keeps contact data that was changed in the books
   * since our last write.
   */
  put(
    connection: OpenConnection,
    customer: BookCustomer,
    attempt: WriteAttempt,
    known?: KnownRecord,
  ): Promise<Booked<BookCustomerState>>;
}

export interface BookLine {
  name: string;
  description: string | null;
  category: string;
  quantity: number;
  unitPriceCents: number;
  totalCents: number;
  isTaxable: boolean;
}

export interface BookInvoice {
  invoiceId: string;
  number: string;
  customerExternalId: string;
  email: string | null;
  day: string;
  dueDay: string | null;
  poNumber: string | null;
  lines: readonly BookLine[];
  taxCents: number;
  totalCents: number;
}

/** The state of an invoice in the books. */
export interface BookInvoiceState {
  /** The id of our invoice; null if the record does not name it. */
  invoiceId: string | null;
  number: string | null;
  customerExternalId: string | null;
  totalCents: number;
  status: 'open' | 'void' | 'deleted';
}

/** A sales invoice in the books, as a list shows it. */
export interface ListedInvoice extends Omit<BookInvoiceState, 'status'> {
  externalId: string;
  /** A draft is not approved in the books yet, so nothing is owed for it. */
  status: BookInvoiceState['status'] | 'draft';
  /** The currency of the amounts, such as `USD`; null if the vendor does not name it. */
  currency: string | null;
  day: string | null;
  /** The settled part of the total. */
  paidCents: number;
  /** The part of it that credits have settled; null if the vendor does not say it. */
  creditedCents: number | null;
}

/** The part of a list of invoices to read. */
export interface DayRange {
  /** The first day, and the day after the last one. */
  from: string;
  until: string;
  /** The `next` of the previous page; null for the first page. */
  after: string | null;
}

export interface BookedInvoices extends Readings<BookInvoiceState> {
  /**
   * Creates the invoice, or updates a known one. An invoice is never in the books twice: the vendor
   * refuses a number that it has, or the adapter looks for the number first. It always looks first
   * if `mayHaveArrived` is true, because this connection or an earlier one may have entered the
   * invoice.
   * @throws {VendorError} `refused` if a category has no account, or if another record has the
   * number; `conflict` if the invoice was changed in the books since our last write
   */
  put(
    connection: OpenConnection,
    invoice: BookInvoice,
    attempt: WriteAttempt,
    known?: KnownRecord,
  ): Promise<Booked<BookInvoiceState>>;
  /** Finds one of our invoices by its number. */
  find(
    connection: OpenConnection,
    invoice: { invoiceId: string; number: string },
  ): Promise<Booked<BookInvoiceState> | undefined>;
  /** Finds the invoices that keep others from having these numbers, 40 at most. */
  findByNumbers(connection: OpenConnection, numbers: readonly string[]): Promise<ListedInvoice[]>;
  /** Voids or deletes an invoice. An invoice that is already void stays void. */
  annul(
    connection: OpenConnection,
    known: KnownRecord,
    attempt: WriteAttempt,
  ): Promise<Booked<BookInvoiceState>>;
  /**
   * Lists the sales invoices of some days, also those that were made in the books. The invoices are
   * in the order of their last change, so that no change or deletion during the read shifts another
   * one out of the next page. A page may contain an invoice of an earlier page again.
   */
  listByDay(
    connection: OpenConnection,
    range: DayRange,
  ): Promise<{ invoices: ListedInvoice[]; next: string | null }>;
  /** Reads invoices by their ids. An invoice that was deleted may be absent. */
  readListed(connection: OpenConnection, externalIds: readonly string[]): Promise<ListedInvoice[]>;
}

export interface BookPayment {
  paymentId: string;
  customerExternalId: string;
  invoiceExternalId: string;
  /** The paid amount minus refunds. */
  amountCents: number;
  /** The part that counts for the invoice. The rest is the customer's credit. */
  appliedCents: number;
  day: string;
  reference: string | null;
}

/** The state of a payment in the books. */
export interface BookPaymentState {
  /** The id of our payment; null if the payment was made in the books. */
  paymentId: string | null;
  amountCents: number;
  /** The invoices that the payment counts for. */
  allocations: readonly { invoiceExternalId: string; amountCents: number }[];
  status: 'open' | 'void' | 'deleted';
  day: string | null;
  reference: string | null;
}

export interface KnownPayment extends KnownRecord {
  /**
   * The version of the void or deleted payment that may be entered again, because we have voided
   * it ourselves or a person has decided so; null if none may.
   */
  replacedVersion: string | null;
}

export interface BookedPayments extends Readings<BookPaymentState> {
  /**
   * Enters the payment, or updates a known one.
   * @throws {VendorError} `conflict` if the payment was voided in the books
   */
  put(
    connection: OpenConnection,
    payment: BookPayment,
    attempt: WriteAttempt,
    known?: KnownPayment,
  ): Promise<Booked<BookPaymentState>>;
  /** Finds one of our payments among those of the invoice and of the customer. */
  find(
    connection: OpenConnection,
    payment: Omit<BookPayment, 'amountCents' | 'appliedCents' | 'reference'>,
  ): Promise<Booked<BookPaymentState> | undefined>;
  annul(
    connection: OpenConnection,
    known: KnownRecord,
    attempt: WriteAttempt,
  ): Promise<Booked<BookPaymentState>>;
}
