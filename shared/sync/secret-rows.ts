import type { Transaction } from '../platform/postgres/database.js';
import { type RecordRef, recordsetSql } from '../records/record-refs.js';

export interface SecretRow {
  sealed: string;
  /**
   * Expiry of the access token in ms since 1970. Null without an access token, or if the token does
   * not expire.
   */
  access_expires_at: number | null;
  version: number;
  refusals: number;
  /** Number of failed tries to revoke the access of a disconnected connection. */
  revoke_attempts: number;
  /** False while a failed revocation waits for its next try. */
  can_revoke: boolean;
}

/**
 * Stores secrets that the account entered or that come from a sign-in at the vendor. Until the
 * vendor has named the account to which the secrets give access, the worker asks the vendor only
 * for this account.
 */
export async function storeSecrets(
  tx: Transaction,
  secrets: readonly (RecordRef & { sealed: string })[],
): Promise<void> {
  if (secrets.length === 0) return;
  await tx.query({
    name: 'store-connection-secrets',
    text: `insert into connection_secrets (tenant_id, connection_id, sealed, verified)
           select tenant_id, id, sealed, false from ${recordsetSql('tenant_id uuid, id uuid, sealed text')}
           on conflict (tenant_id, connection_id) do update set sealed = excluded.sealed, access_expires_at = null,
             refresh_expires_at = null, refresh_lease_until = null, refusals = 0, verified = false, version = connection_secrets.version + 1`,
    values: [JSON.stringify(secrets)],
  });
}

/**
 * Marks secrets as verified. Changes nothing if newer secrets than `version` are stored. Returns
 * true if the secrets were unverified before.
 * @param version if null, the stored secrets are marked, whatever their version
 */
export async function markVerified(
  tx: Transaction,
  { tenant_id, id }: RecordRef,
  version: number | null,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'mark-verified-secrets',
    text: `update connection_secrets set verified = true
           where tenant_id = $1 and connection_id = $2 and version = coalesce($3, version) and not verified returning 1`,
    values: [tenant_id, id, version],
  });
  return rows.length > 0;
}

export async function readSecrets(
  tx: Pick<Transaction, 'query'>,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): Promise<SecretRow | undefined> {
  const [row] = await tx.query<SecretRow>({
    name: 'read-connection-secrets',
    text: `select sealed, (extract(epoch from access_expires_at) * 1000)::float8 as access_expires_at, version, refusals, revoke_attempts,
             revoke_at is null or revoke_at <= now() as can_revoke
           from connection_secrets where tenant_id = $1 and connection_id = $2`,
    values: [tenantId, connectionId],
  });
  return row;
}

/**
 * Acquires the lease to refresh a connection's tokens. Returns false if another process has the
 * lease, or has stored tokens after this process read its version.
 */
export async function leaseRefresh(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  { version, leaseSeconds }: { version: number; leaseSeconds: number },
): Promise<boolean> {
  const rows = await tx.query({
    name: 'lease-token-refresh',
    text: `update connection_secrets set refresh_lease_until = now() + make_interval(secs => $4)
           where tenant_id = $1 and connection_id = $2 and version = $3
             and (refresh_lease_until is null or refresh_lease_until < now()) returning 1`,
    values: [tenantId, connectionId, version, leaseSeconds],
  });
  return rows.length > 0;
}

/** The tokens after a refresh, encrypted. Times are in ms since 1970. */
export interface RefreshedSecrets {
  sealed: string;
  accessExpiresAt: number | null;
  refreshExpiresAt: number | null;
}

/**
 * Stores new tokens and returns true. If the stored version is no longer `version`, stores nothing
 * and returns false.
 */
export async function storeRefreshed(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  version: number,
  { sealed, accessExpiresAt, refreshExpiresAt }: RefreshedSecrets,
): Promise<boolean> {
  const rows = await tx.query({
    name: 'store-refreshed-secrets',
    text: `update connection_secrets set sealed = $4, access_expires_at = to_timestamp($5::float8 / 1000),
             refresh_expires_at = to_timestamp($6::float8 / 1000), version = version + 1, refusals = 0, refresh_lease_until = null
           where tenant_id = $1 and connection_id = $2 and version = $3 returning 1`,
    values: [tenantId, connectionId, version, sealed, accessExpiresAt, refreshExpiresAt],
  });
  return rows.length > 0;
}

/**
 * Ends the lease of a failed refresh, and counts the failure if the vendor refused the refresh.
 * Returns the number of consecutive refusals.
 */
export async function countRefusal(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  version: number,
  isRefusal: boolean,
): Promise<number> {
  const [row] = await tx.query<{ refusals: number }>({
    name: 'count-refresh-refusal',
    text: `update connection_secrets set refusals = refusals + case when $4 then 1 else 0 end, refresh_lease_until = null
           where tenant_id = $1 and connection_id = $2 and version = $3 returning refusals`,
    values: [tenantId, connectionId, version, isRefusal],
  });
  return row?.refusals ?? 0;
}

/**
 * Counts a failed try to revoke the access of a disconnected connection, and postpones the next
 * try.
 */
export function postponeRevocation(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
  waitMs: number,
): void {
  tx.queryAtCommit({
    name: 'postpone-revocation',
    text: `update connection_secrets set revoke_attempts = revoke_attempts + 1, revoke_at = now() + $3::float8 * interval '1 ms'
           where tenant_id = $1 and connection_id = $2`,
    values: [tenantId, connectionId, waitMs],
  });
}

/**
 * True if the tenant has another connection to the vendor whose account at the vendor is not known
 * yet.
 */
export async function hasUnverifiedSibling(
  tx: Transaction,
  { tenantId, connectionId, vendor }: { tenantId: string; connectionId: string; vendor: string },
): Promise<boolean> {
  const rows = await tx.query({
    name: 'find-unverified-sibling',
    text: `select 1 from connections c join connection_secrets k on k.tenant_id = c.tenant_id and k.connection_id = c.id
           where c.tenant_id = $1 and c.vendor = $2 and c.id <> $3 and c.status <> 'revoked' and not k.verified limit 1`,
    values: [tenantId, vendor, connectionId],
  });
  return rows.length > 0;
}

export function deleteSecrets(
  tx: Transaction,
  { tenantId, connectionId }: { tenantId: string; connectionId: string },
): void {
  tx.queryAtCommit({
    name: 'delete-connection-secrets',
    text: 'delete from connection_secrets where tenant_id = $1 and connection_id = $2',
    values: [tenantId, connectionId],
  });
}

export interface NewOAuthAttempt extends RecordRef {
  connection_id: string;
  /** SHA-256 of the OAuth state, in hexadecimal digits. */
  state_hash: string;
  verifier_sealed: string;
  session_id: string | null;
  expires_at: string;
}

export async function insertOAuthAttempts(
  tx: Transaction,
  attempts: readonly NewOAuthAttempt[],
): Promise<void> {
  if (attempts.length === 0) return;
  const columns = `tenant_id uuid, id uuid, connection_id uuid, state_hash text, verifier_sealed text, session_id uuid, expires_at timestamptz`;
  await tx.query({
    name: 'insert-oauth-attempts',
    text: `insert into oauth_attempts (tenant_id, id, connection_id, state_hash, verifier_sealed, session_id, expires_at)
           select tenant_id, id, connection_id, decode(state_hash, 'hex'), verifier_sealed, session_id, expires_at
           from ${recordsetSql(columns)}`,
    values: [JSON.stringify(attempts)],
  });
}

/** Marks a sign-in attempt as used. Returns false if it was used before or has expired. */
export async function useOAuthAttempt(
  tx: Transaction,
  { tenantId, attemptId }: { tenantId: string; attemptId: string },
): Promise<boolean> {
  const rows = await tx.query({
    name: 'use-oauth-attempt',
    text: `update oauth_attempts set used_at = now()
           where tenant_id = $1 and id = $2 and used_at is null and expires_at > now() returning 1`,
    values: [tenantId, attemptId],
  });
  return rows.length > 0;
}
