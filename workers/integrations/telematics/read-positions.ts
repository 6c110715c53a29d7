import { failpoint } from '../../../shared/config/failpoints.js';
import { broadcastMovedTrucks } from '../../../shared/events/recorded-broadcast.js';
import type {
  PositionPage,
  VehicleOdometer,
  VehiclePosition,
} from '../../../shared/integrations/contract/telematics.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { countLinkedTrucks } from '../../../shared/resources/connection-vehicles/queries.js';
import { findLinked } from '../../../shared/resources/fleet-links/links.js';
import { findIntervalMs, keepPositions } from '../../../shared/resources/trucks/keep-positions.js';
import {
  moveTrucks,
  type TruckOdometer,
  type TruckPositionReport,
} from '../../../shared/resources/trucks/positions.js';
import { LISTED_VEHICLES } from '../../../shared/sync/listed/listed-tables.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import type { Step } from '../vendor/step.js';
import { getTelematics } from './get-telematics.js';
import { findPollMs } from './poll-interval.js';

/** Moves are announced before the last page of a poll if they were stored this long ago. */
const MAX_UNANNOUNCED_MS = 1000;

/**
 * Reads one page of positions, moves the linked trucks, and announces the change to the account's
 * streams. The cursor is stored in the same transaction, so a worker that dies repeats a page or
 * has stored it. A repeated page moves no truck back.
 */
export async function readPositions(step: Step, stream: DueStream): Promise<void> {
  const { config } = step.services.runtime;
  // A person who asks to read again gets the latest position of each vehicle.
  const cursor = stream.since === null ? stream.cursor : null;
  const page = toStorable(await getTelematics(step).pullPositions(await step.open(), cursor));
  failpoint(config, 'before_page_stored');
  let moved = 0;
  await step.finish({
    isRoutine: true,
    async store(tx) {
      moved = await storePositions(tx, step, page);
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: page.cursor,
        inMs: page.isLast ? await findPollMs(tx, step.connection) : 0,
        requests: stream.requests,
      });
    },
  });
  failpoint(config, 'after_page_stored');
  if (moved > 0) step.queue.movedAt ??= performance.now();
  await announceMoves(step, page.isLast);
}

/**
 * Announces the moves of a poll once, after its last page. A poll of many pages is announced
 * earlier. If the worker dies before that, the next move announces these moves too.
 */
async function announceMoves({ queue, connection, services }: Step, isLast: boolean): Promise<void> {
  const { bus, logger } = services.runtime;
  const { tenantId } = connection;
  if (queue.movedAt === undefined) return;
  if (!isLast && performance.now() - queue.movedAt < MAX_UNANNOUNCED_MS) return;
  queue.movedAt = undefined;
  await broadcastMovedTrucks(bus, tenantId).catch((error: unknown) =>
    logger.warn({ err: error, tenant: tenantId }, 'positions not announced; readers find them later'),
  );
}

/** Returns the number of trucks that have moved. */
async function storePositions(
  tx: Transaction,
  { connection }: Step,
  { positions, odometers }: Pick<PositionPage, 'positions' | 'odometers'>,
): Promise<number> {
  const externalIds = [...new Set([...positions, ...odometers].map(({ externalId }) => externalId))];
  if (externalIds.length === 0) return 0;
  const trucks = await findLinked(tx, LISTED_VEHICLES, { ...connection, externalIds });
  const reports = positions.flatMap((position) => toReport(position, trucks.get(position.externalId)));
  const readings = odometers.flatMap((reading) => toOdometer(reading, trucks.get(reading.externalId)));
  if (reports.length + readings.length === 0) return 0;
  const intervalMs = findIntervalMs(await countLinkedTrucks(tx, connection.tenantId));
  keepPositions(tx, connection, { reports, odometers: readings, intervalMs });
  return moveTrucks(tx, connection.tenantId, listNewest(reports), listNewestReadings(readings));
}

/** A clock that is ahead at the vendor must not keep later positions out, so its time is now. */
function clampTime(at: string): string {
  return new Date(Math.min(Date.parse(at), Date.now())).toISOString();
}

function toReport(position: VehiclePosition, truckId: string | undefined): TruckPositionReport[] {
  if (truckId === undefined) return [];
  const { lat, lng, heading, speedMph: speed_mph } = position;
  return [{ truck_id: truckId, lat, lng, heading, speed_mph, at: clampTime(position.at) }];
}

function toOdometer({ miles, source, at }: VehicleOdometer, truckId: string | undefined): TruckOdometer[] {
  return truckId === undefined ? [] : [{ truck_id: truckId, miles, source, at: clampTime(at) }];
}

/** Returns one reading of each truck: its own, if there is one. */
function listNewestReadings(readings: readonly TruckOdometer[]): TruckOdometer[] {
  const own = readings.filter(({ source }) => source === 'obd');
  const haveOwn = new Set(own.map(({ truck_id }) => truck_id));
  return listNewest([...own, ...readings.filter(({ truck_id }) => !haveOwn.has(truck_id))]);
}

function listNewest<Report extends { truck_id: string; at: string }>(reports: readonly Report[]): Report[] {
  const newest = new Map<string, Report>();
  for (const report of reports) {
    const other = newest.get(report.truck_id);
    if (!other || Date.parse(report.at) >= Date.parse(other.at)) newest.set(report.truck_id, report);
  }
  return [...newest.values()];
}
