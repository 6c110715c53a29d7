import type { Command, CommandOutcome } from '../../contracts/command.js';
import { newId } from '../../platform/ids.js';
import type { Row, Transaction } from '../../platform/postgres/database.js';
import { lockRecords, nextUpdatedAtSql } from '../../records/lock-records.js';
import { notFoundOutcome } from '../../records/outcomes.js';
import {
  parseColumnNames,
  type RecordRef,
  recordsetSql,
  refKey,
  toRecordRef,
} from '../../records/record-refs.js';
import type { PayoutItemsReport } from './commands.js';

type ItemsCommand = Command<PayoutItemsReport>;

interface StoredPayout extends Row, RecordRef {
  connection_id: string;
  items_status: string;
}

/** Stores pages of payouts' items. The last page completes its payout. */
export async function recordItems(tx: Transaction, commands: ItemsCommand[]): Promise<CommandOutcome[]> {
  const payouts = await lockRecords<StoredPayout>(tx, 'payouts', commands.map(toRecordRef));
  const known = commands.filter((command) => payouts.has(refKey(toRecordRef(command))));
  await storeItems(
    tx,
    known.flatMap((command) => {
      const {
        tenant_id,
        id: payout_id,
        connection_id,
      } = payouts.get(refKey(toRecordRef(command))) as StoredPayout;
      return command.input.items.map((item) => ({
        ...item,
        tenant_id,
        id: newId(),
        payout_id,
        connection_id,
      }));
    }),
  );
  await storeTotals(tx, known);
  return commands.map((command) =>
    known.includes(command)
      ? {
          ok: true,
          changes: [{ field: 'items', from: null, to: command.input.items.length }],
          events: [],
        }
      : notFoundOutcome('payout'),
  );
}

const COLUMNS = `tenant_id uuid, id uuid, payout_id uuid, connection_id uuid, provider_item_id text, type text, amount_cents bigint,
  fee_cents bigint, net_cents bigint, description text, provider_payment_id text, provider_source_id text, created_at timestamptz`;
const NAMES = parseColumnNames(COLUMNS).join(', ');

interface ItemRow extends RecordRef {
  amount_cents: number;
  fee_cents: number;
}

/**
 * Stores items. Skips items that are already stored, because a page may be read again after a
 * failure.
 */
async function storeItems(tx: Transaction, rows: readonly ItemRow[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert-payout-items',
    text: `insert into payout_items (${NAMES}) select ${NAMES} from ${recordsetSql(COLUMNS)}
           on conflict (tenant_id, payout_id, provider_item_id) do nothing`,
    values: [JSON.stringify(rows.map((row) => ({ ...row, net_cents: row.amount_cents - row.fee_cents })))],
  });
}

/**
 * Completes the payouts whose last page is stored, and sums up their fees. A fee that the vendor
 * charged separately from payments is an item with a negative amount. The commands of the pages may
 * run in any sequence, so each of them computes the whole sum again.
 */
async function storeTotals(tx: Transaction, commands: readonly ItemsCommand[]): Promise<void> {
  if (commands.length === 0) return;
  await tx.query({
    name: 'store-payout-totals',
    text: `update payouts t set items_status = case when r.is_last then 'complete' else t.items_status end,
             fee_cents = case when r.is_last or t.items_status = 'complete' then (
               select coalesce(sum(i.fee_cents + case when i.type = 'fee' then -i.amount_cents else 0 end), 0)
               from payout_items i where i.tenant_id = t.tenant_id and i.payout_id = t.id) end,
             updated_at = ${nextUpdatedAtSql('t')}
           from (select tenant_id, id, bool_or(is_last) as is_last from ${recordsetSql('tenant_id uuid, id uuid, is_last boolean')} group by 1, 2) r
           where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [
      JSON.stringify(
        commands.map((command) => ({ ...toRecordRef(command), is_last: command.input.is_last })),
      ),
    ],
  });
}
