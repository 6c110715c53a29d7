import type { Config } from '../../config/config.js';
import type {
  Change,
  Command,
  CommandHandlers,
  CommandOutcome,
  EventDraft,
} from '../../contracts/command.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { INTEGRATIONS_QUEUE } from '../../queues/integrations.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import { makeStreamsDue } from '../../sync/stream-rows.js';
import { insertNotices, type NoticeDraft } from '../notices/store.js';
import type { PayoutReport } from './commands.js';
import { recordItems } from './item-handler.js';

type ReportCommand = Command<PayoutReport>;

interface PayoutRow extends Row, RecordRef {
  connection_id: string;
  provider_payout_id: string;
  amount_cents: number;
  status: PayoutReport['status'];
  arrival_date: string;
  failure_reason: string | null;
  items_status: 'pending' | 'complete' | 'unavailable';
  are_items_ready: boolean;
  created_at: string;
  observed_at: string;
}

/** The stream that reads the items of payouts. */
const ITEMS_STREAM = 'payout_items';

/**
 * Stores vendors' reports about payouts. A paid or failed payout records an event, and a failed
 * payout also sends a notice. If there are several reports about a payout, the latest counts.
 */
async function recordPayouts(
  tx: Transaction,
  commands: ReportCommand[],
  config: Config,
): Promise<CommandOutcome[]> {
  const stored = await lockRecords<PayoutRow>(tx, 'payouts', commands.map(toRecordRef));
  const next = new Map<string, PayoutRow>();
  const notices: { command: Command; notice: NoticeDraft }[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const key = refKey(toRecordRef(command));
    const before = next.get(key) ?? stored.get(key);
    if (before && Date.parse(before.observed_at) > Date.parse(command.input.observed_at))
      return { ok: true, changes: [], events: [] };
    const row = toRow(command, before);
    next.set(key, row);
    const isNewStatus = row.status !== before?.status;
    if (isNewStatus && row.status === 'failed') notices.push({ command, notice: failedNotice(command) });
    return {
      ok: true,
      changes: listChanges(before, row),
      events: isNewStatus ? listEvents(row) : [],
      prompts: mustReadItems(row) ? [{ queue: INTEGRATIONS_QUEUE, id: row.connection_id }] : [],
    };
  });
  const rows = [...next.values()];
  await storePayouts(tx, rows);
  await makeStreamsDue(
    tx,
    rows
      .filter(mustReadItems)
      .map(({ tenant_id, connection_id: id }) => ({ tenant_id, id, stream: ITEMS_STREAM })),
  );
  await insertNotices(tx, notices, config);
  return outcomes;
}

function toRow(command: ReportCommand, before: PayoutRow | undefined): PayoutRow {
  const { items, ...report } = command.input;
  const itemsStatus = items === 'unavailable' ? 'unavailable' : 'pending';
  return {
    ...report,
    ...toRecordRef(command),
    connection_id: String(command.actor.id),
    items_status: before?.items_status === 'complete' ? 'complete' : itemsStatus,
    are_items_ready: items === 'ready' || before?.are_items_ready === true,
  };
}

function mustReadItems({ items_status, are_items_ready }: PayoutRow): boolean {
  return are_items_ready && items_status === 'pending';
}

function listChanges(before: PayoutRow | undefined, after: PayoutRow): Change[] {
  const names = ['status', 'amount_cents', 'arrival_date', 'failure_reason'] as const;
  return names.flatMap((field) => {
    const [from, to] = [before?.[field] ?? null, after[field]];
    return from === to ? [] : [{ field, from, to }];
  });
}

function listEvents({ status }: PayoutRow): EventDraft[] {
  if (status === 'paid') return [{ type: 'payout.paid' }];
  return status === 'failed' ? [{ type: 'payout.failed' }] : [];
}

function failedNotice({ entityId, input }: ReportCommand): NoticeDraft {
  const dollars = (Math.abs(input.amount_cents) / 100).toFixed(2);
  return {
    kind: 'payout_failed',
    title: `A payout of $${dollars} has failed`,
    text: `${input.failure_reason ?? 'The bank did not say why.'} The money is back in your balance at the vendor. Check the bank account that is entered there.`,
    entity_type: 'payout',
    entity_id: entityId,
  };
}

const COLUMNS = `tenant_id uuid, id uuid, connection_id uuid, provider_payout_id text, amount_cents bigint, status text, arrival_date date,
  failure_reason text, items_status text, are_items_ready boolean, observed_at timestamptz, created_at timestamptz`;
const NAMES = parseColumnNames(COLUMNS);
const KEPT_NAMES: readonly string[] = ['tenant_id', 'id', 'connection_id', 'created_at'];
const REPLACED_SQL = NAMES.filter((name) => !KEPT_NAMES.includes(name))
  .map((name) => `${name} = excluded.${name}`)
  .join(', ');

async function storePayouts(tx: Transaction, rows: readonly PayoutRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'store-payouts',
    text: `insert into payouts as t (${NAMES.join(', ')}) select ${NAMES.join(', ')} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, id) do update set ${REPLACED_SQL}, updated_at = ${nextUpdatedAtSql('t')}`,
    values: [JSON.stringify(rows)],
  });
}

export const payoutHandlers: CommandHandlers = {
  'payout.record': recordPayouts,
  'payout.record_items': recordItems,
};
