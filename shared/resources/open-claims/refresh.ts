import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';

/** The fields of a claim that follow its invoice and its work order. */
export interface FollowingFields {
  expected_cents: number;
  po_number: string | null;
  evidence: { kind: string; url: string; note: string | null }[];
}

/**
 * Returns the values with which claims must be sent now. A value that a person has entered at the
 * claim, or that answers a denial, stays and is left out.
 * @returns the values by the {@link refKey} of the claim
 */
export async function findOutdatedFields(
  tx: Transaction,
  claims: readonly (RecordRef & FollowingFields)[],
): Promise<Map<string, Partial<FollowingFields>>> {
  if (claims.length === 0) return new Map();
  const entered = await tx.query<RecordRef & { fields: string[] }>({
    name: 'find-entered-claim-fields',
    text: `select r.tenant_id, r.id, array(select distinct x.change->>'field' from audit_entries a, jsonb_array_elements(a.changes) as x(change)
             where a.tenant_id = r.tenant_id and a.entity_id = r.id and a.outcome = 'ok' and jsonb_typeof(a.changes) = 'array'
               and (a.action in ('claim.created', 'claim.updated')
                 or a.action in ('claim.answered', 'claim.reported') and x.change->>'field' in ('po_number', 'evidence'))
             union select 'evidence' from audit_entries a
             where a.tenant_id = r.tenant_id and a.entity_id = r.id and a.action = 'claim.created') as fields
           from ${recordsetSql('tenant_id uuid, id uuid')}`,
    values: [JSON.stringify(claims.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
  const fieldsByClaim = new Map(entered.map((row) => [refKey(row), row.fields]));
  return new Map(
    claims.map(({ expected_cents, po_number, evidence, ...ref }) => {
      const kept = fieldsByClaim.get(refKey(ref)) ?? [];
      const values = { expected_cents, po_number, evidence };
      return [
        refKey(ref),
        Object.fromEntries(Object.entries(values).filter(([field]) => !kept.includes(field))),
      ];
    }),
  );
}

/**
 * Stores the values with which waiting claims are sent again. Leaves out a claim that another
 * transaction has locked, because commands of claims lock the claim before the invoice. Such a
 * command reads the values itself, or ends the claim.
 */
export async function refreshWaitingClaims(
  tx: Transaction,
  claims: readonly (RecordRef & FollowingFields)[],
): Promise<void> {
  if (claims.length === 0) return;
  const outdated = await findOutdatedFields(tx, claims);
  const rows = claims.map((claim) => {
    const { tenant_id, id } = claim;
    return { tenant_id, id, fresh: outdated.get(refKey(claim)) ?? {} };
  });
  const columns = recordsetSql('tenant_id uuid, id uuid, fresh jsonb');
  await tx.query({
    name: 'refresh-waiting-claims',
    text: `with free as (
             select c.tenant_id, c.id, r.fresh from ${columns} join claims c on c.tenant_id = r.tenant_id and c.id = r.id
             where c.status in ('queued', 'rebilling') order by c.tenant_id, c.id for update of c skip locked)
           update claims t set expected_cents = coalesce((f.fresh->>'expected_cents')::bigint, t.expected_cents),
             po_number = case when f.fresh ? 'po_number' then f.fresh->>'po_number' else t.po_number end,
             evidence = coalesce(f.fresh->'evidence', t.evidence), updated_at = ${nextUpdatedAtSql('t')}
           from free f where t.tenant_id = f.tenant_id and t.id = f.id`,
    values: [JSON.stringify(rows)],
  });
}
