import { failpoint } from '../../../shared/config/failpoints.js';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { hasUnansweredWrite } from '../../../shared/sync/external-ids.js';
import { endNotices, isReadLater, readLater, type WaitingNotices } from '../../../shared/sync/notice-rows.js';
import { makeStreamsDue } from '../../../shared/sync/stream-rows.js';
import { findStreamKind, KNOWN_KINDS } from '../kinds/record-kinds.js';
import { keepEarly } from '../records/keep-early.js';
import type { RecordKind } from '../records/record-kind.js';
import { LEFT_WAIT_MS, recordChanges, recordRun, storeChanges, toHint } from '../records/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { toStepError } from '../vendor/to-step-error.js';

/**
 * Reads the records that items of webhooks name, and stores the changes. Keeps an item whose change
 * refers to a record that is not stored yet. The worker reads such an item again later.
 */
export async function readNotices(step: Step, notices: WaitingNotices): Promise<void> {
  const startedAt = new Date();
  try {
    await storeNamed(step, notices, startedAt);
  } catch (cause) {
    await storeFailure(step, notices, { error: toStepError(step, cause), startedAt });
  }
}

async function storeNamed(step: Step, notices: WaitingNotices, startedAt: Date): Promise<void> {
  const { stream, items } = notices;
  const hints = [...new Set(items.map(({ hint }) => hint))];
  const kind = findStreamKind(stream);
  const { changes, hints: readHints } = await readItems(step, kind, items);
  // Without a call, the step shows nothing about the vendor's health.
  const isTranslated = readHints.length === 0;
  const { config } = step.services.runtime;
  failpoint(config, 'before_notices_stored');
  const commands: StepCommand[] = [];
  await step.finish({
    commands,
    nextKinds: KNOWN_KINDS,
    error: isTranslated ? null : undefined,
    async store(tx) {
      const stored = await storeChanges(tx, step, { kind, changes });
      commands.push(...stored.commands);
      const early = new Set([
        ...stored.early.map((change) => toHint(kind, change)),
        ...(await findLaterKnown(tx, step, { kind, changes, unknown: stored.unknown })),
      ]);
      const named = new Set(hints);
      // A hint may name another record than the one that has changed, such as a payment's invoice.
      const unnamed = stored.early.filter((change) => !named.has(toHint(kind, change)));
      await keepEarly(tx, step, { stream, kind, early: unnamed });
      const left = new Set(stored.left);
      await readLater(tx, step.connection, { stream, hints: stored.left, inMs: LEFT_WAIT_MS });
      endNotices(
        tx,
        step.connection,
        items.filter(({ hint, dedupeId }) => !early.has(hint) && !(left.has(hint) && isReadLater(dedupeId))),
      );
      if (!kind.readNamed) await makeStreamDue(step, tx, stream);
      recordChanges(tx, step, { stream, startedAt, ...stored });
    },
  });
  failpoint(config, 'after_notices_stored');
}

/**
 * Finds the records that a write may have made whose response is not stored yet. Other unknown
 * records are of another program, so that their items need not be read again.
 */
async function findLaterKnown(
  tx: Transaction,
  { connection }: Step,
  {
    kind,
    changes,
    unknown,
  }: { kind: RecordKind; changes: readonly Change<unknown>[]; unknown: readonly string[] },
): Promise<readonly string[]> {
  if (!kind.isKnownOnceWritten || unknown.length === 0) return [];
  const kinds = [...new Set(changes.map((change) => change.kind))];
  return (await hasUnansweredWrite(tx, connection, kinds)) ? unknown : [];
}

/** Translates the items that contain the states of their records, and reads the other records. */
async function readItems(
  step: Step,
  kind: RecordKind,
  items: WaitingNotices['items'],
): Promise<{ changes: Change<unknown>[]; hints: string[] }> {
  const translated: Change<unknown>[] = [];
  const hints = new Set<string>();
  for (const item of items) {
    const change = kind.translate?.(step, item);
    if (change) translated.push(change);
    else hints.add(item.hint);
  }
  const read = hints.size > 0 ? await kind.readNamed?.(step, [...hints]) : undefined;
  return { changes: toStorable([...translated, ...(read ?? [])]), hints: [...hints] };
}

function makeStreamDue({ connection }: Step, tx: Transaction, stream: string) {
  return makeStreamsDue(tx, [{ tenant_id: connection.tenantId, id: connection.connectionId, stream }]);
}

/**
 * Stores a failed read. After a final refusal, drops the items and makes the stream due, because
 * another read of these records would fail again.
 */
async function storeFailure(
  step: Step,
  notices: WaitingNotices,
  { error, startedAt }: { error: ReturnType<typeof toStepError>; startedAt: Date },
): Promise<void> {
  const isFinal = error.kind === 'refused' || error.kind === 'gone' || error.kind === 'conflict';
  const canRefresh = step.planTokenRefresh(error);
  await step.finish({
    error: canRefresh ? null : error,
    async store(tx) {
      recordRun(tx, step, { stream: notices.stream, startedAt, state: 'failed', error: error.message });
      if (!isFinal) return;
      endNotices(tx, step.connection, notices.items);
      await makeStreamDue(step, tx, notices.stream);
    },
  });
}
