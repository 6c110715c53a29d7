import type { Schemas } from '../../../api/records';

/** The API ignores an older position. */
const POSITION_MS = 5 * 60_000;

/** What the position of a truck shows about its drive. */
export interface Arrival {
  /** The estimated arrival at the pickup. */
  at: string | null;
  /** The driver's step that a person may confirm. */
  proposed: Schemas['DriverStep'] | null;
  /** From this time on, in ms since 1970, the position is too old. */
  untilMs: number;
}

/**
 * Maps the ids of work orders to their arrivals. The board is read again when a truck moves, so a
 * truck that no longer reports its position would keep its last arrival.
 */
export function findArrivals({
  active_jobs: active,
  trucks,
}: Schemas['DispatchBoard']): ReadonlyMap<string, Arrival> {
  const locations = new Map(trucks.map(({ id, location }) => [id, location]));
  return new Map(
    active.flatMap(({ id, truck_id: truckId, estimated_arrival_at: at, proposed_step: proposed }) => {
      const location = locations.get(truckId ?? '');
      if (!location || (at === null && proposed === null)) return [];
      return [[id, { at, proposed, untilMs: Date.parse(location.at) + POSITION_MS }] as const];
    }),
  );
}
