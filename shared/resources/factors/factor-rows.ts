import type { Row, Transaction } from '../../platform/postgres/database.js';
import { EXTENDED_RETENTION, type ExpiryRule } from '../../records/expiry.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import type { ProofKind } from '../sessions/factor-kinds.js';
import { ownsFactorSql } from '../sessions/owns-factor.js';

export interface FactorRow extends Row, RecordRef {
  user_id: string;
  kind: ProofKind;
  session_id: string | null;
  credential_id: string | null;
  created_at: string;
  confirmed_at: string | null;
}

/** True for a confirmed factor. Recovery codes do not count as a factor, as in `ownsFactorSql`. */
export function isOwned({ confirmed_at, kind }: FactorRow): boolean {
  return confirmed_at !== null && kind !== 'recovery_codes';
}

/**
 * Locks and returns the factors of people, by the key of the person. Lock the people first, so that
 * no other transaction can add a factor.
 */
export async function lockFactorsOfPeople(
  tx: Transaction,
  people: RecordRef[],
): Promise<Map<string, FactorRow[]>> {
  const rows = await tx.query<FactorRow>({
    name: 'lock-factors-of-people',
    text: `select t.tenant_id, t.id, t.user_id, t.kind, t.session_id, t.credential_id, t.created_at, t.confirmed_at from user_factors t
           where (t.tenant_id, t.user_id) in (select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')})
             and t.removed_at is null
           order by t.tenant_id, t.id for update`,
    values: [JSON.stringify(people)],
  });
  const byPerson = new Map<string, FactorRow[]>();
  for (const row of rows) {
    const key = refKey({ tenant_id: row.tenant_id, id: row.user_id });
    byPerson.set(key, [...(byPerson.get(key) ?? []), row]);
  }
  return byPerson;
}

const COLUMNS = `user_id uuid, kind text, name text, session_id uuid, secret_sealed text, challenge text, code_hashes text[]`;

export type NewFactorRow = RecordRef & { user_id: string; kind: ProofKind; name: string } & (
    | { session_id: string; secret_sealed?: string; challenge?: string }
    | { code_hashes: string[] }
  );

/** Inserts factors. Recovery codes need no confirmation. */
export async function insertFactors(tx: Transaction, factors: readonly NewFactorRow[]): Promise<void> {
  if (factors.length === 0) return;
  const names = 'user_id, kind, name, session_id, secret_sealed, challenge, code_hashes';
  await tx.query({
    name: 'insert-factors',
    text: `insert into user_factors (tenant_id, id, ${names}, confirmed_at)
           select tenant_id, id, ${names}, case when kind = 'recovery_codes' then now() end
           from ${recordsetSql(`tenant_id uuid, id uuid, ${COLUMNS}`)}`,
    values: [JSON.stringify(factors)],
  });
}

export interface ConfirmedFactor extends RecordRef {
  last_step?: number;
  credential_id?: string;
  public_key?: string;
  counter?: number;
  transports?: string[];
}

export async function storeConfirmations(
  tx: Transaction,
  factors: readonly ConfirmedFactor[],
): Promise<void> {
  if (factors.length === 0) return;
  const columns = 'last_step bigint, credential_id text, public_key text, counter bigint, transports text[]';
  await tx.query({
    name: 'confirm-factors',
    text: `update user_factors t set confirmed_at = now(), challenge = null, last_step = r.last_step, credential_id = r.credential_id,
             public_key = r.public_key, counter = r.counter, transports = r.transports
           from ${recordsetSql(`tenant_id uuid, id uuid, ${columns}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(factors)],
  });
}

/** Marks factors as removed and erases their secrets; the clock deletes the rows later. */
export async function markFactorsRemoved(tx: Transaction, factors: readonly RecordRef[]): Promise<void> {
  if (factors.length === 0) return;
  await tx.query({
    name: 'remove-factors',
    text: `update user_factors t set removed_at = now(), secret_sealed = null, public_key = null, challenge = null,
             code_hashes = case when t.code_hashes is not null then '{}'::text[] end
           from ${recordsetSql('tenant_id uuid, id uuid')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(factors.map(({ tenant_id, id }) => ({ tenant_id, id })))],
  });
}

/** Returns the accounts that require their people to have a factor. */
export async function findAccountsThatRequire(tx: Transaction, tenantIds: string[]): Promise<Set<string>> {
  const rows = await tx.query<{ tenant_id: string }>({
    name: 'accounts-that-require-factors',
    text: 'select tenant_id from tenants where tenant_id = any($1::uuid[]) and require_factor',
    values: [tenantIds],
  });
  return new Set(rows.map(({ tenant_id: id }) => id));
}

/** Returns the keys of the people who own a factor. */
export async function findFactorOwners(tx: Transaction, people: RecordRef[]): Promise<Set<string>> {
  const rows = await tx.query<RecordRef>({
    name: 'find-factor-owners',
    text: `select r.tenant_id, r.id from ${recordsetSql('tenant_id uuid, id uuid')}
           where ${ownsFactorSql({ tenantId: 'r.tenant_id', userId: 'r.id' })}`,
    values: [JSON.stringify(people)],
  });
  return new Set(rows.map(refKey));
}

/** Expires removed factors, and factors that were never confirmed. */
export const EXPIRED_FACTORS: ExpiryRule = {
  table: 'user_factors',
  condition: `least(o.removed_at, case when o.confirmed_at is null then o.created_at end) < now() - ${EXTENDED_RETENTION}`,
};
