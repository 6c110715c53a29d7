import { firstIdAt } from '../../../shared/platform/id-times.js';
import type { Database, Transaction } from '../../../shared/platform/postgres/database.js';
import { IS_SAME_ACCOUNT_SQL } from '../../../shared/sync/same-account.js';

interface Ref {
  tenantId: string;
  connectionId: string;
}

/** The kinds of records that a comparison covers. */
export const COMPARED_KINDS = ['payment', 'refund', 'dispute'] as const;
export type ComparedKind = (typeof COMPARED_KINDS)[number];

/** The stored facts about a record with an id at the vendor. */
export interface OurRecord {
  id: string;
  external_id: string;
  status: string;
  amount_cents: number;
  /**
   * True for a refund at the vendor if a person has recorded the same refund here separately. Such
   * a refund is not compared.
   */
  is_counted_otherwise: boolean;
}

/** This connection, and the earlier ones to the same account at the vendor. */
const CONNECTIONS = `connections me join connections c on ${IS_SAME_ACCOUNT_SQL}`;

const byExternalId = (kind: string, table: string, isCountedOtherwise = 'false') =>
  `select t.id, x.external_id, t.status, t.amount_cents::float8 as amount_cents, ${isCountedOtherwise} as is_counted_otherwise
   from ${CONNECTIONS} join external_ids x on x.tenant_id = c.tenant_id and x.connection_id = c.id
   join ${table} t on t.tenant_id = x.tenant_id and t.id = x.local_id
   where me.tenant_id = $1 and me.id = $2 and x.kind = '${kind}' and x.external_id = any($3::text[])`;

const FIND_SQL: Readonly<Record<ComparedKind, string>> = {
  payment: `select t.id, t.provider_payment_id as external_id, t.status, t.amount_cents::float8 as amount_cents,
      false as is_counted_otherwise
    from ${CONNECTIONS} join payments t on t.tenant_id = c.tenant_id and t.connection_id = c.id
    where me.tenant_id = $1 and me.id = $2 and t.provider_payment_id = any($3::text[])`,
  refund: byExternalId('refund', 'refunds', "t.status = 'failed' and t.failure_reason is null"),
  dispute: byExternalId('dispute', 'disputes'),
};

/** Finds stored records by their ids at the vendor. Returns a map from these ids to the records. */
export async function findOurRecords(
  tx: Transaction,
  { tenantId, connectionId }: Ref,
  { kind, externalIds }: { kind: ComparedKind; externalIds: readonly string[] },
): Promise<Map<string, OurRecord>> {
  const rows = await tx.query<OurRecord>({
    name: `find-our-${kind}s`,
    text: FIND_SQL[kind],
    values: [tenantId, connectionId, externalIds],
  });
  return new Map(rows.map((row) => [row.external_id, row]));
}

const DAY_MS = 86_400_000;
/** A bank decides within this time about a debit that a customer has started. */
const PROCESSING_DAYS = 30;
/** Banks decide about disputes within three months, so the search goes no further back. */
const OPEN_DAYS = 120;

const unsettled = (kind: string, table: string, status: string) =>
  `select t.id as key, x.external_id as "externalId" from ${CONNECTIONS}
   join ${table} t on t.tenant_id = c.tenant_id and t.connection_id = c.id
   join external_ids x on x.tenant_id = t.tenant_id and x.connection_id = c.id and x.kind = '${kind}' and x.local_id = t.id
   where me.tenant_id = $1 and me.id = $2 and t.id >= $3 and t.id > $4 and t.status = '${status}'
     and coalesce(x.compared_at < $5, true)
   order by t.id limit $6`;

const UNCOMPARED_SQL: Readonly<Record<ComparedKind, string>> = {
  payment: `select t.id as key, t.provider_payment_id as "externalId" from ${CONNECTIONS}
    join payments t on t.tenant_id = c.tenant_id and t.connection_id = c.id
    left join external_ids x on x.tenant_id = t.tenant_id and x.connection_id = t.connection_id and x.kind = 'payment'
      and x.external_id = t.provider_payment_id
    where me.tenant_id = $1 and me.id = $2 and t.id >= $3 and t.id > $4 and t.provider_payment_id is not null
      and (t.status = 'processing' or t.status = 'succeeded' and t.received_at >= $7)
      and coalesce(x.compared_at < $5, true)
    order by t.id limit $6`,
  refund: unsettled('refund', 'refunds', 'pending'),
  dispute: unsettled('dispute', 'disputes', 'open'),
};

export interface ComparisonPlace {
  /** Time at which the comparison began, in the format of RFC 3339. */
  startedAt: string;
  /** Start of the compared period, in the format of RFC 3339. */
  since: string;
  /** The key of the last record on the previous page. */
  after: string | null;
  limit: number;
}

/**
 * Finds stored records that the vendor's lists did not contain: records of the compared period, and
 * older records about which the vendor has not decided. Ids begin with the time, so the query reads
 * no older rows.
 */
export async function findUncomparedRecords(
  db: Database,
  { tenantId, connectionId }: Ref,
  kind: ComparedKind,
  { startedAt, since, after, limit }: ComparisonPlace,
): Promise<{ key: string; externalId: string }[]> {
  const days = kind === 'payment' ? PROCESSING_DAYS : OPEN_DAYS;
  const first = firstIdAt(Date.parse(since) - days * DAY_MS);
  const values = [tenantId, connectionId, first, after ?? first, startedAt, limit];
  return db.read(tenantId, {
    name: `find-uncompared-${kind}s`,
    text: UNCOMPARED_SQL[kind],
    values: kind === 'payment' ? [...values, since] : values,
  });
}
