import type { Config } from '../../../config/config.js';
import type { Command, CommandOutcome, EventDraft } from '../../../contracts/command.js';
import type { ClubOfferConfirm, ClubOfferGone, ClubOfferWithdraw } from '../../../contracts/generated.js';
import type { Transaction } from '../../../platform/postgres/database.js';
import { lockRecords } from '../../../records/lock-records.js';
import { failedOutcome, notFoundOutcome } from '../../../records/outcomes.js';
import { type RecordRef, recordsetSql, refKey, toRecordRef } from '../../../records/record-refs.js';
import { storeClubOffers } from '../../open-club-offers/store.js';
import { hasReachedPickup, isVehicleLoaded } from '../../work-orders/transitions.js';
import type { WorkOrderRow } from '../../work-orders/work-order-row.js';
import { canMoveOffer, type WithdrawalReason } from '../transitions.js';
import {
  failIllegalOfferMove,
  isPastAnswering,
  lockOffers,
  OFFER_LABEL,
  type OfferRow,
} from './offer-row.js';
import { type CancelledWork, cancelWorkOrders } from './work-orders.js';

const UNCHANGED: CommandOutcome = { ok: true, changes: [], events: [] };

/** Records that clubs confirm acceptances. A second confirmation changes nothing. */
export async function confirmClubOffers(
  tx: Transaction,
  commands: Command<ClubOfferConfirm>[],
): Promise<CommandOutcome[]> {
  const { rows } = await lockOffers(tx, commands);
  const moved: OfferRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome(OFFER_LABEL);
    if (row.status === 'confirmed') return UNCHANGED;
    if (!canMoveOffer(row.status, 'confirmed', 'club')) return failIllegalOfferMove(row, 'confirmed');
    moved.push({ ...row, status: 'confirmed' });
    const events: EventDraft[] = [{ type: 'club_offer.confirmed', clubId: row.club_id }];
    return { ok: true, changes: [{ field: 'status', from: row.status, to: 'confirmed' }], events };
  });
  await storeClubOffers(tx, moved);
  return outcomes;
}

/** Expires offers without an answer in time. Before `respond_by`, an offer stays as it is. */
export async function expireClubOffers(tx: Transaction, commands: Command[]): Promise<CommandOutcome[]> {
  const { rows, now } = await lockOffers(tx, commands);
  const moved: OfferRow[] = [];
  const outcomes = commands.map((command): CommandOutcome => {
    const row = rows.get(refKey(toRecordRef(command)));
    if (!row) return notFoundOutcome(OFFER_LABEL);
    if (!canMoveOffer(row.status, 'expired', 'clock') || !isPastAnswering(row, now)) return UNCHANGED;
    moved.push({ ...row, status: 'expired', answered_at: now.toISOString() });
    const events: EventDraft[] = [{ type: 'club_offer.expired', clubId: row.club_id }];
    return { ok: true, changes: [{ field: 'status', from: row.status, to: 'expired' }], events };
  });
  await storeClubOffers(tx, moved);
  return outcomes;
}

type TakeBackCommand = Command<ClubOfferWithdraw | ClubOfferGone>;

/**
 * Returns the handler by which clubs take offers back, also after the acceptance: the work order is
 * then cancelled. A second request changes nothing.
 */
export function takeBackOffers(reason: WithdrawalReason) {
  return async (tx: Transaction, commands: TakeBackCommand[], config: Config): Promise<CommandOutcome[]> => {
    const found = await findWorkOrders(tx, commands);
    const work = found.length === 0 ? new Map() : await lockRecords<WorkOrderRow>(tx, 'work_orders', found);
    const { rows } = await lockOffers(tx, commands);
    failIfAcceptedMeanwhile([...rows.values()], found);
    const moved: OfferRow[] = [];
    const cancelled: CancelledWork[] = [];
    const plans = commands.map((command): OfferRow | CommandOutcome => {
      const row = rows.get(refKey(toRecordRef(command)));
      if (!row) return notFoundOutcome(OFFER_LABEL);
      if (row.status === 'withdrawn') return UNCHANGED;
      if (!canMoveOffer(row.status, 'withdrawn', 'club')) return failIllegalOfferMove(row, 'withdrawn');
      if (reason === 'goa' && row.status === 'received') return failNotAccepted();
      const job = work.get(keyOfWorkOrder(row));
      if (job?.status === 'completed') return failPastTakingBack('The job of this offer is completed');
      if (job && isVehicleLoaded(job)) return failPastTakingBack('The vehicle is on the truck');
      const note = command.input.note ?? null;
      if (job && job.status !== 'cancelled')
        cancelled.push({ command, workOrderId: job.id, reason: chooseReason(reason, job), note });
      moved.push({ ...row, status: 'withdrawn', withdrawal_reason: reason, withdrawal_note: note });
      return row;
    });
    // Store the withdrawals first: the work order's move then reports no progress to the club.
    await storeClubOffers(tx, moved);
    const cancellations = await cancelWorkOrders(tx, cancelled, config);
    return plans.map((plan, index): CommandOutcome => {
      if ('ok' in plan) return plan as CommandOutcome;
      const { status, club_id } = plan;
      const changes = [
        { field: 'status', from: status, to: 'withdrawn' },
        { field: 'withdrawal_reason', from: null, to: reason },
      ];
      const events: EventDraft[] = [{ type: 'club_offer.withdrawn', clubId: club_id }];
      return { ok: true, changes, events, ...cancellations.get(commands[index]?.id ?? '') };
    });
  };
}

/**
 * Finds the work orders of the offers. They are locked before the offers, because a driver's step
 * locks them in this sequence, too. With an If-Match, the worker has locked the offers before. The
 * rare deadlock is then run again.
 */
function findWorkOrders(tx: Transaction, commands: readonly Command[]): Promise<RecordRef[]> {
  return tx.query<RecordRef>({
    name: 'find-work-orders-of-offers',
    text: `select o.tenant_id, o.work_order_id as id from ${recordsetSql('tenant_id uuid, id uuid')}
           join club_offers o on o.tenant_id = r.tenant_id and o.id = r.id and o.work_order_id is not null`,
    values: [JSON.stringify(commands.map(toRecordRef))],
  });
}

/**
 * Fails if an acceptance created a work order after `findWorkOrders` and before `lockOffers`. This
 * transaction has not locked that work order. The batch then runs again, and finds it.
 * @throws an error with PostgreSQL's code for a serialization failure
 */
function failIfAcceptedMeanwhile(offers: readonly OfferRow[], found: readonly RecordRef[]): void {
  const known = new Set(found.map(refKey));
  if (offers.every((row) => !row.work_order_id || known.has(keyOfWorkOrder(row)))) return;
  throw Object.assign(new Error('an offer was accepted while it was withdrawn'), { code: '40001' });
}

const keyOfWorkOrder = ({ tenant_id, work_order_id }: OfferRow) =>
  refKey({ tenant_id, id: work_order_id ?? '' });

/**
 * Returns why the work order is cancelled. If the truck has reached the pickup, part of the price
 * may be due. Otherwise the club cancelled in time.
 */
function chooseReason(reason: WithdrawalReason, job: WorkOrderRow): CancelledWork['reason'] {
  if (!hasReachedPickup(job)) return 'club';
  return reason === 'goa' ? 'goa' : 'unsuccessful';
}

function failNotAccepted(): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: 'This offer is not accepted yet, so no truck looked for the motorist. Withdraw it instead.',
  });
}

function failPastTakingBack(reason: string): CommandOutcome {
  return failedOutcome({
    code: 'conflict',
    message: `${reason}, so the offer cannot be withdrawn. Call the company.`,
  });
}
