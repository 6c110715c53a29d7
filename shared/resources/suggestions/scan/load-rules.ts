import { joinCardInForce } from '../../../billing/card-in-force.js';
import { invoicedDays } from '../../../billing/storage-days.js';
import type { RateCardItem } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../../../records/record-refs.js';
import type { CoverageTerms, ImpoundStay } from '../detectors/facts.js';
import { UNRELEASED_STATUSES } from './change-sources.js';

/** What the account's own rules say about an invoice: rate card, impound, and coverage. */
export interface BillingRules {
  invoice_id: string;
  cardItems: RateCardItem[] | null;
  impound: ImpoundStay | null;
  coverage: CoverageTerms | null;
}

/** SQL for the invoices of the impound `p` that may charge its storage. */
const SIBLINGS = `invoices n where n.tenant_id = p.tenant_id and n.work_order_id = p.work_order_id
  and n.status not in ('void', 'cancelled')`;

const IS_BILLED_OTHERWISE = `exists (select from (select * from ${SIBLINGS} offset 0) n
  join invoice_line_items l on l.tenant_id = n.tenant_id and l.invoice_id = n.id
  where l.category = 'storage' and l.unit_type <> 'day')`;

/** SQL for what earlier invoices of the work order `w` bill the customer `c`. */
const BILLED_EARLIER = `cross join lateral (
  select coalesce(sum(n.subtotal_cents), 0)::bigint as cents, coalesce(sum(m.miles), 0)::float8 as miles
  from (select * from invoices n where n.tenant_id = w.tenant_id and n.work_order_id = w.id and n.customer_id = c.id
          and c.coverage is not null and n.status not in ('void', 'cancelled') and (n.created_at, n.id) < (i.created_at, i.id) offset 0) n
  cross join lateral (select sum(l.quantity) as miles from invoice_line_items l
    where l.tenant_id = n.tenant_id and l.invoice_id = n.id and l.category = 'mileage' and l.unit_type = 'mile') m
) earlier`;

const COVERAGE = `case when c.coverage is not null and i.status in ${UNRELEASED_STATUSES} then c.coverage || jsonb_build_object(
  'earlier_miles', earlier.miles, 'earlier_cents', earlier.cents) end`;

const IS_NEWEST = `not exists (select from ${SIBLINGS} and (n.created_at, n.id) > (i.created_at, i.id))`;

/**
 * Reads the rules that apply to invoices with a work order. A card applies by the day of the
 * completion, as when it was priced. Storage is due after a release, unless it was without a
 * charge. Of a vehicle that the yard sold or scrapped (`disposed`), the owner is billed nothing.
 */
export function loadBillingRules(tx: Transaction, refs: readonly RecordRef[]): Promise<BillingRules[]> {
  return tx.query<BillingRules>({
    name: 'watched-rules',
    text: `select i.id as invoice_id, card.items as "cardItems",
             case when p.id is not null then json_build_object(
               'is_due', p.status = 'released' and p.release_kind is distinct from 'no_charge',
               'charged_days', p.accrued_days, 'invoiced_days', ${invoicedDays('p')}, 'daily_rate_cents', p.daily_rate_cents,
               'is_billed_otherwise', ${IS_BILLED_OTHERWISE}, 'is_newest_invoice', ${IS_NEWEST}) end as impound,
             ${COVERAGE} as coverage
           from ${recordsetSql('tenant_id uuid, id uuid', 'own')}
           join lateral (select * from invoices x where x.tenant_id = own.tenant_id and x.id = own.id offset 0) i on true
           join lateral (select * from work_orders x where x.tenant_id = own.tenant_id and x.id = i.work_order_id offset 0) w on true
           join tenants t on t.tenant_id = own.tenant_id
           left join lateral (select * from customers x where x.tenant_id = own.tenant_id and x.id = i.customer_id offset 0) c on true
           left join lateral (select * from impounds x where x.tenant_id = own.tenant_id and x.work_order_id = w.id offset 0) p on true
           ${BILLED_EARLIER}
           cross join lateral (select (coalesce(w.completion_time, w.dispatch_time, w.created_at) at time zone t.time_zone)::date as day) at
           ${joinCardInForce('own.tenant_id', 'c.rate_card_id', 'at.day')}`,
    values: [JSON.stringify(refs)],
  });
}
