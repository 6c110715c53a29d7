import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome } from '../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../records/record-refs.js';
import { isOwned, lockFactorsOfPeople } from '../factors/factor-rows.js';
import { failWrongProof, useProofs } from '../factors/proofs.js';
import type { NewSession } from '../sessions/commands.js';
import { addKnownAddress, type KnownAddresses } from '../sessions/known-addresses.js';
import { markPassword } from '../sessions/password-mark.js';
import { insertSessions } from '../sessions/session-rows.js';

interface UserRow extends Row {
  password_hash: string;
  deactivated_at: string | null;
  sign_in_addresses: KnownAddresses;
}

const userRef = ({ tenantId, input }: Command<NewSession>): RecordRef => ({
  tenant_id: tenantId,
  id: input.user_id,
});

/**
 * Creates sessions. A sign-in fails if the person was deactivated, or the password changed, after
 * the api process checked the password.
 */
export async function createSessions(
  tx: Transaction,
  commands: Command<NewSession>[],
): Promise<CommandOutcome[]> {
  const users = await lockRecords<UserRow>(tx, 'users', commands.map(userRef));
  const isCurrent = (command: Command<NewSession>): boolean => {
    const user = users.get(refKey(userRef(command)));
    return user?.deactivated_at === null && markPassword(user) === command.input.password_mark;
  };
  const current = commands.filter(isCurrent);
  const refusals = await refuseWithoutFactor(tx, current);
  const admitted = current.filter((command) => !refusals.has(command));
  const inserted = await insertSessions(
    tx,
    admitted.map((command) => ({
      ...command.input,
      ...toRecordRef(command),
      with_factor: command.input.proof !== undefined,
    })),
  );
  const created = admitted.filter((command) => inserted.has(refKey(toRecordRef(command))));
  await storeAddresses(tx, created, users);
  return commands.map((command) => {
    if (created.includes(command)) return { ok: true, changes: [], events: [] };
    const message = current.includes(command)
      ? 'This sign-in has ended. Begin again with your password.'
      : 'E-mail or password is wrong.';
    return refusals.get(command) ?? failedOutcome({ code: 'unauthorized', message });
  });
}

/**
 * Refuses people who have a factor and did not prove it. Marks the proofs of all other people as
 * used.
 */
async function refuseWithoutFactor(
  tx: Transaction,
  commands: Command<NewSession>[],
): Promise<Map<Command, CommandOutcome>> {
  const factors = await lockFactorsOfPeople(tx, commands.map(userRef));
  const good = await useProofs(
    tx,
    commands.flatMap((command) =>
      command.input.proof ? [{ ...command.input.proof, ...userRef(command) }] : [],
    ),
  );
  const refusals = new Map<Command, CommandOutcome>();
  for (const command of commands) {
    const { proof } = command.input;
    const key = refKey(userRef(command));
    if (proof && !good.has(key)) refusals.set(command, failWrongProof(proof.kind));
    if (!proof && factors.get(key)?.some(isOwned)) refusals.set(command, FACTOR_REQUIRED);
  }
  return refusals;
}

const FACTOR_REQUIRED = failedOutcome({
  code: 'factor_required',
  message: 'A second factor was added meanwhile. Sign in again.',
});

/**
 * Stores the networks from which people signed in, as keyed hashes (`sessions/known-addresses.ts`).
 */
async function storeAddresses(
  tx: Transaction,
  commands: Command<NewSession>[],
  users: Map<string, UserRow>,
): Promise<void> {
  const rows = commands.flatMap((command) => {
    const { address_mark: mark } = command.input;
    const ref = userRef(command);
    const known = users.get(refKey(ref))?.sign_in_addresses ?? {};
    return mark ? [{ ...ref, sign_in_addresses: addKnownAddress(known, mark, Date.now()) }] : [];
  });
  if (rows.length === 0) return;
  await tx.query({
    name: 'remember-sign-in-addresses',
    text: `update users t set sign_in_addresses = r.sign_in_addresses
           from ${recordsetSql('tenant_id uuid, id uuid, sign_in_addresses jsonb')} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}
