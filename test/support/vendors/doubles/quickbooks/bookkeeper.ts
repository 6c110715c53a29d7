import type { Bookkeeper, SeenInvoice, SeenPayment } from '../../books/bookkeeper.js';
import type { BooksRecord } from './books-record.js';
import { type BooksCompany, toCents } from './company.js';
import type { QuickBooksDouble } from './quickbooks-double.js';

const isVoid = ({ PrivateNote }: BooksRecord) => /^Voided/.test(String(PrivateNote ?? ''));
const readOwnId = ({ PrivateNote }: BooksRecord, kind: string) =>
  new RegExp(`Tow Dispatch ${kind} (\\S+)$`).exec(String(PrivateNote ?? ''))?.[1] ?? null;

/** The bookkeeper of a company at QuickBooks. */
export class QuickBooksBookkeeper implements Bookkeeper {
  readonly keepsPaid = false;

  constructor(
    private readonly double: QuickBooksDouble,
    private readonly company: BooksCompany,
  ) {}

  listInvoices(): SeenInvoice[] {
    return this.company.list('Invoice').map((invoice) => ({
      id: invoice.Id,
      number: String(invoice.DocNumber),
      ownId: readOwnId(invoice, 'invoice'),
      customerId: String(Object(invoice.CustomerRef).value),
      totalCents: toCents(invoice.TotalAmt),
      balanceCents: toCents(invoice.Balance),
      isVoid: isVoid(invoice),
    }));
  }

  listPayments(): SeenPayment[] {
    return this.company.list('Payment').flatMap((payment) => {
      const seen = { id: payment.Id, ownId: readOwnId(payment, 'payment'), isOpen: !isVoid(payment) };
      const lines = (payment.Line ?? []) as { Amount: number; LinkedTxn: { TxnId: string }[] }[];
      if (lines.length === 0) return [{ ...seen, invoiceId: null, cents: 0 }];
      return lines.map(({ Amount, LinkedTxn }) => ({
        ...seen,
        invoiceId: LinkedTxn[0]?.TxnId ?? null,
        cents: toCents(Amount),
      }));
    });
  }

  countInvoices(): number {
    return this.company.count('Invoice');
  }

  countCustomers(): number {
    return this.company.list('Customer').length;
  }

  pay(invoiceId: string, cents: number): void {
    this.double.payInvoices(this.company, [{ invoiceId, amount: cents / 100 }]);
  }

  payUnseen(invoiceId: string, cents: number): void {
    const { Id } = this.double.payInvoices(this.company, [{ invoiceId, amount: cents / 100 }]);
    this.company.missedByFeed.add(Id);
  }

  removePayment(id: string): void {
    this.double.void(this.company, 'Payment', id);
  }

  editEmail(customerId: string, Address: string): void {
    this.double.edit(this.company, 'Customer', customerId, { PrimaryEmailAddr: { Address } });
  }
}
