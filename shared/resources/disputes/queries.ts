import type { DisputeListQuery } from '../../contracts/generated.js';
import type { Database } from '../../platform/postgres/database.js';
import { defineList } from '../../records/lists/define-list.js';
import { disputeFields } from './fields.js';

export const listDisputes = defineList<DisputeListQuery>({
  table: 'disputes',
  fields: disputeFields,
  filters: ['invoice_id', 'payment_id', 'status'],
});

/** A photo of the work. `taken_at` is null if the phone did not say when. Times are RFC 3339. */
export interface EvidencePhoto {
  object_key: string;
  bytes: number;
  sha256: string;
  taken_at: string | null;
  created_at: string;
}

/** The account's records about a disputed payment. */
export interface EvidenceFacts {
  provider_dispute_id: string;
  invoice_number: string;
  service_type: string | null;
  pickup: string | null;
  customer_name: string | null;
  customer_email: string | null;
  service_date: string | null;
  /** The text that the account itself adds to the evidence. */
  text: string | null;
  /** The log of the work order: its steps with their times. */
  steps: { step: string; at: string }[];
  /** The photos of the work order, newest first. */
  photos: EvidencePhoto[];
  invoice_id: string;
}

export async function readEvidenceFacts(
  db: Database,
  { tenant_id, id }: { tenant_id: string; id: string },
): Promise<EvidenceFacts | undefined> {
  const [row] = await db.read<EvidenceFacts>(tenant_id, {
    name: 'read-evidence-facts',
    text: `select d.provider_dispute_id, d.invoice_id, i.invoice_number, w.service_type, w.pickup_location as pickup,
             c.company_name as customer_name, coalesce(i.billing_email, c.billing_email) as customer_email,
             to_char(coalesce(w.completion_time, i.released_at) at time zone t.time_zone, 'YYYY-MM-DD') as service_date,
             d.evidence->>'text' as text,
             coalesce((select json_agg(json_build_object('step', s.step, 'at', s.at) order by s.at, s.id) from work_order_steps s
               where s.tenant_id = w.tenant_id and s.work_order_id = w.id), '[]'::json) as steps,
             coalesce((select json_agg(json_build_object('object_key', p.object_key, 'bytes', p.bytes, 'sha256', p.sha256,
               'taken_at', p.taken_at, 'created_at', p.created_at) order by p.id desc)
               from work_order_photos p where p.tenant_id = w.tenant_id and p.work_order_id = w.id and p.deleted_at is null), '[]'::json) as photos
           from disputes d join invoices i on i.tenant_id = d.tenant_id and i.id = d.invoice_id
           join tenants t on t.tenant_id = d.tenant_id
           left join work_orders w on w.tenant_id = i.tenant_id and w.id = i.work_order_id
           left join customers c on c.tenant_id = i.tenant_id and c.id = i.customer_id
           where d.tenant_id = $1 and d.id = $2`,
    values: [tenant_id, id],
  });
  return row;
}
