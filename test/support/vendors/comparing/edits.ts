import { randomUUID } from 'node:crypto';
import type { BookingAccount } from '../booking.js';
import { toMsDate } from '../doubles/xero/organisation.js';
import type { XeroAccount } from '../xero-booking.js';

/** What the bookkeeper of any vendor does to invoices in the books. */
export interface BookEdits {
  /** The name of the double's call that lists invoices, or reads some by their ids. */
  readonly listCall: string;
  raise(number: string): void;
  annul(number: string): void;
  redate(number: string, day: string): void;
  renumber(number: string, other: string): void;
  /** Creates a copy with another number, as if the bookkeeper had made it. */
  copy(number: string, other: string, members?: { currency?: string }): void;
  /** Creates copies `HAND-1` and so on, whose last changes are a second apart. */
  copyMany(number: string, count: number): void;
}

const find = <R extends Record<string, unknown>>(all: R[], member: string, number: string) =>
  all.find((one) => one[member] === number) as R;

export class QuickBooksEdits implements BookEdits {
  readonly listCall = 'GET query';

  constructor(private readonly account: BookingAccount) {}

  private find(number: string) {
    return find(this.account.company.list('Invoice'), 'DocNumber', number);
  }

  raise(number: string): void {
    const { double, company } = this.account;
    const { Id, Line } = this.find(number);
    const [line = {}] = Line as Record<string, unknown>[];
    const { Qty: _qty, UnitPrice: _price, ...detail } = Object(line.SalesItemLineDetail);
    double.edit(company, 'Invoice', Id, { Line: [{ ...line, Amount: 130, SalesItemLineDetail: detail }] });
  }

  annul(number: string): void {
    this.account.double.void(this.account.company, 'Invoice', this.find(number).Id);
  }

  redate(number: string, TxnDate: string): void {
    this.account.company.put('Invoice', { TxnDate }, this.find(number).Id);
  }

  renumber(number: string, DocNumber: string): void {
    this.account.company.put('Invoice', { DocNumber }, this.find(number).Id);
  }

  copy(number: string, DocNumber: string, { currency }: { currency?: string } = {}): void {
    const CurrencyRef = currency ? { CurrencyRef: { value: currency } } : {};
    const id = String(1_000_000 + this.account.company.count('Invoice'));
    this.account.company.put(
      'Invoice',
      { ...this.find(number), PrivateNote: '', DocNumber, ...CurrencyRef },
      id,
    );
  }

  copyMany(number: string, count: number): void {
    for (let nth = 1; nth <= count; nth++) {
      this.copy(number, `HAND-${nth}`);
      const time = new Date(Date.now() - (count + 60 - nth) * 1000).toISOString();
      this.find(`HAND-${nth}`).MetaData = { CreateTime: time, LastUpdatedTime: time };
    }
  }
}

export class XeroEdits implements BookEdits {
  readonly listCall = 'GET Invoices';

  constructor(private readonly account: XeroAccount) {}

  private find(number: string) {
    return find(this.account.organisation.list('Invoices'), 'InvoiceNumber', number);
  }

  /** Changes members of an invoice, without the checks of the API. */
  set(number: string, members: object): void {
    const { InvoiceID } = this.find(number);
    this.account.organisation.put('Invoices', { InvoiceID, ...members });
  }

  raise(number: string): void {
    const { double, organisation } = this.account;
    const invoice = this.find(number);
    const LineItems = (invoice.LineItems as object[]).map((one) => ({
      ...one,
      UnitAmount: 130,
      LineAmount: 130,
    }));
    double.editInvoice(organisation, String(invoice.InvoiceID), { ...invoice, LineItems });
  }

  annul(number: string): void {
    this.account.double.voidInvoice(this.account.organisation, String(this.find(number).InvoiceID));
  }

  redate(number: string, day: string): void {
    this.set(number, { Date: toMsDate(Date.parse(day)) });
  }

  renumber(number: string, InvoiceNumber: string): void {
    this.set(number, { InvoiceNumber });
  }

  copy(number: string, InvoiceNumber: string, { currency }: { currency?: string } = {}): void {
    const { Url: _url, ...found } = this.find(number);
    const CurrencyCode = currency ? { CurrencyCode: currency } : {};
    this.account.organisation.put('Invoices', {
      ...found,
      InvoiceID: randomUUID(),
      InvoiceNumber,
      ...CurrencyCode,
    });
  }

  copyMany(number: string, count: number): void {
    for (let nth = 1; nth <= count; nth++) {
      this.copy(number, `HAND-${nth}`);
      this.find(`HAND-${nth}`).UpdatedDateUTC = toMsDate(Date.now() - (count + 60 - nth) * 1000);
    }
  }
}
