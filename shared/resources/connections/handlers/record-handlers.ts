import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { type PlannedMerge, planMerge } from '../../../records/merge-records.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { refKey, toRecordRef } from '../../../records/record-refs.js';
import { resumeConnectionQueues } from '../../../sync/lease-connection-queues.js';
import { markVerified, storeSecrets, useOAuthAttempt } from '../../../sync/secret-rows.js';
import { DESCRIBE_STREAM, makeStreamsDue } from '../../../sync/stream-rows.js';
import { insertNotices, type NoticeDraft } from '../../notices/store.js';
import type { ConnectionAuthorization, ConnectionStatusChange, ConnectionVerification } from '../commands.js';
import {
  CONNECTION_LABEL,
  type ConnectionRow,
  lockConnections,
  moveConnection,
  promptedOutcome,
  storeConnections,
} from '../connection-rows.js';

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

/**
 * Stores the authorization code of a completed sign-in. A worker then exchanges the code for
 * tokens. A sign-in that was already completed is refused.
 */
export async function authorizeConnections(
  tx: Transaction,
  commands: Command<ConnectionAuthorization>[],
): Promise<CommandOutcome[]> {
  const rows = await lockConnections(tx, commands);
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const { tenantId, input } = command;
    const ref = toRecordRef(command);
    const row = rows.get(refKey(ref));
    const isUsable = row !== undefined && row.status !== 'revoked';
    if (!isUsable || !(await useOAuthAttempt(tx, { tenantId, attemptId: input.attempt_id }))) {
      outcomes.push(
        failedOutcome({
          code: 'conflict',
          message: 'This sign-in was used before or has expired. Start it again from the connection.',
        }),
      );
      continue;
    }
    await storeSecrets(tx, [{ ...ref, sealed: input.secrets_sealed }]);
    await makeStreamsDue(tx, [{ ...ref, stream: DESCRIBE_STREAM }]);
    await resumeConnectionQueues(tx, [ref]);
    outcomes.push({
      ...promptedOutcome(command),
      ok: true,
      changes: [{ field: 'credentials', from: null, to: '[hidden]' }],
      events: [],
    });
  }
  return outcomes;
}

/**
 * Stores the vendors' descriptions of the connected vendor accounts, and activates the connections.
 * Refuses credentials that lead to a different vendor account or environment than the connection
 * has, or to a vendor account that another connection uses.
 */
export async function recordConnectionsVerified(
  tx: Transaction,
  commands: Command<ConnectionVerification>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockConnections(tx, commands);
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) outcomes.push(notFoundOutcome(CONNECTION_LABEL));
    else outcomes.push(await verify(tx, { row, command, config }));
  }
  return outcomes;
}

async function verify(
  tx: Transaction,
  { row, command, config }: { row: ConnectionRow; command: Command<ConnectionVerification>; config: Config },
): Promise<CommandOutcome> {
  const { external_account, account_hash, label, environment } = command.input;
  const reason = await findRefusal(tx, row, command.input);
  if (reason !== undefined) return refuse(tx, { row, command, reason, config });
  const wasUnverified = await markVerified(tx, toRecordRef(command), command.input.secrets_version ?? null);
  const merge = planMerge(row, {
    ...moveConnection(row, 'verify')?.set,
    external_account,
    account_hash: `\\x${account_hash}`,
    label: row.label ?? label,
    environment: environment ?? row.environment,
  });
  await storeConnections(tx, [merge]);
  if (row.status !== 'active') await makeStreamsDue(tx, [{ ...toRecordRef(command), stream: null }]);
  const changes = merge.changes.filter(({ field }) => field !== 'account_hash');
  return changes.length > 0 || wasUnverified
    ? { ...promptedOutcome(command), ok: true, changes, events: [] }
    : UNCHANGED;
}

async function findRefusal(
  tx: Transaction,
  row: ConnectionRow,
  { external_account, environment }: ConnectionVerification,
): Promise<string | undefined> {
  if (environment !== null && environment !== row.environment)
    return `These are ${environment} credentials, but this is the ${row.environment} account.`;
  if (row.external_account !== null && row.external_account !== external_account)
    return `These credentials lead to another account, ${external_account}. Connect it separately.`;
  const others = await tx.query({
    name: 'find-same-account',
    text: `select 1 from connections where tenant_id = $1 and vendor = $2 and external_account = $3 and id <> $4
           and status <> 'revoked' limit 1`,
    values: [row.tenant_id, row.vendor, external_account, row.id],
  });
  return others.length > 0 ? 'Another connection leads to the same account.' : undefined;
}

interface Refusal {
  row: ConnectionRow;
  command: Command;
  reason: string;
  config: Config;
}

async function refuse(tx: Transaction, { row, command, reason, config }: Refusal): Promise<CommandOutcome> {
  const merge = moveConnection(row, 'refuse', reason);
  if (!merge) return UNCHANGED;
  await storeConnections(tx, [merge]);
  await insertNotices(tx, [{ command, notice: buildNotice(row, 'connection_needs_reauth', reason) }], config);
  return { ok: true, changes: merge.changes, events: [] };
}

/**
 * Stores the status that the worker found: the vendor refuses the credentials, has failed for long,
 * or works again. Sends a notice unless the vendor works again.
 */
export async function recordConnectionStatuses(
  tx: Transaction,
  commands: Command<ConnectionStatusChange>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockConnections(tx, commands);
  const merges: PlannedMerge[] = [];
  const notices: { command: Command; notice: NoticeDraft }[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome(CONNECTION_LABEL);
    const { move, reason } = command.input;
    const merge = moveConnection(row, move, reason);
    if (!merge) return UNCHANGED;
    merges.push(merge);
    const kind = move === 'refuse' ? 'connection_needs_reauth' : 'connection_failing';
    if (move !== 'recover') notices.push({ command, notice: buildNotice(row, kind, reason ?? '') });
    return { ok: true, changes: merge.changes, events: [] };
  });
  await storeConnections(tx, merges);
  await insertNotices(tx, notices, config);
  return outcomes;
}

/**
 * Notifies accounts that a vendor did not revoke the service's access, although the service has
 * deleted the credentials.
 */
export async function recordConnectionsUnrevoked(
  tx: Transaction,
  commands: Command<{ reason: string }>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const rows = await lockConnections(tx, commands);
  const found = commands.flatMap((command) => {
    const row = rows.get(refKey(toRecordRef(command)));
    return row ? [{ command, row }] : [];
  });
  const notices = found.map(({ command, row: { id, vendor, label } }) => ({
    command,
    notice: {
      kind: 'connection_not_revoked' as const,
      title: `${label ?? vendor} did not revoke the access`,
      text: `${command.input.reason} The service has deleted its credentials. Remove its access at the vendor yourself.`,
      entity_type: 'connection' as const,
      entity_id: id,
    },
  }));
  await insertNotices(tx, notices, config);
  return commands.map(() => UNCHANGED);
}

function buildNotice(
  { id, vendor, label }: ConnectionRow,
  kind: 'connection_needs_reauth' | 'connection_failing',
  reason: string,
): NoticeDraft {
  const name = label ?? vendor;
  const isRefused = kind === 'connection_needs_reauth';
  return {
    kind,
    title: isRefused ? `${name} must be connected again` : `${name} does not answer`,
    text: isRefused
      ? `${reason} Nothing is sent or read until someone connects it again; what waits is sent then.`
      : `${reason} The service keeps trying, and nothing is lost.`,
    entity_type: 'connection',
    entity_id: id,
  };
}
