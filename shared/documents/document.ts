import { formatQuantity } from '../billing/format-quantity.js';
import type { DocumentRow, InvoiceJson, LogoRef } from './document-rows.js';

type Labelled = [label: string, value: string];

type Wording = Pick<DocumentRow['account'], 'mail_subject' | 'mail_text' | 'sms_text'>;

/** The texts of an invoice. The mail, the page and the PDF show the same texts. */
export interface InvoiceDocument {
  number: string;
  title: string;
  sender: string;
  /** The company's address, phone and email, one text line each. */
  contact: string[];
  logo: LogoRef | null;
  /** A warning at the top if the invoice is a test, a draft, void or cancelled. */
  mark: string | null;
  billTo: string[];
  facts: Labelled[];
  lines: { name: string; description: string | null; quantity: string; price: string; total: string }[];
  sums: Labelled[];
  balance: string;
  due: string | null;
  /** Payment instructions, one paragraph each; empty if nothing is owed. */
  howToPay: string[];
  /** The account's own texts of messages, with placeholders. */
  wording: Wording;
  /** Time of the invoice's last change; also the PDF's creation date. */
  updatedAt: Date;
}

export function buildInvoiceDocument(row: DocumentRow): InvoiceDocument {
  const invoice = JSON.parse(row.body) as InvoiceJson;
  const day = (at: string | Date | null) => (at === null ? null : formatDay(at, row.time_zone));
  const due = day(invoice.effective_due_date);
  const facts: [string, string | null][] = [
    ['Invoice date', day(row.released_at)],
    ['Due date', due],
    ['Terms', formatTerms(row, invoice)],
    ['PO', invoice.po_number],
    ['Vehicle', invoice.vehicle_description],
    ['Service date', day(invoice.service_date)],
  ];
  return {
    number: invoice.invoice_number,
    title: `Invoice ${invoice.invoice_number}`,
    sender: row.account.name,
    contact: contactLines(row.account),
    logo: row.logo,
    mark: selectMark(row.environment, invoice.status),
    billTo: billToLines(row.customer, invoice.billing_email),
    facts: facts.filter((fact): fact is Labelled => fact[1] !== null),
    lines: invoice.line_items.map((line) => ({
      name: line.name,
      description: line.description || null,
      quantity: formatQuantity(line.quantity, line.unit_type),
      price: dollars(line.unit_price_cents),
      total: dollars(line.total_cents),
    })),
    sums: buildSums(invoice, row.tax_rate_bps),
    balance: dollars(invoice.balance_due_cents),
    due,
    howToPay: writePaymentInstructions(row, invoice),
    wording: selectWording(row.account),
    updatedAt: new Date(invoice.updated_at),
  };
}

function selectWording({ mail_subject, mail_text, sms_text }: Wording): Wording {
  return { mail_subject, mail_text, sms_text };
}

function contactLines({ phone, email, ...address }: DocumentRow['account']): string[] {
  return dropBlank([...addressLines(address), phone, email]);
}

function billToLines(customer: DocumentRow['customer'], email: string | null): string[] {
  return dropBlank([customer?.company_name, ...(customer ? addressLines(customer) : []), email]);
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

function dropBlank(lines: (string | null | undefined)[]): string[] {
  return lines.filter((line): line is string => Boolean(line?.trim()));
}

/**
 * Formats the payment terms: the days from the invoice's release to its due date. Before the
 * release, the result shows the terms that will apply.
 */
function formatTerms(
  { released_at: releasedAt, terms_days: termsDays, time_zone: timeZone }: DocumentRow,
  { effective_due_date: due }: InvoiceJson,
): string {
  const days = releasedAt && due ? daysBetween(releasedAt, new Date(due), timeZone) : termsDays;
  return days > 0 ? `Net ${days}` : 'Due on receipt';
}

function daysBetween(from: Date, to: Date, timeZone: string): number {
  // The Swedish locale formats dates as ISO 8601, and Date.parse reads an ISO date as UTC.
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

function selectMark(environment: 'live' | 'sandbox', status: string): string | null {
  return environment === 'sandbox' ? 'Test: nothing is owed' : (STATUS_MARKS[status] ?? null);
}

function buildSums(invoice: InvoiceJson, taxRateBps: number): Labelled[] {
  const paid: Labelled[] = invoice.paid_cents > 0 ? [['Paid', dollars(invoice.paid_cents)]] : [];
  // Show no balance for a void or cancelled invoice. It keeps its amounts, but the customer owes
  // nothing.
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
 * Returns the payment instructions, or none if nothing is owed. They start with the account's
 * remittance text or, without such a text, with a contact.
 */
function writePaymentInstructions({ account }: DocumentRow, invoice: InvoiceJson): string[] {
  if (invoice.balance_due_cents <= 0 || STATUS_MARKS[invoice.status]) return [];
  const { name, phone, email, remittance_text: remittance } = account;
  const contactOptions = dropBlank([phone, email]).join(' or ');
  const contact = contactOptions ? `${name}: ${contactOptions}` : name;
  const numberRequest = `Please give the invoice number ${invoice.invoice_number} with your payment.`;
  return remittance
    ? [remittance, numberRequest, `With questions, contact ${contact}.`]
    : [`To pay, or with questions, contact ${contact}.`, numberRequest];
}

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });
const percent = new Intl.NumberFormat('en-US', { style: 'percent', maximumFractionDigits: 2 });

export function dollars(cents: number): string {
  return money.format(cents / 100);
}

/**
 * Formats a time as its calendar day in the account's time zone. The rule for overdue invoices uses
 * the same days (docs/decisions.md §3).
 */
export function formatDay(at: string | Date, timeZone: string): string {
  return new Date(at).toLocaleDateString('en-US', {
    timeZone,
    year: 'numeric',
    month: 'short',
    day: 'numeric',
  });
}

/**
 * Returns the file name of the PDF. Keeps only characters that all systems and mail programs
 * accept.
 */
export function pdfFileName({ number }: InvoiceDocument): string {
  return `invoice-${number.replace(/[^A-Za-z0-9._-]+/g, '-')}.pdf`;
}
