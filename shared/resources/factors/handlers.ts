import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { setFactorProved } from '../sessions/session-rows.js';
import type { FactorConfirmation, NewCodes, NewFactor } from './commands.js';
import { confirmSessions, personRef } from './confirm-sessions.js';
import {
  type FactorRow,
  findAccountsThatRequire,
  insertFactors,
  isOwned,
  lockFactorsOfPeople,
  markFactorsRemoved,
  storeConfirmations,
} from './factor-rows.js';

const MAX_FACTORS = 10;
/** A factor must be confirmed within this time. */
const CONFIRM_WITHIN_MS = 10 * 60 * 1000;

const isPending = ({ confirmed_at, created_at }: FactorRow) =>
  confirmed_at === null && Date.parse(created_at) > Date.now() - CONFIRM_WITHIN_MS;
const isCodes = ({ kind }: FactorRow) => kind === 'recovery_codes';

/**
 * Locks the people of the commands, then their factors. Returns a function that finds the factors
 * of a command's person. The commands of one person have the same conflict key, so no two of them
 * run in the same call.
 */
async function lockFactors(tx: Transaction, commands: readonly Command[]) {
  const people = commands.map(personRef);
  await lockRecords(tx, 'users', people);
  const factors = await lockFactorsOfPeople(tx, people);
  return (command: Command) => factors.get(refKey(personRef(command))) ?? [];
}

export async function createFactors(
  tx: Transaction,
  commands: Command<NewFactor>[],
): Promise<CommandOutcome[]> {
  const factorsOf = await lockFactors(tx, commands);
  const isFull = (command: Command) =>
    factorsOf(command).filter((row) => isOwned(row) || isPending(row)).length >= MAX_FACTORS;
  const admitted = commands.filter((command) => !isFull(command));
  await insertFactors(
    tx,
    admitted.map((command) => ({
      ...command.input,
      ...toRecordRef(command),
      user_id: personRef(command).id,
    })),
  );
  return commands.map((command) => {
    if (!admitted.includes(command))
      return failConflict(`You have ${MAX_FACTORS} factors. Remove one first, or wait ten minutes.`);
    const { kind, name, secret_sealed = null, uri_sealed = null, passkey = null } = command.input;
    return {
      ok: true,
      changes: diffNewRecord({ kind, name }),
      events: [],
      responseExtra: { secret_sealed, uri_sealed, passkey },
    };
  });
}

function failConflict(message: string): CommandOutcome {
  return failedOutcome({ code: 'conflict', message });
}

/** Confirms factors. With the first factor, a person gets recovery codes. */
export async function confirmFactors(
  tx: Transaction,
  commands: Command<FactorConfirmation>[],
): Promise<CommandOutcome[]> {
  const factorsOf = await lockFactors(tx, commands);
  const refusals = commands.map((command) => refuseConfirmation(command, factorsOf(command)));
  const admitted = commands.filter((_command, nth) => !refusals[nth]);
  const isFirst = (command: Command) => !factorsOf(command).some(isOwned);
  await storeConfirmations(
    tx,
    admitted.map((command) => {
      const { last_step: step, passkey } = command.input;
      return { ...toRecordRef(command), ...(step === undefined ? {} : { last_step: step }), ...passkey };
    }),
  );
  await replaceCodes(tx, admitted.filter(isFirst), factorsOf);
  await setFactorProved(
    tx,
    admitted.map(({ tenantId, input }) => ({ tenant_id: tenantId, id: input.session_id })),
  );
  return commands.map((command, nth) => {
    const codes = isFirst(command) && !command.dryRun ? command.input.codes.sealed : null;
    return (
      refusals[nth] ?? {
        ok: true,
        changes: [{ field: 'confirmed_at', from: null, to: 'now' }],
        events: [],
        responseExtra: { codes_sealed: codes },
      }
    );
  });
}

function refuseConfirmation(
  { entityId, input }: Command<FactorConfirmation>,
  factors: FactorRow[],
): CommandOutcome | undefined {
  const row = factors.find(({ id }) => id === entityId);
  if (!row) return notFoundOutcome('factor');
  if (row.confirmed_at) return failConflict('This factor is confirmed already.');
  if (!isPending(row) || row.session_id !== input.session_id)
    return failConflict('This factor was begun too long ago, or in another session. Begin again.');
  const credentialId = input.passkey?.credential_id;
  if (credentialId && factors.some(({ credential_id }) => credential_id === credentialId))
    return failConflict('This passkey is one of your factors already.');
  return undefined;
}

type CodesCommand = Command<{ codes: NewCodes }>;

/**
 * Replaces the recovery codes of the commands' people. The outcome does not contain the old codes.
 */
async function replaceCodes(
  tx: Transaction,
  commands: readonly CodesCommand[],
  factorsOf: (command: Command) => FactorRow[],
  getId: (command: Command) => string = newId,
): Promise<void> {
  await markFactorsRemoved(
    tx,
    commands.flatMap((command) => factorsOf(command).filter(isCodes)),
  );
  await insertFactors(
    tx,
    commands.map((command) => ({
      tenant_id: command.tenantId,
      id: getId(command),
      user_id: personRef(command).id,
      kind: 'recovery_codes',
      name: 'Recovery codes',
      code_hashes: command.input.codes.hashes,
    })),
  );
}

export async function renewCodes(tx: Transaction, commands: CodesCommand[]): Promise<CommandOutcome[]> {
  const factorsOf = await lockFactors(tx, commands);
  const admitted = commands.filter((command) => factorsOf(command).some(isOwned));
  await replaceCodes(tx, admitted, factorsOf, ({ entityId }) => entityId);
  return commands.map((command) =>
    admitted.includes(command)
      ? {
          ok: true,
          changes: [{ field: 'codes', from: null, to: '[redacted]' }],
          events: [],
          responseExtra: { codes_sealed: command.dryRun ? null : command.input.codes.sealed },
        }
      : failConflict('Recovery codes stand in for a factor. Add an authenticator app or a passkey first.'),
  );
}

/** Removes factors. Removing a person's last factor also removes the recovery codes. */
export async function removeFactors(
  tx: Transaction,
  commands: Command<Record<string, never>>[],
): Promise<CommandOutcome[]> {
  const factorsOf = await lockFactors(tx, commands);
  const requiring = await findAccountsThatRequire(tx, [...new Set(commands.map(({ tenantId }) => tenantId))]);
  const removed: FactorRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const factors = factorsOf(command);
    const row = factors.find(({ id }) => id === command.entityId);
    if (!row) return notFoundOutcome('factor');
    const isLast = isOwned(row) && factors.filter(isOwned).length === 1;
    if (isLast && requiring.has(command.tenantId))
      return failConflict('This account requires a factor. Add another one, then remove this one.');
    removed.push(...(isLast ? [row, ...factors.filter(isCodes)] : [row]));
    return { ok: true, changes: [{ field: 'removed_at', from: null, to: 'now' }], events: [] };
  });
  await markFactorsRemoved(tx, removed);
  return outcomes;
}

export const factorHandlers: CommandHandlers = {
  'factor.create': createFactors,
  'factor.confirm': confirmFactors,
  'factor.renew_codes': renewCodes,
  'factor.remove': removeFactors,
  'session.confirm': confirmSessions,
};
