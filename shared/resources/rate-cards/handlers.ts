import type { Command, CommandHandlers, CommandOutcome } from '../../contracts/command.js';
import type { RateCardCreate } from '../../contracts/generated.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { diffNewRecord } from '../../records/changes.js';
import { failedOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import { rateCardFields } from './fields.js';

/** A card that is created without an after-hours window gets this window. */
const DEFAULT_AFTER_HOURS = { start: '18:00', end: '08:00', weekends: true };

type CardCommand = Command<RateCardCreate>;

interface Predecessor extends RecordRef {
  version: number;
  effective_from: string;
  is_default: boolean;
}

/**
 * Creates rate cards. If a card with the same name exists, the new card becomes the next version of
 * that card. The previous version stays unchanged.
 */
export async function createRateCards(tx: Transaction, commands: CardCommand[]): Promise<CommandOutcome[]> {
  const newest = await findNewest(tx, commands);
  const outcomes = commands.map((command): CommandOutcome => {
    const before = newest.get(refKey(toRecordRef(command)));
    if (before && command.input.effective_from < before.effective_from) return failTooEarly(before);
    return { ok: true, changes: diffNewRecord({ ...command.input }), events: [] };
  });
  const rows = commands.flatMap((command, index) =>
    outcomes[index]?.ok ? [buildCardRow(command, newest.get(refKey(toRecordRef(command))))] : [],
  );
  if (rows.length > 0) await insertCards(tx, rows);
  return outcomes;
}

/**
 * Finds the newest version of each card. If another transaction inserts the same next version at
 * the same time, the unique index makes this batch fail. When the batch runs again, this function
 * finds that version.
 */
async function findNewest(tx: Transaction, commands: CardCommand[]): Promise<Map<string, Predecessor>> {
  const names = commands.map((command) => ({ ...toRecordRef(command), name: command.input.name }));
  const rows = await tx.query<Predecessor>({
    name: 'newest-rate-cards',
    text: `select r.tenant_id, r.id, k.version, k.effective_from::text as effective_from, k.is_default
           from ${recordsetSql('tenant_id uuid, id uuid, name text')}
           cross join lateral (select * from rate_cards k where k.tenant_id = r.tenant_id and lower(k.name) = lower(r.name)
                               order by k.version desc limit 1) k`,
    values: [JSON.stringify(names)],
  });
  return new Map(rows.map((row) => [refKey(row), row]));
}

function failTooEarly({ effective_from, version }: Predecessor): CommandOutcome {
  const message = `effective_from must not be before ${effective_from}, the first day of version ${version}`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}. A card is superseded, never edited.`,
    details: [{ field: 'effective_from', code: 'not_later', message }],
  });
}

function buildCardRow(command: CardCommand, before: Predecessor | undefined) {
  const { items, after_hours_window: hours = DEFAULT_AFTER_HOURS, is_default, ...fields } = command.input;
  return {
    ...fields,
    ...toRecordRef(command),
    version: (before?.version ?? 0) + 1,
    is_default: is_default ?? before?.is_default ?? false,
    after_hours_start: hours.start,
    after_hours_end: hours.end,
    after_hours_weekends: hours.weekends,
    items: items.map(({ name, category, ...item }) => ({
      name: name ?? formatCategory(category),
      category,
      ...item,
    })),
  };
}

/** `hook_up` → `Hook up`. */
function formatCategory(category: string): string {
  const words = category.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

const COLUMNS = `tenant_id uuid, id uuid, version integer, ${rateCardFields.settable}`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

async function insertCards(tx: Transaction, rows: ReturnType<typeof buildCardRow>[]): Promise<void> {
  await tx.query({
    name: 'insert-rate-cards',
    text: `insert into rate_cards (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

export const rateCardHandlers: CommandHandlers = {
  'rate_card.create': createRateCards,
};
