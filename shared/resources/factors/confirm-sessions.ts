import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import type { SessionProof } from '../sessions/commands.js';
import { setFactorProved } from '../sessions/session-rows.js';
import { failWrongProof, useProofs } from './proofs.js';

interface SessionRow extends Row {
  user_id: string;
  ended_at: string | null;
  factor_proved_at: string | null;
}

/** Returns a reference to the person who sends the command. */
export const personRef = ({ tenantId, actor }: Command): RecordRef => ({
  tenant_id: tenantId,
  id: actor.id as string,
});

/**
 * Records in sessions that their person has proved a factor again. A challenge works only once: the
 * api process must have created it after the session's last proof.
 */
export async function confirmSessions(
  tx: Transaction,
  commands: Command<SessionProof>[],
): Promise<CommandOutcome[]> {
  await lockRecords(tx, 'users', commands.map(personRef));
  const sessions = await lockRecords<SessionRow>(tx, 'sessions', commands.map(toRecordRef));
  const isOpen = (command: Command<SessionProof>): boolean => {
    const session = sessions.get(refKey(toRecordRef(command)));
    return session?.user_id === command.actor.id && session?.ended_at === null;
  };
  const isFresh = (command: Command<SessionProof>): boolean => {
    const provedAt = sessions.get(refKey(toRecordRef(command)))?.factor_proved_at;
    const { issued_at: issuedAt } = command.input;
    return !issuedAt || !provedAt || Date.parse(issuedAt) > Date.parse(provedAt);
  };
  const candidates = commands.filter((command) => isOpen(command) && isFresh(command));
  const good = await useProofs(
    tx,
    candidates.map((command) => ({ ...command.input.proof, ...personRef(command) })),
  );
  const isGood = (command: Command<SessionProof>) =>
    candidates.includes(command) && good.has(refKey(personRef(command)));
  await setFactorProved(tx, commands.filter(isGood).map(toRecordRef));
  return commands.map((command) => {
    if (!isOpen(command)) return notFoundOutcome('session');
    if (!isGood(command)) return failWrongProof(command.input.proof.kind);
    return { ok: true, changes: [{ field: 'factor_proved_at', from: null, to: 'now' }], events: [] };
  });
}
