import {
  type AccountingSettings,
  type BookInvoice,
  type BookInvoiceState,
  type ListedInvoice,
  OUR_CURRENCY,
} from '../contract/accounting.js';
import { isExactTotal, type MappedLine, type NumberLimit } from '../contract/books/map-lines.js';
import { toAmount, toCents } from '../contract/books/money.js';
import type { Change, OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import { readOwnId } from '../contract/read-own-id.js';
import { parseDay } from './api/dates.js';
import type { XeroRecord } from './api/pages.js';
import { shareTax } from './tax.js';

interface InvoiceLine {
  Description?: string;
  Quantity?: number;
  UnitAmount?: number;
  LineAmount?: number;
  AccountCode?: string;
  TaxType?: string;
  TaxAmount?: number;
}

export interface XeroInvoice extends XeroRecord {
  InvoiceID: string;
  Type?: string;
  Status?: string;
  InvoiceNumber?: string;
  Reference?: string;
  Url?: string;
  Contact?: { ContactID?: string };
  Date?: string;
  DueDate?: string;
  CurrencyCode?: string;
  LineAmountTypes?: string;
  LineItems?: InvoiceLine[];
  TotalTax?: number;
  Total?: number;
  AmountPaid?: number;
  AmountCredited?: number;
  AmountDue?: number;
}

export type WantedInvoice = Omit<XeroInvoice, 'InvoiceID'> & { LineItems: InvoiceLine[] };

export const INVOICE_NUMBERS: NumberLimit = { label: 'Xero', maxNumber: 255 };
const MAX_DESCRIPTION = 4000;
const MAX_REFERENCE = 255;
/** Xero stores quantities with four decimal places. */
const QUANTITY_PARTS = 10_000;
/** The tax type that every organisation has for lines without tax. */
const NO_TAX = 'NONE';

/** The statuses of invoices that were never approved in Xero. These can only be deleted. */
export const UNAPPROVED: readonly string[] = ['DRAFT', 'SUBMITTED'];

/**
 * Builds the address of our invoice. Xero shows it as a link, and people cannot change it there, so
 * it marks the invoice as ours.
 */
function buildOwnUrl({ webhookUrl }: OpenConnection, invoiceId: string): string {
  return new URL(`/app/invoices/${invoiceId}`, webhookUrl).href;
}

export function readOwnUrl(url: string | undefined): string | null {
  const [, id] = /\/app\/invoices\/([0-9a-fA-F-]{36})$/.exec(url ?? '') ?? [];
  return readOwnId(id);
}

/** Returns the members of an invoice that we write. */
export function toInvoice(
  connection: OpenConnection,
  invoice: BookInvoice,
  lines: readonly MappedLine[],
): WantedInvoice {
  const { number, customerExternalId, day, dueDay, invoiceId, poNumber, taxCents } = invoice;
  const { tax_codes = {} } = connection.settings as AccountingSettings;
  const shares = shareTax(lines, taxCents);
  return {
    Type: 'ACCREC',
    InvoiceNumber: number,
    Contact: { ContactID: customerExternalId },
    Date: day,
    // Xero approves no invoice without a due date.
    DueDate: dueDay ?? day,
    Reference: poNumber ? `PO ${poNumber}`.slice(0, MAX_REFERENCE) : '',
    Url: buildOwnUrl(connection, invoiceId),
    CurrencyCode: OUR_CURRENCY,
    LineAmountTypes: 'Exclusive',
    LineItems: lines.map((line, nth) =>
      toLine(line, { taxCents: shares[nth] ?? 0, isTaxed: taxCents > 0 && line.isTaxable }, tax_codes),
    ),
  };
}

function toLine(
  line: MappedLine,
  // The share of a taxed line may be 0.
  { taxCents, isTaxed }: { taxCents: number; isTaxed: boolean },
  { taxable, exempt = NO_TAX }: NonNullable<AccountingSettings['tax_codes']>,
): InvoiceLine {
  const { name, description, account, quantity, unitPriceCents, totalCents } = line;
  // Xero multiplies too. Where we round, the line is one piece, and its text names the quantity.
  const isExact = isExactTotal(line) && Number.isInteger(quantity * QUANTITY_PARTS);
  const amounts = isExact
    ? { Quantity: quantity, UnitAmount: toAmount(unitPriceCents) }
    : { Quantity: 1, UnitAmount: toAmount(totalCents) };
  const pieces = isExact ? '' : ` (${quantity} × ${toAmount(unitPriceCents)})`;
  const text = `${name}${pieces}${description ? `\n${description}` : ''}`;
  return {
    Description: text.slice(0, MAX_DESCRIPTION),
    ...amounts,
    LineAmount: toAmount(totalCents),
    AccountCode: account,
    TaxType: isTaxed ? (taxable ?? exempt) : exempt,
    TaxAmount: toAmount(taxCents),
  };
}

/** True if the books hold what we would write. */
export function isSameInvoice(current: XeroInvoice, wanted: WantedInvoice): boolean {
  const content = ({
    InvoiceNumber,
    Contact,
    Date: day,
    DueDate,
    Reference,
    LineItems = [],
  }: WantedInvoice) =>
    JSON.stringify([
      InvoiceNumber,
      Contact?.ContactID,
      parseDay(day),
      parseDay(DueDate),
      Reference || null,
      LineItems.map(({ Description, LineAmount, AccountCode, TaxAmount }) => [
        Description,
        toCents(LineAmount),
        AccountCode,
        toCents(TaxAmount),
      ]),
    ]);
  return content({ ...current, LineItems: current.LineItems ?? [] }) === content(wanted);
}

const STATUSES: Readonly<Record<string, BookInvoiceState['status']>> = { VOIDED: 'void', DELETED: 'deleted' };

export function toInvoiceChange(record: XeroInvoice): Change<BookInvoiceState> {
  const state = {
    number: record.InvoiceNumber ?? null,
    customerExternalId: record.Contact?.ContactID ?? null,
    totalCents: toCents(record.Total),
    status: STATUSES[record.Status ?? ''] ?? ('open' as const),
  };
  const fields: BookInvoiceState = { invoiceId: readOwnUrl(record.Url), ...state };
  // Short answers may omit the address with our id, so the version does without it.
  return { kind: 'invoice', externalId: record.InvoiceID, version: fingerprint(state), fields };
}

export function toListedInvoice(record: XeroInvoice): ListedInvoice {
  const { externalId, fields } = toInvoiceChange(record);
  const creditedCents = toCents(record.AmountCredited);
  const paidCents = toCents(record.AmountPaid) + creditedCents;
  const currency = record.CurrencyCode ?? null;
  const status = UNAPPROVED.includes(record.Status ?? '') ? 'draft' : fields.status;
  return { ...fields, externalId, status, currency, day: parseDay(record.Date), paidCents, creditedCents };
}
