import type { CommandOutcome } from '../../contracts/command.js';
import { createValidationError } from '../../contracts/schemas/validate.js';
import type { AppError } from '../../platform/errors.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';
import type { CheckedProof } from '../sessions/commands.js';
import { PROOF_MEMBERS, type ProofKind } from '../sessions/factor-kinds.js';

const PROBLEMS = {
  totp: 'is wrong, or was used before. Wait for the next one',
  passkey: 'was not accepted. Try again, or use another factor',
  recovery_codes: 'is wrong, or was used before',
};

export function createWrongProofError(kind: ProofKind): AppError {
  const field = PROOF_MEMBERS[kind];
  return createValidationError([{ field, code: 'wrong', message: `${field} ${PROBLEMS[kind]}` }]);
}

export const failWrongProof = (kind: ProofKind): CommandOutcome =>
  failedOutcome(createWrongProofError(kind).toBody());

/**
 * Marks proofs as used. A time-based code, a recovery code and a passkey's counter value work only
 * once. Returns the keys of the people whose proof was still unused. Pass at most one proof per
 * person.
 * @param proofs `id` is the id of the person
 */
export async function useProofs(
  tx: Transaction,
  proofs: readonly (RecordRef & CheckedProof)[],
): Promise<Set<string>> {
  if (proofs.length === 0) return new Set();
  const rows = proofs.map(({ id: user_id, ...proof }) => ({ user_id, ...proof }));
  const columns = `tenant_id uuid, user_id uuid, factor_id uuid, kind text, step bigint, counter bigint, hash text`;
  const used = await tx.query<{ tenant_id: string; user_id: string }>({
    name: 'use-proofs',
    text: `update user_factors t set last_used_at = now(), last_step = coalesce(r.step, t.last_step), counter = coalesce(r.counter, t.counter),
             code_hashes = array_remove(t.code_hashes, r.hash)
           from ${recordsetSql(columns)}
           where t.tenant_id = r.tenant_id and t.id = r.factor_id and t.user_id = r.user_id and t.kind = r.kind
             and t.confirmed_at is not null and t.removed_at is null
             and case t.kind
               when 'totp' then r.step > coalesce(t.last_step, 0)
               -- Many passkeys have no counter and always send 0.
               when 'passkey' then r.counter > t.counter or (r.counter = 0 and t.counter = 0)
               else r.hash = any(t.code_hashes) end
           returning t.tenant_id, t.user_id`,
    values: [JSON.stringify(rows)],
  });
  return new Set(used.map(({ tenant_id, user_id: id }) => refKey({ tenant_id, id })));
}
