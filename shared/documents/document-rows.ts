import type { SqlQuery } from '../platform/postgres.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';
import { invoiceRepresentation } from '../resources/invoices/representation.js';
import type { LogoType } from './logo-image.js';

/** The members of an invoice's JSON that its document shows. */
export interface InvoiceJson {
  invoice_number: string;
  status: string;
  po_number: string | null;
  vehicle_description: string | null;
  billing_email: string | null;
  service_date: string | null;
  effective_due_date: string | null;
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

/** The logo on an account's invoices. The SHA-256 identifies its version. */
export interface LogoRef {
  sha256: string;
  content_type: LogoType;
  width: number;
  height: number;
}

interface Address {
  address: string | null;
  city: string | null;
  state: string | null;
  zip: string | null;
}

/** Everything that the document of an invoice shows. */
export interface DocumentRow {
  /** The REST representation of the invoice, as JSON text. */
  body: string;
  released_at: Date | null;
  tax_rate_bps: number;
  /** Payment terms of the customer, else of the account. */
  terms_days: number;
  time_zone: string;
  environment: 'live' | 'sandbox';
  account: Address & {
    name: string;
    phone: string | null;
    email: string | null;
    remittance_text: string | null;
  };
  customer: (Address & { company_name: string }) | null;
  logo: LogoRef | null;
}

/**
 * SQL: the columns of a {@link DocumentRow}. Needs `i` invoices, `t` tenants and `c` customers
 * (outer join).
 */
export const DOCUMENT_COLUMNS = `(${invoiceRepresentation('i')})::text as body, i.released_at, i.tax_rate_bps,
  coalesce(c.terms_days, t.terms_days) as terms_days, t.time_zone, t.environment,
  json_build_object('name', coalesce(t.business_name, t.name), 'address', t.address, 'city', t.city, 'state', t.state, 'zip', t.zip,
    'phone', t.phone, 'email', t.email, 'remittance_text', t.remittance_text) as account,
  case when c.id is not null then json_build_object('company_name', c.company_name, 'address', c.address, 'city', c.city, 'state', c.state,
    'zip', c.zip) end as customer,
  (select json_build_object('sha256', g.sha256, 'content_type', g.content_type, 'width', g.width, 'height', g.height)
   from account_logos g where g.tenant_id = i.tenant_id) as logo`;

/** SQL: the joins that {@link DOCUMENT_COLUMNS} needs in addition to `invoices i`. */
export const DOCUMENT_JOINS = `
  join tenants t on t.tenant_id = i.tenant_id
  left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id`;

/** Builds the query that reads the documents of these invoices. */
export function buildInvoiceDocumentQuery(refs: RecordRef[]): SqlQuery {
  return {
    name: 'invoice-documents',
    text: `select i.tenant_id, i.id, ${DOCUMENT_COLUMNS} from ${recordsetSql('tenant_id uuid, id uuid')}
           join invoices i on i.tenant_id = r.tenant_id and i.id = r.id ${DOCUMENT_JOINS}`,
    values: [JSON.stringify(refs)],
  };
}
