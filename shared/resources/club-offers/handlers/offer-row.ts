import type { Command, CommandOutcome } from '../../../contracts/command.js';
import type { Row, Transaction } from '../../../platform/postgres/database.js';
import { lockRecords } from '../../../records/lock-records.js';
import { failedOutcome } from '../../../records/outcomes.js';
import { type RecordRef, toRecordRef } from '../../../records/record-refs.js';
import type { ClubProgress } from '../../open-club-offers/progress.js';
import { type ClubOfferStatus, listNextOfferStatuses, type WithdrawalReason } from '../transitions.js';

export interface OfferRow extends Row, RecordRef {
  club_id: string;
  club: string;
  reference: string;
  status: ClubOfferStatus;
  service_type: string;
  pickup_location: string | null;
  pickup_lat: number | null;
  pickup_lng: number | null;
  dropoff_location: string | null;
  vehicle_make: string | null;
  vehicle_model: string | null;
  vehicle_year: number | null;
  vin: string | null;
  contact_name: string | null;
  contact_phone: string | null;
  notes: string | null;
  po_number: string | null;
  offered_cents: number | null;
  respond_by: string;
  answered_at: string | null;
  eta: string | null;
  refusal_reason: string | null;
  refusal_note: string | null;
  withdrawal_reason: WithdrawalReason | null;
  withdrawal_note: string | null;
  customer_id: string | null;
  work_order_id: string | null;
  progress: ClubProgress | null;
}

export const OFFER_LABEL = "club's offer";

/** Offers that the transaction has locked, and the time of PostgreSQL after that. */
export interface LockedOffers {
  rows: Map<string, OfferRow>;
  now: Date;
}

/**
 * Locks the offers of commands. Reads the time only when all locks are held, because an answer that
 * waited for a lock until after `respond_by` is late. The time is that of PostgreSQL, so all
 * processes agree on it.
 */
export async function lockOffers(tx: Transaction, commands: readonly Command[]): Promise<LockedOffers> {
  const rows = await lockRecords<OfferRow>(tx, 'club_offers', commands.map(toRecordRef));
  return { rows, now: await readClock(tx) };
}

export async function readClock(tx: Transaction): Promise<Date> {
  const [row] = await tx.query<{ now: Date }>({
    name: 'read-clock',
    text: 'select clock_timestamp() as now',
  });
  if (!row) throw new Error('PostgreSQL returned no time');
  return new Date(row.now);
}

/** True if the time to answer the offer has passed, whether the clock has expired it or not. */
export function isPastAnswering({ respond_by }: OfferRow, now: Date): boolean {
  return Date.parse(respond_by) <= now.getTime();
}

export function failIllegalOfferMove(row: OfferRow, to: ClubOfferStatus, reason?: string): CommandOutcome {
  const message = reason ?? `This offer is ${row.status} already, so it cannot become ${to}.`;
  return failedOutcome({
    code: 'invalid_status_transition',
    message,
    details: [{ field: 'status', from: row.status, to, allowed: listNextOfferStatuses(row.status) }],
  });
}

/** Refuses an answer that came too late. The next sweep expires the offer. */
export function failLateAnswer({ respond_by }: OfferRow): CommandOutcome {
  const message = `The time to answer this offer ended at ${new Date(respond_by).toISOString()}`;
  return failedOutcome({
    code: 'conflict',
    message: `${message}. The club offers the job to another company.`,
    details: [{ field: 'respond_by', code: 'expired', message }],
  });
}
