/** An invoice in the books, as all vendors have it. */
export interface SeenInvoice {
  id: string;
  number: string;
  /** The id of our invoice that the record names. */
  ownId: string | null;
  customerId: string;
  totalCents: number;
  balanceCents: number;
  isVoid: boolean;
}

/** A payment in the books that counts for one invoice. */
export interface SeenPayment {
  id: string;
  ownId: string | null;
  invoiceId: string | null;
  cents: number;
  /** False if it is void or deleted. */
  isOpen: boolean;
}

/** What the bookkeeper of any vendor sees and does, in cents. */
export interface Bookkeeper {
  /** True if the vendor accepts no changes of an invoice that is paid. */
  readonly keepsPaid: boolean;
  listInvoices(): SeenInvoice[];
  listPayments(): SeenPayment[];
  countInvoices(): number;
  countCustomers(): number;
  pay(invoiceId: string, cents: number): void;
  /** Enters a payment that no change feed shows. Its webhook must be lost too. */
  payUnseen(invoiceId: string, cents: number): void;
  /** Voids or deletes a payment. */
  removePayment(id: string): void;
  editEmail(customerId: string, email: string): void;
}
