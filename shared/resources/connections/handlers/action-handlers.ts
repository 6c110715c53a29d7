import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { ConnectionSync, OperationReplay } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { type PlannedMerge, planMerge } from '../../../records/merge-records.js';
import { notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { makePostponedDue, replayOperations } from '../../../sync/due-operations.js';
import { resolveReplayedIssues } from '../../../sync/issue-rows.js';
import { resumeConnectionQueues } from '../../../sync/lease-connection-queues.js';
import { eraseListedDrivers } from '../../../sync/listed/listed-rows.js';
import { insertOAuthAttempts, storeSecrets } from '../../../sync/secret-rows.js';
import { DESCRIBE_STREAM, type DueStreams, makeStreamsDue } from '../../../sync/stream-rows.js';
import { bookSince } from '../../books/book-since.js';
import { endReconciliations } from '../../books/reconciliation/rows.js';
import { refreshReplayedClaims } from '../../open-claims/replay.js';
import type { ConnectionChange, SignInStart } from '../commands.js';
import {
  CONNECTION_LABEL,
  type ConnectionRow,
  findAccountingConnections,
  lockConnections,
  moveConnection,
  promptedOutcome,
  refuseMove,
  storeConnections,
} from '../connection-rows.js';
import { isActionAllowed } from '../transitions.js';
import { buildAttempt, showSignIn } from './create-handler.js';

interface Effect {
  merge?: PlannedMerge;
  dueStreams?: Omit<DueStreams, 'tenant_id' | 'id'>[];
  secrets?: string | undefined;
  /**
   * True if the worker must try again now, instead of waiting after earlier failures. Set when the
   * account asks for a new try.
   */
  endsPauses?: boolean;
  /**
   * True if operations that a limit has postponed are due again, because the connection's settings
   * may have changed.
   */
  endsPostponements?: boolean;
  /**
   * True if the connection ends: the personal data that the vendor has listed is deleted, and a
   * running comparison with the books fails.
   */
  isEnded?: boolean;
  responseExtra?: Record<string, unknown>;
}

export async function applyEffects<Input>(
  tx: Transaction,
  commands: Command<Input>[],
  plan: (row: ConnectionRow, command: Command<Input>) => Effect | CommandOutcome,
): Promise<CommandOutcome[]> {
  const rows = await lockConnections(tx, commands);
  const planned = commands.map((command) => {
    const row = rows.get(refKey(toRecordRef(command)));
    return { command, effect: row ? plan(row, command) : notFoundOutcome(CONNECTION_LABEL) };
  });
  const applied = planned.flatMap(({ command, effect }) =>
    'ok' in effect ? [] : [{ ref: toRecordRef(command), effect }],
  );
  const ended = applied.filter(({ effect }) => effect.isEnded).map(({ ref }) => ref);
  await Promise.all([
    storeConnections(
      tx,
      applied.flatMap(({ effect }) => effect.merge ?? []),
    ),
    makeStreamsDue(
      tx,
      applied.flatMap(({ ref, effect }) =>
        (effect.dueStreams ?? []).map((stream) => ({ ...ref, ...stream })),
      ),
    ),
    storeSecrets(
      tx,
      applied.flatMap(({ ref, effect }) => (effect.secrets ? [{ ...ref, sealed: effect.secrets }] : [])),
    ),
    resumeConnectionQueues(
      tx,
      applied.filter(({ effect }) => effect.endsPauses).map(({ ref }) => ref),
    ),
    makePostponedDue(
      tx,
      applied.filter(({ effect }) => effect.endsPostponements).map(({ ref }) => ref),
    ),
    eraseListedDrivers(tx, ended),
    endReconciliations(tx, ended, { error: 'The connection was disconnected.' }),
  ]);
  return planned.map(({ command, effect }) => {
    if ('ok' in effect) return effect;
    const outcome = promptedOutcome(command, effect.merge);
    return effect.responseExtra ? { ...outcome, responseExtra: effect.responseExtra } : outcome;
  });
}

/** Changes label, settings and credentials. The worker tries new credentials immediately. */
export function updateConnections(
  tx: Transaction,
  commands: Command<ConnectionChange>[],
): Promise<CommandOutcome[]> {
  return applyEffects(tx, commands, (row, { input }) => {
    const { secrets_sealed: secrets, sign_in: _none, ...set } = input;
    if (row.status === 'revoked') return refuseMove(row, 'changed');
    const endsPostponements = set.settings !== undefined;
    if (!secrets) return { merge: planMerge(row, set), endsPostponements };
    return {
      merge: planMerge(row, set),
      endsPostponements,
      secrets,
      endsPauses: true,
      dueStreams: [{ stream: DESCRIBE_STREAM }],
    };
  });
}

/** Tests connections: the worker reads the vendor's description of the account again. */
export function testConnections(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  return applyEffects(tx, commands, (row) =>
    isActionAllowed('test', row.status)
      ? { endsPauses: true, dueStreams: [{ stream: DESCRIBE_STREAM }] }
      : refuseMove(row, 'tested'),
  );
}

const VERBS = { pause: 'paused', resume: 'resumed', disconnect: 'disconnected' } as const;

/**
 * Returns the handler that pauses, resumes or disconnects connections. A connection that already
 * has the requested status is not changed.
 */
export const createConnectionMoveHandler =
  (move: keyof typeof VERBS) =>
  (tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> =>
    applyEffects(tx, commands, (row) => {
      const merge = moveConnection(row, move);
      // Credentials may have been changed during the pause, so test a resumed connection.
      if (merge && move === 'resume')
        return { merge, endsPauses: true, dueStreams: [{ stream: DESCRIBE_STREAM }] };
      if (merge) return { merge, isEnded: move === 'disconnect' };
      const isDone = row.status === { pause: 'paused', resume: 'active', disconnect: 'revoked' }[move];
      return isDone ? {} : refuseMove(row, VERBS[move]);
    });

/**
 * Makes the worker read changes from the vendor now. At an accounting vendor, the worker also
 * enters the invoices released and the payments received after `since`. A dry run only counts these
 * records, because its transaction is rolled back.
 */
export async function syncConnections(
  tx: Transaction,
  commands: Command<ConnectionSync>[],
): Promise<CommandOutcome[]> {
  const outcomes = await applyEffects(tx, commands, (row, { input: { stream = null, since = null } }) =>
    isActionAllowed('sync', row.status)
      ? { endsPauses: true, dueStreams: [{ stream, since }] }
      : refuseMove(row, 'synchronized'),
  );
  const books = await findAccountingConnections(tx, commands.map(toRecordRef));
  const results: CommandOutcome[] = [];
  for (const [index, command] of commands.entries()) {
    const outcome = outcomes[index] as CommandOutcome;
    const { tenantId, entityId: connectionId, input } = command;
    const isPushed = outcome.ok && input.since !== undefined && books.has(refKey(toRecordRef(command)));
    const { pushed, nextSince: next_since } = isPushed
      ? await bookSince(tx, { tenantId, connectionId }, input.since as string)
      : { pushed: 0, nextSince: null };
    results.push(outcome.ok ? { ...outcome, responseExtra: { pushed, next_since } } : outcome);
  }
  return results;
}

export async function reconnectConnections(
  tx: Transaction,
  commands: Command<{ sign_in?: SignInStart }>[],
): Promise<CommandOutcome[]> {
  const outcomes = await applyEffects(tx, commands, (row, command) =>
    isActionAllowed('reconnect', row.status)
      ? { responseExtra: { authorize_url: showSignIn(command) } }
      : refuseMove(row, 'reconnected'),
  );
  const started = commands.filter((_command, index) => outcomes[index]?.ok);
  await insertOAuthAttempts(tx, started.flatMap(buildAttempt));
  return outcomes;
}

/**
 * Makes the dead operations of a period due again. Dead operations are those that the worker no
 * longer tries. A dry run only counts them, because its transaction is rolled back.
 */
export async function replayConnectionOperations(
  tx: Transaction,
  commands: Command<OperationReplay>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockConnections(tx, commands);
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const { tenantId, entityId: connectionId, actor, input } = command;
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row || row.status === 'revoked') {
      outcomes.push(row ? refuseMove(row, 'replayed') : notFoundOutcome(CONNECTION_LABEL));
      continue;
    }
    const operations = await replayOperations(tx, { tenantId, connectionId }, input);
    await refreshReplayedClaims(tx, operations, config);
    const replayed = operations.length;
    await resolveReplayedIssues(tx, { tenantId, connectionId }, actor.name);
    const changes = replayed > 0 ? [{ field: 'operations', from: 'dead', to: `${replayed} due` }] : [];
    outcomes.push({
      ...promptedOutcome(command),
      ok: true,
      changes,
      events: [],
      responseExtra: { replayed },
    });
  }
  return outcomes;
}
