import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { lockRecords } from '../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../records/outcomes.js';
import { refKey, toRecordRef } from '../../records/record-refs.js';
import { acceptSuggestions, dismissSuggestions } from './decide-handler.js';
import type { SuggestionDraft } from './detectors/kinds.js';
import { insertSuggestions, type SuggestionRow, storeDecisions } from './store.js';

export async function createSuggestions(
  tx: Transaction,
  commands: Command<SuggestionDraft>[],
): Promise<CommandOutcome[]> {
  const inserted = await insertSuggestions(
    tx,
    commands.map((command) => ({ ...command.input, ...toRecordRef(command) })),
  );
  return commands.map((command): CommandOutcome => {
    if (!inserted.has(refKey(toRecordRef(command))))
      return failedOutcome({ code: 'conflict', message: 'This was suggested before.' });
    const { title, detector, amount_cents: amount } = command.input;
    const changes = Object.entries({ title, detector, amount_cents: amount }).map(([field, to]) => ({
      field,
      from: null,
      to,
    }));
    return { ok: true, changes, events: [{ type: 'ai.suggestion.created' }] };
  });
}

/**
 * Expires open suggestions. A suggestion that a person has already accepted or dismissed stays
 * unchanged.
 */
export async function expireSuggestions(
  tx: Transaction,
  commands: Command<{ reason: string }>[],
): Promise<CommandOutcome[]> {
  const rows = await lockRecords<SuggestionRow>(tx, 'suggestions', commands.map(toRecordRef));
  const open = commands.filter((command) => rows.get(refKey(toRecordRef(command)))?.status === 'open');
  await storeDecisions(
    tx,
    open.map((command) => ({
      ...toRecordRef(command),
      status: 'expired',
      note: command.input.reason,
      decided_by: null,
      decided_at: null,
    })),
  );
  return commands.map((command): CommandOutcome => {
    if (!rows.has(refKey(toRecordRef(command)))) return notFoundOutcome('suggestion');
    const changes = open.includes(command) ? [{ field: 'status', from: 'open', to: 'expired' }] : [];
    return { ok: true, changes, events: [] };
  });
}

export const suggestionHandlers: CommandHandlers = {
  'suggestion.create': createSuggestions,
  'suggestion.expire': expireSuggestions,
  'suggestion.accept': acceptSuggestions,
  'suggestion.dismiss': dismissSuggestions,
};
