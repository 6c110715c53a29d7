import type { Change, Command, CommandOutcome } from '../../contracts/command.js';
import type { SuggestionAccept, SuggestionDismiss } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { auditSideEffects } from '../audit-log/audit-side-effects.js';
import type { SuggestionStatus } from './detectors/kinds.js';
import { LineItemAdder } from './line-item-adder.js';
import { type SuggestionRow, storeDecisions } from './store.js';
import { adjustThresholds } from './thresholds.js';

type DecidedStatus = 'accepted' | 'dismissed';

/**
 * Returns undefined if the suggestion is open. If the suggestion already has the status `to`,
 * returns an outcome without changes. Otherwise returns a 409 error.
 */
function checkStillOpen(row: SuggestionRow, to: DecidedStatus): CommandOutcome | undefined {
  if (row.status === 'open') return undefined;
  if (row.status === to) return { ok: true, changes: [], events: [] };
  return failedOutcome({
    code: 'invalid_status_transition',
    message: `This suggestion is ${row.status} and can no longer be ${to}.`,
    details: [{ field: 'status', from: row.status, to, allowed: [] }],
  });
}

interface Decision {
  command: Command;
  row: SuggestionRow;
  status: DecidedStatus;
  note: string | null;
}

async function storeAndLearn(tx: Transaction, decisions: readonly Decision[]): Promise<void> {
  const now = new Date().toISOString();
  await storeDecisions(
    tx,
    decisions.map(({ command, status, note }) => ({
      ...toRecordRef(command),
      status,
      note,
      decided_by: command.actor,
      decided_at: now,
    })),
  );
  await adjustThresholds(
    tx,
    decisions.map(({ row, status }) => ({
      tenant_id: row.tenant_id,
      detector: row.detector,
      isAccepted: status === 'accepted',
    })),
  );
}

function statusChange(from: SuggestionStatus, to: SuggestionStatus): Change {
  return { field: 'status', from, to };
}

/**
 * Accepts suggestions, and adds their proposed line items to the invoices. If the line items of a
 * suggestion cannot be added, the suggestion stays open. A suggestion without line items is only
 * marked as accepted.
 */
export async function acceptSuggestions(
  tx: Transaction,
  commands: Command<SuggestionAccept>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<SuggestionRow>(tx, 'suggestions', commands.map(toRecordRef));
  const open = [...rows.values()].filter((row) => row.status === 'open');
  const adder = await LineItemAdder.lock(tx, open);
  const decisions: Decision[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('suggestion');
    const decided = checkStillOpen(row, 'accepted') ?? adder.add(command, row);
    if (decided) return decided;
    decisions.push({ command, row, status: 'accepted', note: null });
    return { ok: true, changes: [statusChange('open', 'accepted')], events: [] };
  });
  await adder.store(tx);
  await auditSideEffects(tx, adder.audits);
  await storeAndLearn(tx, decisions);
  return outcomes;
}

/** Dismisses suggestions. Each dismissal also adapts the threshold of the suggestion's detector. */
export async function dismissSuggestions(
  tx: Transaction,
  commands: Command<SuggestionDismiss>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<SuggestionRow>(tx, 'suggestions', commands.map(toRecordRef));
  const decisions: Decision[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome('suggestion');
    const decided = checkStillOpen(row, 'dismissed');
    if (decided) return decided;
    const note = command.input.reason ?? null;
    decisions.push({ command, row, status: 'dismissed', note });
    const changes = [statusChange('open', 'dismissed')];
    if (note !== null) changes.push({ field: 'note', from: row.note, to: note });
    return { ok: true, changes, events: [] };
  });
  await storeAndLearn(tx, decisions);
  return outcomes;
}
