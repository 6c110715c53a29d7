import type { Statement } from '../../platform/postgres.js';
import { type RecordRef, recordset } from '../sets.js';
import { invoiceRepresentation } from './representation.js';

/** The members of an invoice's JSON that its document shows. */
interface InvoiceJson {
  invoice_number: string;
  status: string;
  po_number: string | null;
  vehicle_description: string | null;
  billing_email: string | null;
  service_date: string | null;
  due_date: string | null;
  subtotal_cents: number;
  tax_cents: number;
  total_cents: number;
  paid_cents: number;
  balance_due_cents: number;
  updated_at: string;
  line_items: {
    name: string;
    description: string | null;
    quantity: number;
    unit_type: string;
    unit_price_cents: number;
    total_cents: number;
  }[];
}

/** Columns of a document's row, over `i` invoices, `t` tenants, `c` customers (outer). */
export const DOCUMENT_COLUMNS = `(${invoiceRepresentation('i')})::text as body, t.name as sender, t.time_zone, t.environment,
  c.company_name, c.address, c.city, c.state as region, c.zip`;

/** The joins that {@link DOCUMENT_COLUMNS} needs beside `invoices i`. */
export const DOCUMENT_JOINS = `
  join tenants t on t.tenant_id = i.tenant_id
  left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id`;

export interface DocumentRow {
  body: string;
  sender: string;
  time_zone: string;
  environment: 'live' | 'sandbox';
  company_name: string | null;
  address: string | null;
  city: string | null;
  region: string | null;
  zip: string | null;
}

/** Reads what the documents of these invoices show. */
export function documentStatement(refs: RecordRef[]): Statement {
  return {
    name: 'invoice-documents',
    text: `select i.tenant_id, i.id, ${DOCUMENT_COLUMNS} from ${recordset('tenant_id uuid, id uuid')}
           join invoices i on i.tenant_id = r.tenant_id and i.id = r.id ${DOCUMENT_JOINS}`,
    values: [JSON.stringify(refs)],
  };
}

type Labelled = [label: string, value: string];

/** An invoice as its customer sees it, in words: mail, page and PDF show the same. */
export interface InvoiceDocument {
  number: string;
  title: string;
  /** Name of the tow company. */
  sender: string;
  /** What must not be overlooked: a test, a draft, a void one. */
  mark: string | null;
  billTo: string[];
  facts: Labelled[];
  lines: { name: string; description: string | null; quantity: string; price: string; total: string }[];
  sums: Labelled[];
  balance: string;
  due: string | null;
  /** When the invoice was last changed: the date of its PDF. */
  updatedAt: Date;
}

export function documentOf(row: DocumentRow): InvoiceDocument {
  const invoice = JSON.parse(row.body) as InvoiceJson;
  const day = (at: string | null) => (at === null ? null : formatDay(at, row.time_zone));
  const due = day(invoice.due_date);
  const facts: [string, string | null][] = [
    ['Invoice', invoice.invoice_number],
    ['PO', invoice.po_number],
    ['Vehicle', invoice.vehicle_description],
    ['Service date', day(invoice.service_date)],
    ['Due', due],
  ];
  return {
    number: invoice.invoice_number,
    title: `Invoice ${invoice.invoice_number}`,
    sender: row.sender,
    mark: markOf(row.environment, invoice.status),
    billTo: billTo(row, invoice.billing_email),
    facts: facts.filter((fact): fact is Labelled => fact[1] !== null),
    lines: invoice.line_items.map((line) => ({
      name: line.name,
      description: line.description || null,
      quantity: `${line.quantity} ${line.unit_type.replaceAll('_', ' ')}`,
      price: dollars(line.unit_price_cents),
      total: dollars(line.total_cents),
    })),
    sums: sums(invoice),
    balance: dollars(invoice.balance_due_cents),
    due,
    updatedAt: new Date(invoice.updated_at),
  };
}

function billTo(row: DocumentRow, email: string | null): string[] {
  const place = [row.city, [row.region, row.zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');
  const lines = [row.company_name, ...(row.address?.split('\n') ?? []), place || null, email];
  return lines.filter((line): line is string => Boolean(line?.trim()));
}

const STATUS_MARKS: Readonly<Record<string, string>> = {
  draft: 'Draft: not an invoice yet',
  needs_review: 'Draft: not an invoice yet',
  void: 'Void: nothing is owed',
  cancelled: 'Cancelled: nothing is owed',
};

function markOf(environment: 'live' | 'sandbox', status: string): string | null {
  return environment === 'sandbox' ? 'Test: nothing is owed' : (STATUS_MARKS[status] ?? null);
}

function sums(invoice: InvoiceJson): Labelled[] {
  const paid: Labelled[] = invoice.paid_cents > 0 ? [['Paid', dollars(invoice.paid_cents)]] : [];
  return [
    ['Subtotal', dollars(invoice.subtotal_cents)],
    ['Tax', dollars(invoice.tax_cents)],
    ['Total', dollars(invoice.total_cents)],
    ...paid,
    ['Balance due', dollars(invoice.balance_due_cents)],
  ];
}

const money = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD' });

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
