import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { parseColumnNames, type RecordRef, recordsetSql } from '../../records/record-refs.js';

/*
 * The rows of club offers are written in this folder and not in `club-offers`, to avoid an import
 * cycle: `club-offers` creates work orders, and a move of a work order writes its offer.
 */

const NEW_COLUMNS = `tenant_id uuid, id uuid, club_id uuid, club text, reference text, service_type text, pickup_location text,
  pickup_lat float8, pickup_lng float8, dropoff_location text, vehicle_make text, vehicle_model text, vehicle_year integer, vin text,
  contact_name text, contact_phone text, notes text, po_number text, offered_cents bigint, respond_by timestamptz`;
const NEW_NAMES = parseColumnNames(NEW_COLUMNS).join(', ');

export async function insertClubOffers(tx: Transaction, rows: readonly RecordRef[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'insert-club-offers',
    text: `insert into club_offers (${NEW_NAMES}) select ${NEW_NAMES} from ${recordsetSql(NEW_COLUMNS)}`,
    values: [JSON.stringify(rows)],
  });
}

const MOVED_COLUMNS = `status text, answered_at timestamptz, eta timestamptz, refusal_reason text, refusal_note text,
  withdrawal_reason text, withdrawal_note text, customer_id uuid, work_order_id uuid, progress text`;
const MOVED_NAMES = parseColumnNames(MOVED_COLUMNS);

/** Stores the answers of accounts, the decisions of clubs, and expiries. Rows are whole. */
export async function storeClubOffers(tx: Transaction, rows: readonly RecordRef[]): Promise<void> {
  if (rows.length === 0) return;
  await tx.query({
    name: 'store-club-offers',
    text: `update club_offers t set ${MOVED_NAMES.map((name) => `${name} = r.${name}`).join(', ')}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql(`tenant_id uuid, id uuid, ${MOVED_COLUMNS}`)} where t.tenant_id = r.tenant_id and t.id = r.id`,
    values: [JSON.stringify(rows)],
  });
}
