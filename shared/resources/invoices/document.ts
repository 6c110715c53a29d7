import type { DocumentRow, InvoiceJson, LogoRef } from './document-rows.js';
import { quantityText } from './quantity-text.js';

type Labelled = [label: string, value: string];

/** An invoice as its customer sees it, in words: mail, page and PDF show the same. */
export interface InvoiceDocument {
  number: string;
  title: string;
  /** Name of the tow company. */
  sender: string;
  /** Its address, phone and e-mail. */
  contact: string[];
  logo: LogoRef | null;
  /** What must not be overlooked: a test, a draft, a void one. */
  mark: string | null;
  billTo: string[];
  facts: Labelled[];
  lines: { name: string; description: string | null; quantity: string; price: string; total: string }[];
  sums: Labelled[];
  balance: string;
  due: string | null;
  /** How to pay, a paragraph each; empty when nothing is to be paid. */
  howToPay: string[];
  /** When the invoice was last changed: the date of its PDF. */
  updatedAt: Date;
}

export function documentOf(row: DocumentRow): InvoiceDocument {
  const invoice = JSON.parse(row.body) as InvoiceJson;
  const day = (at: string | Date | null) => (at === null ? null : formatDay(at, row.time_zone));
  const due = day(invoice.effective_due_date);
  const facts: [string, string | null][] = [
    ['Invoice date', day(row.released_at)],
    ['Due date', due],
    ['Terms', termsOf(row, invoice)],
    ['PO', invoice.po_number],
    ['Vehicle', invoice.vehicle_description],
    ['Service date', day(invoice.service_date)],
  ];
  return {
    number: invoice.invoice_number,
    title: `Invoice ${invoice.invoice_number}`,
    sender: row.account.name,
    contact: contactOf(row.account),
    logo: row.logo,
    mark: markOf(row.environment, invoice.status),
    billTo: billTo(row.customer, invoice.billing_email),
    facts: facts.filter((fact): fact is Labelled => fact[1] !== null),
    lines: invoice.line_items.map((line) => ({
      name: line.name,
      description: line.description || null,
      quantity: quantityText(line.quantity, line.unit_type),
      price: dollars(line.unit_price_cents),
      total: dollars(line.total_cents),
    })),
    sums: sums(invoice, row.tax_rate_bps),
    balance: dollars(invoice.balance_due_cents),
    due,
    howToPay: howToPay(row, invoice),
    updatedAt: new Date(invoice.updated_at),
  };
}

function contactOf({ phone, email, ...address }: DocumentRow['account']): string[] {
  return filled([...addressLines(address), phone, email]);
}

function billTo(customer: DocumentRow['customer'], email: string | null): string[] {
  return filled([customer?.company_name, ...(customer ? addressLines(customer) : []), email]);
}

function addressLines({
  address,
  city,
  state,
  zip,
}: Pick<DocumentRow['account'], 'address' | 'city' | 'state' | 'zip'>): string[] {
  const place = [city, [state, zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  return [...(address?.split(/\r?\n/) ?? []), place];
}

function filled(lines: (string | null | undefined)[]): string[] {
  return lines.filter((line): line is string => Boolean(line?.trim()));
}

/**
 * The days from the invoice to its due date; before the release, what the customer's terms will be.
 */
function termsOf(
  { released_at: releasedAt, terms_days: termsDays, time_zone: timeZone }: DocumentRow,
  { effective_due_date: due }: InvoiceJson,
): string {
  const days = releasedAt && due ? daysBetween(releasedAt, new Date(due), timeZone) : termsDays;
  return days > 0 ? `Net ${days}` : 'Due on receipt';
}

/** Calendar days between two moments where the company is. */
function daysBetween(from: Date, to: Date, timeZone: string): number {
  // Sweden writes days as ISO 8601 does, and Date.parse reads such a day as UTC.
  const dayOf = (at: Date) => Date.parse(at.toLocaleDateString('sv-SE', { timeZone }));
  return Math.round((dayOf(to) - dayOf(from)) / 86_400_000);
}

const UNISSUED = 'Draft: not an invoice yet';

const STATUS_MARKS: Readonly<Record<string, string>> = {
  draft: UNISSUED,
  needs_review: UNISSUED,
  void: 'Void: nothing is owed',
  cancelled: 'Cancelled: nothing is owed',
};

const NEVER_OWED: ReadonlySet<string> = new Set(['void', 'cancelled']);

function markOf(environment: 'live' | 'sandbox', status: string): string | null {
  return environment === 'sandbox' ? 'Test: nothing is owed' : (STATUS_MARKS[status] ?? null);
}

function sums(invoice: InvoiceJson, taxRateBps: number): Labelled[] {
  const paid: Labelled[] = invoice.paid_cents > 0 ? [['Paid', dollars(invoice.paid_cents)]] : [];
  // A void invoice keeps its amounts, but they are owed by nobody.
  const balance: Labelled[] = NEVER_OWED.has(invoice.status)
    ? []
    : [['Balance due', dollars(invoice.balance_due_cents)]];
  return [
    ['Subtotal', dollars(invoice.subtotal_cents)],
    [taxRateBps > 0 ? `Tax (${percent.format(taxRateBps / 10_000)})` : 'Tax', dollars(invoice.tax_cents)],
    ['Total', dollars(invoice.total_cents)],
    ...paid,
    ...balance,
  ];
}

/**
 * The account's own words, then whom to ask; without such words, whom to ask is all there is to
 * say.
 */
function howToPay({ account }: DocumentRow, invoice: InvoiceJson): string[] {
  if (invoice.balance_due_cents <= 0 || STATUS_MARKS[invoice.status]) return [];
  const { name, phone, email, remittance_text: remittance } = account;
  const ways = filled([phone, email]).join(' or ');
  const whom = ways ? `${name}: ${ways}` : name;
  const quote = `Please give the invoice number ${invoice.invoice_number} with your payment.`;
  return remittance
    ? [remittance, quote, `With questions, contact ${whom}.`]
    : [`To pay, or with questions, contact ${whom}.`, quote];
}

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 2 });

function dollars(cents: number): string {
  return money.format(cents / 100);
}

/** The calendar day of a moment where the company is: what overdue is reckoned by (decisions 3). */
export function formatDay(at: string | Date, timeZone: string): string {
  return new Date(at).toLocaleDateString('en-US', {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  });
}

/** A file name for the document that every system and every mail program takes. */
export function pdfFileName({ number }: InvoiceDocument): string {
  return `invoice-${number.replace(/[^A-Za-z0-9._-]+/g, '-')}.pdf`;
}
