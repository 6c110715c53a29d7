import type { Transaction } from '../../platform/postgres/database.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { PO_IN_NOTES_PATTERN } from '../open-claims/release.js';
import type { DenialFacts } from './denial-rules.js';

/**
 * Reads facts that may help to answer the denials of these claims.
 * @returns the facts by the {@link refKey} of the claim
 */
export async function readDenialFacts(
  tx: Transaction,
  claims: RecordRef[],
): Promise<Map<string, DenialFacts>> {
  if (claims.length === 0) return new Map();
  const rows = await tx.query<RecordRef & DenialFacts>({
    name: 'denial-facts',
    text: `select r.tenant_id, r.id, i.po_number, substring(w.notes from ${PO_IN_NOTES_PATTERN}) as noted_po, w.miles::float8 as miles,
             m.billed_miles, m.mile_cents, p.photos
           from ${recordsetSql('tenant_id uuid, id uuid')}
           join claims c on c.tenant_id = r.tenant_id and c.id = r.id
           join invoices i on i.tenant_id = c.tenant_id and i.id = c.invoice_id
           left join work_orders w on w.tenant_id = i.tenant_id and w.id = i.work_order_id
           cross join lateral (
             select sum(l.quantity)::float8 as billed_miles, max(l.unit_price_cents)::float8 as mile_cents from invoice_line_items l
             where l.tenant_id = i.tenant_id and l.invoice_id = i.id and l.category = 'mileage' and l.unit_type = 'mile'
           ) m
           cross join lateral (
             select coalesce(json_agg(photo.item ->> 'url'), '[]'::json) as photos
             from inspections s, jsonb_array_elements(s.photos) as photo(item)
             where s.tenant_id = w.tenant_id and s.work_order_id = w.id
           ) p`,
    values: [JSON.stringify(claims)],
  });
  return new Map(rows.map((row) => [refKey(row), row]));
}
