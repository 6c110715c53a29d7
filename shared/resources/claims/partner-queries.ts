import type { Database, Transaction } from '../../platform/postgres/database.js';
import type { RecordRef } from '../../records/record-refs.js';
import { hasConnectionSql } from '../../sync/operation-rows.js';
import type { InvoiceStatus } from '../invoices/transitions.js';
import { CLAIM_KIND } from '../open-claims/store.js';
import type { ClaimStatus } from './transitions.js';

/** A claim with all that its billing partner gets. */
export interface PartnerClaim {
  status: ClaimStatus;
  status_reason: string | null;
  attempt: number;
  club: string;
  po_number: string | null;
  expected_cents: number;
  paid_cents: number;
  evidence_urls: string[];
  email: string | null;
  phone: string | null;
  invoice_id: string;
  invoice_number: string;
  invoice_status: string;
  invoice_reason: string | null;
  invoice_tax_cents: number;
  invoice_total_cents: number;
  invoice_paid_cents: number;
  lines: { name: string; quantity: number; unit_price_cents: number; total_cents: number }[];
  /** The evidence that is a photo of the work order. */
  photos: { id: string; object_key: string; content_type: string; bytes: number }[];
}

export async function readPartnerClaim(
  db: Database,
  { tenant_id, id }: RecordRef,
): Promise<PartnerClaim | undefined> {
  const [row] = await db.read<PartnerClaim>(tenant_id, {
    name: 'read-partner-claim',
    text: `select c.status, c.status_reason, c.attempt, c.club, c.po_number, c.expected_cents::float8 as expected_cents,
             c.paid_cents::float8 as paid_cents, array(select e.item->>'url' from jsonb_array_elements(c.evidence) as e(item)) as evidence_urls,
             coalesce(u.billing_email, i.billing_email) as email, u.primary_phone as phone, i.id as invoice_id, i.invoice_number,
             i.status as invoice_status, i.status_reason as invoice_reason, i.tax_cents::float8 as invoice_tax_cents,
             i.total_cents::float8 as invoice_total_cents, i.paid_cents::float8 as invoice_paid_cents,
             coalesce((select json_agg(json_build_object('name', l.name, 'quantity', l.quantity, 'unit_price_cents', l.unit_price_cents,
               'total_cents', l.total_cents) order by l.position) from invoice_line_items l
               where l.tenant_id = i.tenant_id and l.invoice_id = i.id), '[]'::json) as lines,
             coalesce((select json_agg(json_build_object('id', p.id, 'object_key', p.object_key, 'content_type', p.content_type, 'bytes', p.bytes)
               order by p.id) from work_order_photos p where p.tenant_id = i.tenant_id and p.work_order_id = i.work_order_id
               and p.deleted_at is null and exists (select from jsonb_array_elements(c.evidence) as e(item)
                 where right(e.item->>'url', 44) = '/photos/' || p.id)), '[]'::json) as photos
           from claims c join invoices i on i.tenant_id = c.tenant_id and i.id = c.invoice_id
           left join customers u on u.tenant_id = i.tenant_id and u.id = i.customer_id
           where c.tenant_id = $1 and c.id = $2`,
    values: [tenant_id, id],
  });
  return row;
}

interface PartnerRef {
  tenantId: string;
  connectionId: string;
  /** Earlier connections to the same account at the partner. */
  earlierIds: readonly string[];
}

/** The statuses in which the partner may still report something about a claim. */
const POLLED = `('submitted', 'accepted', 'denied', 'rebilling', 'short_paid')`;
/** A claim is polled the less often, the longer ago it was sent. */
const IS_DUE = `(x.compared_at is null
  or x.compared_at < now() - least(interval '6 hours', greatest(interval '5 minutes', (now() - c.submitted_at) / 12)))`;

/** The statuses after which the partner should collect nothing more. */
const ENDED = `('withdrawn', 'expired')`;
/**
 * An ended claim is read once a day, unless the partner has confirmed that it voided the claim, or
 * the worker still has to withdraw it.
 */
const MAY_BE_COLLECTED = `(x.compared_at is null or x.compared_at < now() - interval '1 day')
  and not exists (select from outbound_operations o where o.tenant_id = c.tenant_id and o.kind = '${CLAIM_KIND}' and o.local_id = c.id
    and o.connection_id = any($2::uuid[]) and o.verb = 'withdraw' and (o.state = 'done' or o.next_at is not null))`;

/** True if a creation of the claim got no answer, so the partner may show a second invoice. */
const MAY_HAVE_SURPLUS = `exists (select from outbound_operations o where o.tenant_id = c.tenant_id and ${hasConnectionSql('o', 'c.connection_id')}
  and o.kind = '${CLAIM_KIND}' and o.local_id = c.id and o.verb = 'submit' and o.unanswered_at > now() - interval '7 days')`;
const REPORTED_SURPLUS = `array(select s.external_id from sync_issues s where s.tenant_id = c.tenant_id and s.kind = 'conflict'
  and s.record_kind = '${CLAIM_KIND}' and s.record_id = c.id and s.external_id is not null)`;

/**
 * True if our side of a claim may have changed what both sides mean: others have paid the invoice,
 * or a difference is open.
 */
const MUST_COMPARE = `i.status = 'paid' or exists (select from sync_issues s where s.tenant_id = c.tenant_id
  and s.connection_id = any($2::uuid[]) and s.kind = 'difference' and s.status = 'open' and s.record_kind = '${CLAIM_KIND}'
  and s.external_id = x.external_id)`;

export interface PolledClaim {
  id: string;
  external_id: string;
  /** True if the claim must be compared even if the partner shows the same as before. */
  must_compare: boolean;
  attempt: number;
  invoice_number: string;
  may_have_surplus: boolean;
  /** The partner's ids of the second invoices about which an issue was opened. */
  reported_surplus: string[];
}

/**
 * Finds claims whose state must be read at the partner, also ended ones, which the club may pay by
 * mistake.
 * @param from.after if set, lists all claims in the sequence of their ids, after this one. If null,
 *   lists the claims that are due. Their sequence is random, so that none blocks the others
 */
export async function findPolledClaims(
  db: Database,
  { tenantId, connectionId, earlierIds }: PartnerRef,
  { after, limit }: { after: string | null; limit: number },
): Promise<PolledClaim[]> {
  const values = [tenantId, [connectionId, ...earlierIds], ...(after === null ? [] : [after])];
  const order = after === null ? 'random()' : 'c.id';
  const list = (statuses: string, isDue: string, since: string) => `(
    select c.id, c.attempt, c.tenant_id, c.connection_id, c.invoice_id, x.external_id from claims c
    join external_ids x on x.tenant_id = c.tenant_id and x.connection_id = c.connection_id and x.kind = '${CLAIM_KIND}' and x.local_id = c.id
    where c.tenant_id = $1 and c.connection_id = any($2::uuid[]) and c.status in ${statuses}
      and ${since} > now() - interval '180 days' and ${after === null ? isDue : 'c.id > $3'}
    order by ${order} limit ${limit})`;
  return db.read<PolledClaim>(tenantId, {
    name: after === null ? 'find-due-claims' : 'list-polled-claims',
    text: `select c.id, c.attempt, x.external_id, i.invoice_number, ${MUST_COMPARE} as must_compare,
             ${MAY_HAVE_SURPLUS} as may_have_surplus, case when ${MAY_HAVE_SURPLUS} then ${REPORTED_SURPLUS} else '{}' end as reported_surplus
           from (${list(POLLED, IS_DUE, 'c.submitted_at')} union all ${list(ENDED, MAY_BE_COLLECTED, 'c.updated_at')}) c
           cross join lateral (select c.external_id) x
           join invoices i on i.tenant_id = c.tenant_id and i.id = c.invoice_id
           order by ${order} limit ${limit}`,
    values,
  });
}

/** Our side of a claim that a partner shows. */
export interface OurClaim {
  id: string;
  status: ClaimStatus;
  attempt: number;
  po_number: string | null;
  expected_cents: number;
  paid_cents: number;
  invoice_number: string;
  invoice_status: InvoiceStatus;
  /** What is still owed on the invoice. */
  balance_cents: number;
}

export async function findOurClaims(
  tx: Transaction,
  { tenantId }: Pick<PartnerRef, 'tenantId'>,
  ids: readonly string[],
): Promise<Map<string, OurClaim>> {
  if (ids.length === 0) return new Map();
  const rows = await tx.query<OurClaim>({
    name: 'find-our-claims',
    text: `select c.id, c.status, c.attempt, c.po_number, c.expected_cents::float8 as expected_cents, c.paid_cents::float8 as paid_cents,
             i.invoice_number, i.status as invoice_status, greatest(0, i.total_cents - i.paid_cents)::float8 as balance_cents
           from claims c join invoices i on i.tenant_id = c.tenant_id and i.id = c.invoice_id
           where c.tenant_id = $1 and c.id = any($2::uuid[])`,
    values: [tenantId, ids],
  });
  return new Map(rows.map((row) => [row.id, row]));
}
