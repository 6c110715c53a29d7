import type { Transaction } from '../../platform/postgres/database.js';
import type { ClaimStatus } from '../claims/transitions.js';
import type { InvoiceStatus } from '../invoices/transitions.js';

/** The statuses in which a club's payment of a claim is recorded (CLAIM_MOVES). */
export const PAYABLE: readonly ClaimStatus[] = ['submitted', 'accepted', 'short_paid'];

/** An invoice that a line may pay, with one of its claims. */
export interface Candidate {
  invoice_id: string;
  invoice_number: string;
  invoice_status: InvoiceStatus;
  customer_id: string | null;
  balance_cents: number;
  /** The PO of the claim, or of the invoice if the claim has none. */
  po_number: string | null;
  claim: { id: string; status: ClaimStatus; expected_cents: number; paid_cents: number } | null;
}

export interface Candidates {
  byPo: Map<string, Candidate[]>;
  byNumber: Map<string, Candidate[]>;
  byClaim: Map<string, Candidate>;
}

/** The columns of a candidate, of the invoice `i` and its claim `c`. */
const CANDIDATE = `json_build_object('invoice_id', i.id, 'invoice_number', i.invoice_number, 'customer_id', i.customer_id,
  'balance_cents', greatest(0, i.total_cents - i.paid_cents), 'po_number', coalesce(c.po_number, i.po_number),
  'invoice_status', i.status,
  'claim', case when c.id is not null then json_build_object('id', c.id, 'status', c.status, 'expected_cents', c.expected_cents,
    'paid_cents', c.paid_cents) end) as candidate`;

/**
 * At most so many claims and invoices are compared per PO, payable ones first. A club that sends
 * `N/A` as every PO could otherwise make one line return the whole account.
 */
export const MAX_PER_PO = 10;

const PAYABLE_FIRST = `c.status in (${PAYABLE.map((status) => `'${status}'`).join(', ')}) desc nulls last, i.created_at desc
  limit ${MAX_PER_PO}`;

/**
 * Finds what lines may pay, with three queries for any number of lines. A PO is compared exactly,
 * as everywhere else.
 */
export async function findCandidates(
  tx: Transaction,
  tenantId: string,
  { pos, numbers, claimIds }: { pos: string[]; numbers: string[]; claimIds: string[] },
): Promise<Candidates> {
  const [byPo, byNumber, byClaim] = await Promise.all([
    readCandidates(tx, {
      name: 'remittance-candidates-by-po',
      text: `select p.key, x.candidate from unnest($2::text[]) as p(key) cross join lateral (
               (select ${CANDIDATE} from claims c join invoices i on i.tenant_id = c.tenant_id and i.id = c.invoice_id
                where c.tenant_id = $1 and c.po_number = p.key order by ${PAYABLE_FIRST})
               union all
               (select ${CANDIDATE} from invoices i left join claims c on c.tenant_id = i.tenant_id and c.invoice_id = i.id
                where i.tenant_id = $1 and i.po_number = p.key and c.po_number is null order by ${PAYABLE_FIRST})) x`,
      values: [tenantId, pos],
    }),
    readCandidates(tx, {
      name: 'remittance-candidates-by-number',
      text: `select i.invoice_number as key, ${CANDIDATE} from invoices i
             left join claims c on c.tenant_id = i.tenant_id and c.invoice_id = i.id
             where i.tenant_id = $1 and i.invoice_number = any($2::text[]) order by c.created_at desc`,
      values: [tenantId, numbers],
    }),
    readCandidates(tx, {
      name: 'remittance-candidates-by-claim',
      text: `select c.id::text as key, ${CANDIDATE} from claims c join invoices i on i.tenant_id = c.tenant_id and i.id = c.invoice_id
             where c.tenant_id = $1 and c.id = any($2::uuid[])`,
      values: [tenantId, claimIds],
    }),
  ]);
  const first = ([key, candidates]: [string, Candidate[]]) => [key, candidates[0] as Candidate] as const;
  return { byPo, byNumber, byClaim: new Map([...byClaim].map(first)) };
}

async function readCandidates(
  tx: Transaction,
  query: { name: string; text: string; values: [tenantId: string, keys: string[]] },
): Promise<Map<string, Candidate[]>> {
  const found = new Map<string, Candidate[]>();
  if (query.values[1].length === 0) return found;
  for (const { key, candidate } of await tx.query<{ key: string; candidate: Candidate }>(query)) {
    const candidates = found.get(key);
    if (candidates) candidates.push(candidate);
    else found.set(key, [candidate]);
  }
  return found;
}
