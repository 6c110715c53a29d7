import type { Prompt } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import { insertOperations } from '../../sync/operation-rows.js';
import { findSuccessors } from '../../sync/same-account.js';

/*
 * The rows of claims are written here and not in the folder `claims`, to avoid an import cycle.
 * `claims` imports `invoices`, because a club's answer changes the invoice. `invoices` imports this
 * folder, because a released invoice may become a claim.
 */

/** The kind of the outbound operations that send claims to a billing partner, or withdraw them. */
export const CLAIM_KIND = 'claim';
export type ClaimVerb = 'submit' | 'withdraw';

/**
 * Stores the operations of claims at their partners. A withdrawal goes to the connection that has
 * replaced a revoked one to the same account.
 */
export async function insertClaimOperations(
  tx: Transaction,
  claims: readonly (RecordRef & { connection_id: string; verb: ClaimVerb })[],
): Promise<void> {
  const withdrawn = claims.filter(({ verb }) => verb === 'withdraw');
  const successors = await findSuccessors(
    tx,
    withdrawn.map(({ tenant_id, connection_id: id }) => ({ tenant_id, id })),
  );
  await insertOperations(
    tx,
    claims.map(({ tenant_id, id: local_id, connection_id: own, verb }) => {
      const connection_id = (verb === 'withdraw' && successors.get(own)) || own;
      // The worker looks at the partner before each creation, so no operation needs an earlier key.
      return { tenant_id, connection_id, kind: CLAIM_KIND, local_id, verb, is_creation: false };
    }),
  );
}

export const promptPartner = (connectionId: string): Prompt => ({
  queue: INTEGRATIONS_QUEUE,
  id: connectionId,
});

/**
 * Inserts claims, and returns the keys of the inserted ones. Leaves out a claim if its invoice has
 * an open one. The caller has locked the invoices.
 * @param name identifies the query, because callers insert different columns
 * @param columns the columns of the rows besides `tenant_id` and `id`, with their types
 */
export async function insertClaims(
  tx: Transaction,
  rows: readonly RecordRef[],
  { name, columns }: { name: string; columns: string },
): Promise<Set<string>> {
  if (rows.length === 0) return new Set();
  const names = parseColumnNames(columns);
  const inserted = await tx.query<RecordRef>({
    name,
    text: `insert into claims (tenant_id, id, ${names.join(', ')}, submit_by)
           select r.tenant_id, r.id, ${names.map((column) => `r.${column}`).join(', ')},
             coalesce(i.service_date, (select w.completion_time from work_orders w where w.tenant_id = i.tenant_id and w.id = i.work_order_id),
               i.created_at) + interval '60 days'
           from ${recordsetSql(`tenant_id uuid, id uuid, ${columns}`)} join invoices i on i.tenant_id = r.tenant_id and i.id = r.invoice_id
           order by r.tenant_id, r.invoice_id
           on conflict (tenant_id, invoice_id) where status not in ('paid', 'withdrawn', 'expired') do nothing returning tenant_id, id`,
    values: [JSON.stringify(rows)],
  });
  return new Set(inserted.map(refKey));
}

/**
 * Stores changed claims.
 * @param columns the columns to store, with their types
 */
export async function updateClaimRows(
  tx: Transaction,
  rows: readonly RecordRef[],
  columns: string,
): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'store-claims',
    text: `update claims t set ${parseColumnNames(columns)
      .map((name) => `${name} = r.${name}`)
      .join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${columns}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}

/** The statuses after which the partner must not be paid for an invoice. */
const ANNULLED: readonly string[] = ['void', 'cancelled'];

/**
 * Lets the worker withdraw the claims of void invoices at their partners. The worker then ends the
 * claims by a command. The claims are not locked, because their commands lock in another sequence.
 */
export async function withdrawAnnulledClaims(
  tx: Transaction,
  invoices: readonly (RecordRef & { status: string })[],
): Promise<void> {
  const annulled = invoices.filter(({ status }) => ANNULLED.includes(status));
  if (annulled.length === 0) return;
  const claims = await tx.query<RecordRef & { connection_id: string }>({
    name: 'find-annulled-claims',
    text: `select c.tenant_id, c.id, c.connection_id from ${recordsetSql('tenant_id uuid, id uuid')}
           join claims c on c.tenant_id = r.tenant_id and c.invoice_id = r.id and c.connection_id is not null
             and c.status not in ('paid', 'withdrawn', 'expired')`,
    values: [JSON.stringify(annulled.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  await insertClaimOperations(
    tx,
    claims.map((claim) => ({ ...claim, verb: 'withdraw' as const })),
  );
}
