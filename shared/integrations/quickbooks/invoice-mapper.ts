import type {
  AccountingSettings,
  BookInvoice,
  BookInvoiceState,
  ListedInvoice,
} from '../contract/accounting.js';
import { isExactTotal, type MappedLine, type NumberLimit } from '../contract/books/map-lines.js';
import { toAmount, toCents } from '../contract/books/money.js';
import { buildOwnNote, readOwnNote } from '../contract/books/own-note.js';
import { readDay } from '../contract/books/read-day.js';
import type { Change } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { BooksRecord } from './api/changes.js';
import { MAX_NUMBER_CHARS } from './manifest.js';

interface InvoiceLine {
  DetailType?: string;
  Amount?: number;
  Description?: string;
  SalesItemLineDetail?: {
    ItemRef?: { value: string };
    Qty?: number;
    UnitPrice?: number;
    TaxCodeRef?: { value: string };
  };
}

export interface BooksInvoice extends BooksRecord {
  DocNumber?: string;
  CustomerRef?: { value: string };
  /** Only in companies that use several currencies. */
  CurrencyRef?: { value?: string };
  TxnDate?: string;
  DueDate?: string;
  PrivateNote?: string;
  CustomerMemo?: { value?: string };
  BillEmail?: { Address?: string };
  TxnTaxDetail?: { TotalTax?: number };
  TotalAmt?: number;
  Balance?: number;
  /** The payments that count for the invoice, among others. */
  LinkedTxn?: { TxnId?: string; TxnType?: string }[];
  Line?: InvoiceLine[];
}

/** QuickBooks' limits of characters. */
const MAX_DESCRIPTION = 4000;
const MAX_EMAIL = 100;

export const INVOICE_NUMBERS: NumberLimit = { label: 'QuickBooks', maxNumber: MAX_NUMBER_CHARS };

/** Returns the members of an invoice that we write. `items` has the ids by `category/account`. */
export function toInvoice(
  invoice: BookInvoice,
  lines: readonly MappedLine[],
  {
    items,
    tax_codes = {},
  }: { items: ReadonlyMap<string, string>; tax_codes?: AccountingSettings['tax_codes'] },
): Omit<BooksInvoice, 'Id' | 'SyncToken'> {
  const { number, customerExternalId, day, dueDay, invoiceId, poNumber, email, taxCents } = invoice;
  return {
    DocNumber: number,
    CustomerRef: { value: customerExternalId },
    TxnDate: day,
    ...(dueDay ? { DueDate: dueDay } : {}),
    PrivateNote: buildOwnNote('invoice', invoiceId),
    ...(poNumber ? { CustomerMemo: { value: `PO ${poNumber}` } } : {}),
    ...(email && email.length <= MAX_EMAIL ? { BillEmail: { Address: email } } : {}),
    Line: lines.map((line) =>
      toLine(line, items, taxCents > 0 && line.isTaxable ? tax_codes.taxable : tax_codes.exempt),
    ),
    TxnTaxDetail: { TotalTax: toAmount(taxCents) },
  };
}

function toLine(
  line: MappedLine,
  items: ReadonlyMap<string, string>,
  taxCode: string | undefined,
): InvoiceLine {
  const { name, description, category, account, quantity, unitPriceCents, totalCents } = line;
  const text = description ? `${name}\n${description}` : name;
  return {
    DetailType: 'SalesItemLineDetail',
    Amount: toAmount(totalCents),
    Description: text.slice(0, MAX_DESCRIPTION),
    SalesItemLineDetail: {
      ItemRef: { value: items.get(`${category}/${account}`) as string },
      // QuickBooks multiplies too. Where we round, only the amount is sent.
      ...(isExactTotal(line) ? { Qty: quantity, UnitPrice: toAmount(unitPriceCents) } : {}),
      ...(taxCode === undefined ? {} : { TaxCodeRef: { value: taxCode } }),
    },
  };
}

/**
 * True if the books hold what we would write. If QuickBooks has computed another tax, ours is sent
 * once more.
 */
export function isSameInvoice(
  current: BooksInvoice,
  wanted: Omit<BooksInvoice, 'Id' | 'SyncToken'>,
): boolean {
  const content = ({
    DocNumber,
    CustomerRef,
    TxnDate,
    DueDate,
    CustomerMemo,
    BillEmail,
    TxnTaxDetail,
    Line = [],
  }: typeof wanted) =>
    JSON.stringify([
      DocNumber,
      CustomerRef?.value,
      TxnDate,
      wanted.DueDate === undefined ? null : DueDate,
      CustomerMemo?.value ?? null,
      BillEmail?.Address ?? null,
      toCents(TxnTaxDetail?.TotalTax),
      Line.filter(({ DetailType }) => DetailType === 'SalesItemLineDetail').map(
        ({ Amount, Description, SalesItemLineDetail }) => [
          toCents(Amount),
          Description,
          SalesItemLineDetail?.ItemRef?.value,
        ],
      ),
    ]);
  return content(current) === content(wanted);
}

export function toInvoiceChange(record: BooksInvoice): Change<BookInvoiceState> {
  const totalCents = toCents(record.TotalAmt);
  const isVoid = totalCents === 0 && /^voided/i.test(record.PrivateNote ?? '');
  const fields: BookInvoiceState = {
    invoiceId: readOwnNote('invoice', record.PrivateNote),
    number: record.DocNumber ?? null,
    customerExternalId: record.CustomerRef?.value ?? null,
    totalCents,
    status: isVoid ? 'void' : 'open',
  };
  return { kind: 'invoice', externalId: record.Id, version: fingerprint(fields), fields };
}

export function toListedInvoice(record: BooksInvoice): ListedInvoice {
  const { externalId, fields } = toInvoiceChange(record);
  const paidCents = fields.totalCents - toCents(record.Balance);
  const currency = record.CurrencyRef?.value ?? null;
  // Payments and credits lower the balance, which does not tell them apart.
  return { ...fields, externalId, currency, day: readDay(record.TxnDate), paidCents, creditedCents: null };
}

export function toDeletedListing(externalId: string): ListedInvoice {
  const { fields } = toDeletedInvoice(externalId);
  return { ...fields, externalId, currency: null, day: null, paidCents: 0, creditedCents: null };
}

export function toDeletedInvoice(id: string): Change<BookInvoiceState> {
  const fields: BookInvoiceState = {
    invoiceId: null,
    number: null,
    customerExternalId: null,
    totalCents: 0,
    status: 'deleted',
  };
  return { kind: 'invoice', externalId: id, version: 'deleted', fields };
}
