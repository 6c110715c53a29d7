import type { Schemas } from '../../../api/records';

/** The API ignores an older position. */
const POSITION_MS = 5 * 60_000;

/** The estimated arrival of a truck at the pickup. */
export interface Arrival {
  at: string;
  /** From this time on, in ms since 1970, the position behind the estimate is too old. */
  untilMs: number;
}

/**
 * Maps the ids of work orders to their estimated arrivals. The board is read again when a truck
 * moves, so a truck that no longer reports its position would keep its last estimate.
 */
export function findArrivals({
  active_jobs: active,
  trucks,
}: Schemas['DispatchBoard']): ReadonlyMap<string, Arrival> {
  const locations = new Map(trucks.map(({ id, location }) => [id, location]));
  return new Map(
    active.flatMap(({ id, truck_id: truckId, estimated_arrival_at: at }) => {
      const location = locations.get(truckId ?? '');
      return at && location ? [[id, { at, untilMs: Date.parse(location.at) + POSITION_MS }] as const] : [];
    }),
  );
}
