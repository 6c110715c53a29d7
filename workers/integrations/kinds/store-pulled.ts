import type { Change } from '../../../shared/integrations/contract/connection.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { readLater } from '../../../shared/sync/notice-rows.js';
import { keepEarly } from '../records/keep-early.js';
import type { RecordKind } from '../records/record-kind.js';
import { LEFT_WAIT_MS, recordChanges, storeChanges } from '../records/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';

/**
 * Stores a page of a stream, and the run if it changed something. Keeps the changes that must be
 * read again later. Returns the commands that apply the others.
 */
export async function storePulled(
  tx: Transaction,
  step: Step,
  page: { stream: string; kind: RecordKind; changes: readonly Change<unknown>[]; startedAt: Date },
): Promise<StepCommand[]> {
  const { stream, kind, changes, startedAt } = page;
  const stored = await storeChanges(tx, step, { kind, changes });
  await keepEarly(tx, step, { stream, kind, early: stored.early });
  await readLater(tx, step.connection, { stream, hints: stored.left, inMs: LEFT_WAIT_MS });
  recordChanges(tx, step, { stream, startedAt, ...stored });
  return stored.commands;
}
