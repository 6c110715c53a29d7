import type { Invoice, Schemas } from '../../../api/records';
import { toZonedInput } from '../../../parts/values/zoned-time';
import { isLineFinished, type LineDraft, toLineDrafts, toLineInput } from './line-draft';

/** An invoice while it is being typed. A date is "2026-11-21" or empty. */
export interface InvoiceDraft {
  customer_id: string | null;
  invoice_number: string;
  billing_email: string;
  po_number: string;
  service_date: string;
  due_date: string;
  vehicle_description: string;
  notes: string;
  lines: LineDraft[];
}

type TextName = Exclude<keyof InvoiceDraft, 'customer_id' | 'lines'>;

/** The members that a person can still change after the invoice was created. */
const EDITABLE = ['billing_email', 'po_number', 'due_date', 'notes'] as const;
const CREATABLE = [...EDITABLE, 'service_date', 'vehicle_description'] as const;

export const EMPTY_DRAFT: InvoiceDraft = {
  customer_id: null,
  invoice_number: '',
  billing_email: '',
  po_number: '',
  service_date: '',
  due_date: '',
  vehicle_description: '',
  notes: '',
  lines: [],
};

export function toDraft(invoice: Invoice, timeZone: string): InvoiceDraft {
  const toDate = (at: string | null) => (at ? toZonedInput(at, timeZone).slice(0, 10) : '');
  return {
    customer_id: invoice.customer_id,
    invoice_number: invoice.invoice_number,
    billing_email: invoice.billing_email ?? '',
    po_number: invoice.po_number ?? '',
    service_date: toDate(invoice.service_date),
    due_date: toDate(invoice.due_date),
    vehicle_description: invoice.vehicle_description ?? '',
    notes: invoice.notes ?? '',
    lines: toLineDrafts(invoice.line_items),
  };
}

/** True if all required values are present, so that the server can compute the totals. */
export function isFinished({ invoice_number: number, lines }: InvoiceDraft): boolean {
  return number.trim() !== '' && lines.every(isLineFinished);
}

/**
 * Returns the request body that creates the invoice. If an invoice of a work order has no typed
 * line items, the rate card prices it.
 */
export function toCreateBody(draft: InvoiceDraft, workOrderId: string | undefined): Schemas['InvoiceCreate'] {
  const texts = CREATABLE.filter((name) => draft[name] !== '').map((name) => [name, draft[name]] as const);
  const isPriced = workOrderId !== undefined && draft.lines.length === 0;
  return {
    invoice_number: draft.invoice_number.trim(),
    ...(draft.customer_id ? { customer_id: draft.customer_id } : {}),
    ...Object.fromEntries(texts),
    ...(workOrderId ? { work_order_id: workOrderId } : {}),
    ...(isPriced ? {} : { line_items: draft.lines.map(toLineInput) }),
  };
}

/** Returns the request body with the members that differ from the record. Null clears a text. */
export function toPatch(draft: InvoiceDraft, before: InvoiceDraft): Schemas['InvoicePatch'] {
  const texts = EDITABLE.filter((name) => draft[name] !== before[name]).map(
    (name) => [name, draft[name] === '' ? null : draft[name]] as const,
  );
  const lines = draft.lines.map(toLineInput);
  const areLinesChanged = JSON.stringify(lines) !== JSON.stringify(before.lines.map(toLineInput));
  return { ...Object.fromEntries(texts), ...(areLinesChanged ? { line_items: lines } : {}) };
}

/** The labels of the members, in the form and in the server's faults. */
export const FIELD_LABELS: Record<TextName | 'customer_id', string> = {
  customer_id: 'Customer',
  invoice_number: 'Number',
  billing_email: 'Billing e-mail',
  po_number: 'PO',
  service_date: 'Service date',
  due_date: 'Due date',
  vehicle_description: 'Vehicle',
  notes: 'Notes',
};

export const LINE_LABELS = {
  category: 'Category',
  name: 'Name',
  description: 'Description',
  quantity: 'Quantity',
  unit_type: 'Unit',
  unit_price_cents: 'Unit price',
  total_cents: 'Line total',
  taxable: 'Taxable',
} as const;

export type LineField = keyof typeof LINE_LABELS;
