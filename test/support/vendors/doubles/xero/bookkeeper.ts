import type { Bookkeeper, SeenInvoice, SeenPayment } from '../../books/bookkeeper.js';
import { idOf, toCents, toMsDate, type XeroOrganisation } from './organisation.js';
import type { XeroDouble } from './xero-double.js';

const readOwnId = (text: unknown, pattern: RegExp) => pattern.exec(String(text ?? ''))?.[1] ?? null;

/** The bookkeeper of an organisation at Xero. */
export class XeroBookkeeper implements Bookkeeper {
  readonly keepsPaid = true;

  constructor(
    private readonly double: XeroDouble,
    private readonly organisation: XeroOrganisation,
  ) {}

  listInvoices(): SeenInvoice[] {
    return this.organisation.list('Invoices').map((invoice) => ({
      id: idOf('Invoices', invoice),
      number: String(invoice.InvoiceNumber),
      ownId: readOwnId(invoice.Url, /\/invoices\/(\S+)$/),
      customerId: String(Object(invoice.Contact).ContactID),
      totalCents: toCents(invoice.Total),
      balanceCents: toCents(invoice.AmountDue),
      isVoid: invoice.Status === 'VOIDED' || invoice.Status === 'DELETED',
    }));
  }

  listPayments(): SeenPayment[] {
    return this.organisation.list('Payments').map((payment) => ({
      id: idOf('Payments', payment),
      ownId: readOwnId(payment.Reference, /Tow Dispatch payment (\S+)$/),
      invoiceId: String(Object(payment.Invoice).InvoiceID),
      cents: toCents(payment.Amount),
      isOpen: payment.Status !== 'DELETED',
    }));
  }

  countInvoices(): number {
    return this.organisation.count('Invoices');
  }

  countCustomers(): number {
    return this.organisation.list('Contacts').length;
  }

  pay(invoiceId: string, cents: number): void {
    this.double.payInvoice(this.organisation, invoiceId, cents / 100);
  }

  payUnseen(invoiceId: string, cents: number): void {
    const payment = this.double.payInvoice(this.organisation, invoiceId, cents / 100);
    // Xero's feed is the list of what changed since a time, so it misses what appears late.
    const UpdatedDateUTC = toMsDate(Date.now() - 6 * 3_600_000);
    for (const record of [payment, this.organisation.get('Invoices', invoiceId)])
      Object.assign(record, { UpdatedDateUTC });
  }

  removePayment(id: string): void {
    this.double.deletePayment(this.organisation, id);
  }

  editEmail(customerId: string, EmailAddress: string): void {
    this.double.editContact(this.organisation, customerId, { EmailAddress });
  }
}
