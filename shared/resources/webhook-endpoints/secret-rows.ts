import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { type ExpiryRule, RETENTION } from '../../records/expiry.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import type { SealedKeyPair, SealedSecret } from './secret.js';

type Scheme = 'v1' | 'v1a';

/** The number of an endpoint's secrets that sign deliveries now, by scheme. */
export type SigningCounts = Record<Scheme, number>;

/** New secrets for an endpoint; `material` or `pair` may be absent. */
interface NewSecrets {
  ref: RecordRef;
  material?: SealedSecret | undefined;
  pair?: SealedKeyPair | undefined;
}

export async function insertSecrets(tx: Transaction, minted: NewSecrets[]): Promise<void> {
  const rows = minted.flatMap(({ ref: { tenant_id, id: endpoint_id }, material, pair }) => {
    const buildKey = () => ({ tenant_id, id: newId(), endpoint_id });
    return [
      ...(material ? [{ ...buildKey(), scheme: 'v1', secret_sealed: material.sealed }] : []),
      ...(pair
        ? [{ ...buildKey(), scheme: 'v1a', secret_sealed: pair.sealed, public_key: pair.publicKey }]
        : []),
    ];
  });
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert-webhook-secrets',
    text: `insert into webhook_secrets (tenant_id, id, endpoint_id, scheme, secret_sealed, public_key)
           select tenant_id, id, endpoint_id, scheme, secret_sealed, public_key
           from ${recordsetSql('tenant_id uuid, id uuid, endpoint_id uuid, scheme text, secret_sealed text, public_key text')}`,
    values: [JSON.stringify(rows)],
  });
}

/**
 * Counts the secrets that sign deliveries now, by endpoint. Call this function after locking the
 * endpoints, so that no other transaction changes their secrets.
 */
export async function countSigningSecrets(
  tx: Transaction,
  refs: RecordRef[],
): Promise<(ref: RecordRef) => SigningCounts> {
  const rows = await tx.query<RecordRef & SigningCounts>({
    name: 'count-webhook-secrets',
    text: `select r.tenant_id, r.id, count(*) filter (where s.scheme = 'v1')::int as v1, count(*) filter (where s.scheme = 'v1a')::int as v1a
           from ${recordsetSql('tenant_id uuid, id uuid')}
           join webhook_secrets s on s.tenant_id = r.tenant_id and s.endpoint_id = r.id and coalesce(s.expires_at, 'infinity') > now()
           group by r.tenant_id, r.id`,
    values: [JSON.stringify(refs)],
  });
  const counts = new Map(rows.map((row) => [refKey(row), row]));
  return (ref) => counts.get(refKey(ref)) ?? { v1: 0, v1a: 0 };
}

/**
 * Makes the secrets of each endpoint expire after its `hours`, unless they expire earlier. Then
 * deletes the expired secrets. With 0 hours, this deletes all secrets of the endpoint.
 */
export async function expireSecrets(
  tx: Transaction,
  endpoints: (RecordRef & { hours: number })[],
): Promise<void> {
  if (endpoints.length === 0) return;
  await tx.query({
    name: 'retire-webhook-secrets',
    text: `update webhook_secrets t set expires_at = least(coalesce(t.expires_at, 'infinity'), now() + make_interval(hours => r.hours))
           from ${recordsetSql('tenant_id uuid, id uuid, hours integer')} where t.tenant_id = r.tenant_id and t.endpoint_id = r.id`,
    values: [JSON.stringify(endpoints)],
  });
  await tx.query({
    name: 'forget-webhook-secrets',
    text: `delete from webhook_secrets t using ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.endpoint_id = r.id and t.expires_at <= now()`,
    values: [JSON.stringify(endpoints)],
  });
}

/** Deletes the key pairs of endpoints that stop signing with ed25519. */
export async function deleteKeyPairs(tx: Transaction, refs: RecordRef[]): Promise<void> {
  if (refs.length === 0) return;
  await tx.query({
    name: 'drop-webhook-key-pairs',
    text: `delete from webhook_secrets t using ${recordsetSql('tenant_id uuid, id uuid')}
           where t.tenant_id = r.tenant_id and t.endpoint_id = r.id and t.scheme = 'v1a'`,
    values: [JSON.stringify(refs)],
  });
}

/** The clock deletes a rotated secret {@link RETENTION} after the secret expired. */
export const EXPIRED_SECRETS: ExpiryRule = {
  table: 'webhook_secrets',
  condition: `o.expires_at < now() - ${RETENTION}`,
};
