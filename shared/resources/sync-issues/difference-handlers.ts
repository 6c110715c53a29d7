import type { Config } from '../../config/config.js';
import type { Command, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { closeDifferences, type NewDifference, storeDifferences } from '../../sync/difference-rows.js';
import { BOOK_KINDS } from '../books/kinds.js';
import { insertNotices } from '../notices/store.js';
import { CLAIM_KIND } from '../open-claims/store.js';
import type { SyncDifferenceOpening } from './commands.js';

type DifferenceCommand = Command<SyncDifferenceOpening>;

const skipped = (): CommandOutcome =>
  failedOutcome({ code: 'conflict', message: 'This difference was recorded or resolved meanwhile.' });

/** Opens issues about differences. All new issues of a connection in one batch share one notice. */
export async function recordSyncDifferences(
  tx: Transaction,
  commands: DifferenceCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const differences = commands.map(
    (command): NewDifference => ({
      ...command.input,
      ...toRecordRef(command),
      kind: 'difference',
      operation_id: null,
    }),
  );
  // Keep only the last difference of each record, because the query can store a row only once.
  const byRecord = new Map(
    differences.map((one) => [`${one.connection_id}/${one.record_kind}/${one.external_id}`, one]),
  );
  const stored = new Map(
    (await storeDifferences(tx, [...byRecord.values()])).map((row) => [refKey(row), row]),
  );
  const isNew = (command: DifferenceCommand) => stored.get(refKey(toRecordRef(command)))?.is_new === true;
  const opened = new Map<string, DifferenceCommand[]>();
  for (const command of commands.filter(isNew)) {
    const key = `${command.tenantId}/${command.input.connection_id}`;
    opened.set(key, [...(opened.get(key) ?? []), command]);
  }
  await insertNotices(
    tx,
    [...opened.values()].map((group) => ({
      command: group[0] as DifferenceCommand,
      notice: buildNotice(group),
    })),
    config,
  );
  return commands.map((command): CommandOutcome => {
    if (!stored.has(refKey(toRecordRef(command)))) return skipped();
    return { ok: true, changes: diffNewRecord({ ...command.input }), events: [] };
  });
}

function buildNotice(commands: readonly DifferenceCommand[]) {
  const [first] = commands as [DifferenceCommand];
  const more = commands.length - 1;
  const others = more === 0 ? '' : more === 1 ? ' One more record differs.' : ` ${more} more records differ.`;
  return {
    kind: 'sync_issue_opened' as const,
    title: nameDifference(first.input.record_kind),
    text: `${first.input.message}${others} Decide at GET /v1/sync-issues?kind=difference.`,
    entity_type: 'connection',
    entity_id: first.input.connection_id,
  };
}

function nameDifference(recordKind: string): string {
  if (recordKind === CLAIM_KIND) return 'Your claims differ from those at the billing partner';
  return BOOK_KINDS.includes(recordKind)
    ? 'Your records differ from those in the books'
    : 'Your payments differ from those at the vendor';
}

/** Resolves differences that no longer exist, without a decision by a person. */
export async function closeSyncDifferences(
  tx: Transaction,
  commands: Command<{ note: string }>[],
): Promise<CommandOutcome[]> {
  const rows = commands.map((command) => ({ ...toRecordRef(command), note: command.input.note }));
  const closed = new Set((await closeDifferences(tx, rows)).map(refKey));
  return commands.map(
    (command): CommandOutcome =>
      closed.has(refKey(toRecordRef(command)))
        ? { ok: true, changes: [{ field: 'status', from: 'open', to: 'resolved' }], events: [] }
        : skipped(),
  );
}
