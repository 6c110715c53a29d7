import type { EventDraft } from '../../contracts/command.js';
import type { WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';
import type { Transaction } from '../../platform/postgres/database.js';
import { nextUpdatedAtSql } from '../../records/lock-records.js';
import { type RecordRef, recordsetSql, refKey } from '../../records/record-refs.js';

/** What a club learns of the work order that came of its offer. */
export const CLUB_PROGRESS = [
  'waiting',
  'dispatched',
  'en_route',
  'in_progress',
  'on_scene',
  'hooked',
  'towing',
  'at_destination',
  'cleared',
  'completed',
  'cancelled',
] as const;
export type ClubProgress = (typeof CLUB_PROGRESS)[number];

export function isClubProgress(word: string): word is ClubProgress {
  return CLUB_PROGRESS.some((one) => one === word);
}

/**
 * Returns how far a work order is: by the last step of its driver, or by its status if there is
 * none that concerns clubs. So a new arrival time or a late start does not lead back.
 */
export function toClubProgress({ status, step }: ProgressFacts): ClubProgress {
  if (status === 'pending') return 'waiting';
  const isActive = status === 'dispatched' || status === 'in_progress';
  return isActive && step !== null && isClubProgress(step) ? step : status;
}

interface ProgressFacts {
  status: (typeof WORK_ORDER_STATUSES)[number];
  step: string | null;
}

/** How far a work order is, and why it was cancelled. */
export interface WorkOrderProgress extends RecordRef {
  progress: ClubProgress;
  /** The new time of arrival. Null or absent keeps the time that the club knows. */
  eta?: string | null;
  /** True if the club's time of arrival is no longer promised, because the truck was taken off. */
  clear_eta?: boolean;
  cancel_reason?: string | null;
}

const NEXT_ETA = 'case when r.clear_eta then null else coalesce(r.eta, t.eta) end';

/**
 * Stores the progress of work orders that came of clubs' offers. The offers of other work orders do
 * not exist, and those that the club withdrew keep their progress.
 * @returns the events for the clubs, by the `refKey` of the work order
 */
export async function reportProgress(
  tx: Transaction,
  orders: readonly WorkOrderProgress[],
): Promise<Map<string, EventDraft[]>> {
  if (orders.length === 0) return new Map();
  const rows = await tx.query<{ tenant_id: string; work_order_id: string; id: string; club_id: string }>({
    name: 'report-club-progress',
    text: `update club_offers t set progress = r.progress, eta = ${NEXT_ETA}, updated_at = ${nextUpdatedAtSql('t')}
           from ${recordsetSql('tenant_id uuid, id uuid, progress text, eta timestamptz, clear_eta boolean')}
           where t.tenant_id = r.tenant_id and t.work_order_id = r.id and t.status in ('accepted', 'confirmed')
             and (t.progress, t.eta) is distinct from (r.progress, ${NEXT_ETA})
           returning t.tenant_id, t.work_order_id, t.id, t.club_id`,
    values: [JSON.stringify(orders)],
  });
  const reasons = new Map(orders.map((order) => [refKey(order), order.cancel_reason ?? null]));
  return new Map(
    rows.map(({ tenant_id, work_order_id, id, club_id }) => {
      const key = refKey({ tenant_id, id: work_order_id });
      const extra = { cancel_reason: reasons.get(key) ?? null };
      const entity = { type: 'club_offer', id };
      return [key, [{ type: 'club_offer.status_changed', entity, extra, clubId: club_id }]];
    }),
  );
}
