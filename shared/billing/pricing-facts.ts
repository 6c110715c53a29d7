import type { RateCardItem } from '../contracts/generated.js';
import type { SqlQuery } from '../platform/postgres/database.js';
import type { RecordRef } from '../records/record-refs.js';
import { recordsetSql } from '../records/record-refs.js';
import { isAfterHours, joinCardInForce } from './card-in-force.js';
import { invoicedDays, STORAGE_DUE } from './storage-days.js';
import { TAX_RATE } from './tax-rates.js';

export interface WorkOrderToPrice extends RecordRef {
  /**
   * The customer whose rate card applies. Ignored if `of_job` is true: then the work order's own
   * customer is used.
   */
  customer_id: string | null;
  of_job: boolean;
}

/**
 * The facts that determine a work order's price. One query reads all facts, so that they describe
 * the same moment.
 */
export interface PricingFactsRow extends RecordRef {
  job_number: string;
  status: string;
  cancel_reason: string | null;
  service_type: string;
  customer_id: string | null;
  completed_at: string | null;
  vehicle_description: string | null;
  miles: number | null;
  quarter_hours: number | null;
  tax_rate_bps: number;
  card_id: string | null;
  card_name: string;
  card_effective_from: string;
  card_items: RateCardItem[];
  is_after_hours: boolean;
  impound_id: string | null;
  /** All chargeable days of storage up to now, including the days that are invoiced already. */
  storage_due: number;
  daily_rate_cents: number;
  is_waived: boolean;
  /**
   * The number of the first invoice that charges anything but storage by the day for this work
   * order. Void and cancelled invoices do not count.
   */
  invoiced_by: string | null;
  invoiced_days: number;
}

/**
 * The SQL for the time whose date selects the rate card: a completed work order's completion, a
 * cancelled work order's dispatch, or else the current time.
 */
const PRICED_AT = `case when w.status = 'completed' then coalesce(w.completion_time, w.updated_at)
  when w.status = 'cancelled' then coalesce(w.dispatch_time, w.created_at) else now() end`;

const INVOICED_BY = `(select n.invoice_number from invoices n
  where n.tenant_id = w.tenant_id and n.work_order_id = w.id and n.status not in ('void', 'cancelled')
    and exists (select from invoice_line_items l where l.tenant_id = n.tenant_id and l.invoice_id = n.id
                  and not (l.category = 'storage' and l.unit_type = 'day'))
  order by n.created_at limit 1)`;

/**
 * Builds the query that returns a {@link PricingFactsRow} per work order. The result omits unknown
 * work orders.
 */
export function buildPricingFactsQuery(jobs: WorkOrderToPrice[]): SqlQuery {
  return {
    name: 'job-facts',
    text: `
      select w.tenant_id, w.id, w.job_number, w.status, w.cancel_reason, w.service_type, c.id as customer_id,
        to_json(w.completion_time)#>>'{}' as completed_at,
        nullif(concat_ws(' ', w.vehicle_year, w.vehicle_make, w.vehicle_model, 'VIN ' || w.vin, 'unit ' || w.unit_number), '') as vehicle_description,
        w.miles, ceil(extract(epoch from w.completion_time - w.dispatch_time) / 900)::int as quarter_hours,
        ${TAX_RATE} as tax_rate_bps,
        card.id as card_id, card.name as card_name, card.effective_from::text as card_effective_from, card.items as card_items,
        coalesce(${isAfterHours('at.sent')}, false) as is_after_hours,
        i.id as impound_id, coalesce(${STORAGE_DUE}, 0) as storage_due, i.daily_rate_cents,
        coalesce(i.release_kind = 'no_charge', false) as is_waived,
        ${INVOICED_BY} as invoiced_by,
        case when i.id is null then 0 else ${invoicedDays('i')} end as invoiced_days
      from ${recordsetSql('tenant_id uuid, id uuid, customer_id uuid, of_job boolean')}
      join work_orders w on w.tenant_id = r.tenant_id and w.id = r.id
      join tenants t on t.tenant_id = w.tenant_id
      left join customers c on c.tenant_id = w.tenant_id and c.id = case when r.of_job then w.customer_id else r.customer_id end
      left join impounds i on i.tenant_id = w.tenant_id and i.work_order_id = w.id
      cross join lateral (
        select (${PRICED_AT} at time zone t.time_zone)::date as day,
          coalesce(w.dispatch_time, w.created_at) at time zone t.time_zone as sent
      ) at
      ${joinCardInForce('w.tenant_id', 'c.rate_card_id', 'at.day')}`,
    values: [JSON.stringify(jobs)],
  };
}
