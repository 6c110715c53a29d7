import type { InvoiceContent, LineItem, RoadSyncCompany, RoadSyncInvoice } from './company.js';
import { buildGatewayError, RoadSyncRefusal } from './refusal.js';

/** The limit of the API gateway before RoadSync. */
export const MAX_BODY_BYTES = 10 * 1024 * 1024;

/** How a file of each type begins. */
const FILE_STARTS: Readonly<Record<string, Buffer>> = {
  'application/pdf': Buffer.from('%PDF-'),
  'image/png': Buffer.from([0x89, 0x50, 0x4e, 0x47]),
  'image/jpeg': Buffer.from([0xff, 0xd8, 0xff]),
};

/** The members that a PATCH may name. */
const PATCHED = ['lineItems', 'name', 'email', 'phone', 'description', 'comments'] as const;

const PAID = ['processing', 'completed', 'markedaspaid'];

export function createInvoice(
  company: RoadSyncCompany,
  body: InvoiceContent & { companyId: string },
): RoadSyncInvoice {
  const { companyId, ...content } = body;
  if (companyId !== company.id) throw new RoadSyncRefusal('invalid_company', 'Company not found');
  checkContent(company, content);
  return company.addInvoice(content);
}

export function patchInvoice(
  company: RoadSyncCompany,
  invoice: RoadSyncInvoice,
  body: Partial<InvoiceContent>,
): void {
  requireOpen(invoice, 'updated');
  const changes = Object.fromEntries(PATCHED.flatMap((name) => (name in body ? [[name, body[name]]] : [])));
  checkContent(company, { ...invoice.content, ...changes });
  Object.assign(invoice.content, changes);
  company.setStatus(invoice, invoice.status, invoice.failedReason);
}

export function sendInvoice(
  company: RoadSyncCompany,
  invoice: RoadSyncInvoice,
  { email, phone }: { email?: string; phone?: string },
): void {
  requireOpen(invoice, 'sent');
  const own = { email: invoice.content.email, phone: invoice.content.phone };
  invoice.sends.push(email === undefined && phone === undefined ? own : { email, phone });
  if (invoice.status === 'new' || invoice.status === 'failed') company.setStatus(invoice, 'sent');
}

export function voidOnRequest(company: RoadSyncCompany, invoice: RoadSyncInvoice, reason?: string): void {
  requireOpen(invoice, 'voided');
  company.voidInvoice(invoice, reason);
}

/** The clone keeps the lines and the custom fields, and has an id and a number of its own. */
export function cloneInvoice(company: RoadSyncCompany, invoice: RoadSyncInvoice): RoadSyncInvoice {
  return company.addInvoice(invoice.content, invoice.id);
}

/** Refunds an amount of dollars, or what is left of the payment. */
export function refundInvoice(company: RoadSyncCompany, invoice: RoadSyncInvoice, dollars?: number): void {
  if (invoice.status !== 'completed' || !invoice.isPaidByCard)
    throw new RoadSyncRefusal('invalid_status', 'Only invoices paid by credit card can be refunded');
  const left = company.totalCents(invoice) - invoice.refundsCents.reduce((sum, cents) => sum + cents, 0);
  const cents = dollars === undefined ? left : Math.round(dollars * 100);
  if (cents <= 0 || cents > left)
    throw new RoadSyncRefusal('invalid_amount', 'The amount is greater than the invoice amount');
  invoice.refundsCents.push(cents);
  company.setStatus(invoice, invoice.status);
}

/** Stores a file, and returns the gateway's answer to one that is too large. */
export function attachFile(
  invoice: RoadSyncInvoice,
  { name, type, bytes }: { name: string; type: string; bytes: Buffer },
): { status: number; result?: object } {
  if (bytes.length > MAX_BODY_BYTES)
    return { status: 413, result: buildGatewayError('REQUEST_TOO_LARGE', 'Request Too Long') };
  const start = FILE_STARTS[type];
  if (!start || !bytes.subarray(0, start.length).equals(start))
    throw new RoadSyncRefusal('invalid_file', 'The file must be in PDF, PNG, or JPG format');
  invoice.attachments.push({ name, type, bytes });
  return { status: 201 };
}

function requireOpen({ status, deletedAt }: RoadSyncInvoice, verb: string): void {
  if (deletedAt !== undefined)
    throw new RoadSyncRefusal('invoice_voided', `A voided invoice cannot be ${verb}`);
  if (PAID.includes(status)) throw new RoadSyncRefusal('invoice_paid', `A paid invoice cannot be ${verb}`);
}

function checkContent(company: RoadSyncCompany, content: InvoiceContent): void {
  const location = company.locations.find(({ id }) => id === content.locationId);
  if (!location) throw new RoadSyncRefusal('invalid_location', 'Location not found');
  if (!content.email && !content.phone)
    throw new RoadSyncRefusal('missing_contact', 'Either email or phone is required');
  if (location.shiftIds.length > 0 && !location.shiftIds.includes(content.shiftId ?? ''))
    throw new RoadSyncRefusal('invalid_shift', 'A shift of the location is required');
  if (content.lineItems.length === 0)
    throw new RoadSyncRefusal('missing_line_items', 'At least one line item is required');
  for (const line of content.lineItems) checkLine(line, location.products);
  const given = content.customFields ?? {};
  for (const { name, isRequired } of location.customFields ?? [])
    if (isRequired && !given[name]) throw new RoadSyncRefusal('missing_field', `${name} is required`);
  for (const name of location.customFields ? Object.keys(given) : [])
    if (!location.customFields?.some((field) => field.name === name))
      throw new RoadSyncRefusal('invalid_field', `${name} is not a custom field of the location`);
}

function checkLine({ productId, amount }: LineItem, products: readonly { id: string }[]): void {
  if (typeof amount !== 'number' || Math.abs(amount * 100 - Math.round(amount * 100)) > 1e-6)
    throw new RoadSyncRefusal('invalid_amount', 'An amount has at most two decimals');
  if (productId !== undefined && !products.some(({ id }) => id === productId))
    throw new RoadSyncRefusal('invalid_product', 'Product not found');
}
