import type { DocumentRow } from '../../documents/document-rows.js';
import { selectLogoRef } from '../../documents/logo-queries.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../../records/record-refs.js';
import { invoiceFields } from './fields.js';

/**
 * SQL for the columns of a {@link DocumentRow}. The query must join {@link DOCUMENT_JOINS} to
 * `invoices i`.
 */
export const DOCUMENT_COLUMNS = `(${invoiceFields.representation('i')})::text as body, i.released_at, i.tax_rate_bps,
  coalesce(c.terms_days, t.terms_days) as terms_days, t.time_zone, t.environment,
  json_build_object('name', coalesce(t.business_name, t.name), 'address', t.address, 'city', t.city, 'state', t.state, 'zip', t.zip,
    'phone', t.phone, 'email', t.email, 'remittance_text', t.remittance_text,
    'mail_subject', t.mail_subject, 'mail_text', t.mail_text, 'sms_text', t.sms_text) as account,
  case when c.id is not null then json_build_object('company_name', c.company_name, 'address', c.address, 'city', c.city, 'state', c.state,
    'zip', c.zip) end as customer,
  ${selectLogoRef('i')} as logo`;

export const DOCUMENT_JOINS = `
  join tenants t on t.tenant_id = i.tenant_id
  left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id`;

export function buildInvoiceDocumentQuery(refs: RecordRef[]): SqlQuery {
  return {
    name: 'invoice-documents',
    text: `select i.tenant_id, i.id, ${DOCUMENT_COLUMNS} from ${recordsetSql('tenant_id uuid, id uuid')}
           join invoices i on i.tenant_id = r.tenant_id and i.id = r.id ${DOCUMENT_JOINS}`,
    values: [JSON.stringify(refs)],
  };
}
