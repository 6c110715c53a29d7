import type { Config } from '../../config/config.js';
import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { SyncIssueResolve } from '../../contracts/generated.js';
import { CLAIMS_STREAM } from '../../integrations/contract/motor-club.js';
import { RECONCILIATION_STREAM } from '../../integrations/contract/vendor.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { diffNewRecord } from '../../records/changes.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { type RecordRef, refKey, toRecordRef } from '../../records/record-refs.js';
import { type ReplayedOperation, replayOperations } from '../../sync/due-operations.js';
import { forgetVersions } from '../../sync/external-ids.js';
import {
  findConnectionsOfIssues,
  type IssueDecision,
  insertIssues,
  resolveIssues,
} from '../../sync/issue-rows.js';
import { lockConnectionQueues } from '../../sync/lease-connection-queues.js';
import { type DueStreams, makeStreamsDue } from '../../sync/stream-rows.js';
import { bookAgain, type DifferingRecord } from '../books/book-again.js';
import { BOOK_KINDS } from '../books/kinds.js';
import { insertNotices } from '../notices/store.js';
import { refreshReplayedClaims } from '../open-claims/replay.js';
import { CLAIM_KIND } from '../open-claims/store.js';
import type { SyncIssueOpening } from './commands.js';
import { closeSyncDifferences, recordSyncDifferences } from './difference-handlers.js';

interface IssueRow extends Row, RecordRef {
  connection_id: string;
  kind: string;
  status: string;
  operation_id: string | null;
  record_kind: string;
  record_id: string | null;
  external_id: string | null;
}

/** The resolutions after which the worker writes our version of the record to the vendor again. */
const REPEATING: readonly string[] = ['retry', 'ours'];

/**
 * Resolves issues. A resolution in REPEATING makes the issue's dead outbound operation due again.
 * After `retry` of a difference, the worker compares both sides again. If the record belongs to the
 * books, the worker first writes our side of the record again.
 */
async function resolveSyncIssues(
  tx: Transaction,
  commands: Command<SyncIssueResolve>[],
  config: Config,
): Promise<CommandOutcome[]> {
  const refs = commands.map(toRecordRef);
  // Lock the connections' queues before the issues. Replays and workers use the same sequence, so a
  // deadlock is impossible.
  await lockConnectionQueues(tx, await findConnectionsOfIssues(tx, refs));
  const rows = await lockRecords<IssueRow>(tx, 'sync_issues', refs);
  const decisions: IssueDecision[] = [];
  const comparisons: DueStreams[] = [];
  const bookings: DifferingRecord[] = [];
  const claims: DifferingClaim[] = [];
  const replayed: ReplayedOperation[] = [];
  const outcomes: CommandOutcome[] = [];
  for (const command of commands) {
    const { tenantId, actor, input } = command;
    const row = rows.get(refKey(toRecordRef(command)));
    const refusal = row ? findRefusal(row, input) : notFoundOutcome('sync issue');
    if (!row || refusal) {
      outcomes.push(refusal as CommandOutcome);
      continue;
    }
    const { resolution, note = null } = input;
    decisions.push({ ...toRecordRef(command), resolution, note, decided_by: actor.name });
    const changes = [{ field: 'status', from: 'open', to: 'resolved' }];
    const { connection_id: connectionId, operation_id: operationId } = row;
    const mustRepeat = REPEATING.includes(resolution) && operationId !== null;
    if (mustRepeat)
      replayed.push(...(await replayOperations(tx, { tenantId, connectionId }, { operationId })));
    const mustCompare = row.kind === 'difference' && resolution === 'retry';
    const { record_kind: kind, record_id: id, external_id } = row;
    if (mustCompare && BOOK_KINDS.includes(kind) && external_id !== null)
      bookings.push({ tenant_id: tenantId, connection_id: connectionId, kind, id, external_id });
    else if (mustCompare && kind === CLAIM_KIND && external_id !== null)
      claims.push({ tenantId, connectionId, externalId: external_id });
    else if (mustCompare)
      comparisons.push({ tenant_id: tenantId, id: connectionId, stream: RECONCILIATION_STREAM });
    const prompts = mustRepeat || mustCompare ? [{ queue: INTEGRATIONS_QUEUE, id: connectionId }] : [];
    outcomes.push({ ok: true, changes, events: [], prompts });
  }
  await resolveIssues(tx, decisions);
  await refreshReplayedClaims(tx, replayed, config);
  await bookAgain(tx, bookings);
  await makeStreamsDue(tx, [...comparisons, ...(await readClaimsAgain(tx, claims))]);
  return outcomes;
}

interface DifferingClaim {
  tenantId: string;
  connectionId: string;
  externalId: string;
}

/** Lets the worker read all claims of the connections again, and compare these ones. */
async function readClaimsAgain(tx: Transaction, claims: readonly DifferingClaim[]): Promise<DueStreams[]> {
  const since = new Date().toISOString();
  for (const { externalId, ...connection } of claims)
    await forgetVersions(tx, connection, { kind: CLAIM_KIND, externalIds: [externalId] });
  return claims.map(({ tenantId, connectionId }) => ({
    tenant_id: tenantId,
    id: connectionId,
    stream: CLAIMS_STREAM,
    since,
  }));
}

function findRefusal(
  { kind, status }: IssueRow,
  { resolution }: SyncIssueResolve,
): CommandOutcome | undefined {
  if (status === 'resolved')
    return failedOutcome({ code: 'conflict', message: 'This issue is resolved already.' });
  if (kind !== 'conflict' && (resolution === 'ours' || resolution === 'theirs'))
    return failedOutcome({
      code: 'conflict',
      message:
        kind === 'difference'
          ? 'Correct one side and resolve this with retry, which compares again and writes ours in the books again; or ignore it.'
          : 'This issue has only one side. Resolve it with retry or ignore.',
    });
  return undefined;
}

/** Opens issues, each with a notice. */
async function openSyncIssues(
  tx: Transaction,
  commands: Command<SyncIssueOpening>[],
  config: Config,
): Promise<CommandOutcome[]> {
  await insertIssues(
    tx,
    commands.map((command) => ({
      external_id: null,
      ...command.input,
      ...toRecordRef(command),
      ours: null,
      theirs: null,
    })),
  );
  await insertNotices(
    tx,
    commands.map((command) => ({
      command,
      notice: {
        kind: 'sync_issue_opened',
        title: 'A record could not be written at a vendor',
        text: `${command.input.message} Decide at GET /v1/sync-issues/${command.entityId}.`,
        entity_type: 'connection',
        entity_id: command.input.connection_id,
      },
    })),
    config,
  );
  return commands.map(({ input }) => ({ ok: true, changes: diffNewRecord({ ...input }), events: [] }));
}

export const syncIssueHandlers: CommandHandlers = {
  'sync_issue.open': openSyncIssues,
  'sync_issue.record_difference': recordSyncDifferences,
  'sync_issue.close_difference': closeSyncDifferences,
  'sync_issue.resolve': resolveSyncIssues,
};
