import type { Change, OpenConnection, Page, PullStart } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { VehicleInspection } from '../contract/telematics.js';
import { isObject, readId, readTime, type Unread } from '../contract/values/read-values.js';
import { readMiles } from '../contract/values/vehicle-values.js';
import { readPage } from './api/client.js';
import { findVerdict, listParts, readNotes, toDefect } from './parts.js';

/** The first pull of a connection looks this far back. */
const FIRST_PULL_MS = 86_400_000;
/** A report may change while the list is read, and Motive's clock may differ from ours. */
const OVERLAP_MS = 5 * 60_000;

interface InspectionReport {
  id: number;
  inspection_type: string;
  status: string;
  is_rejected: boolean;
  time: string;
  updated_at: string;
  mechanic_signed_at: string;
  reviewer_signed_at: string;
  odometer: number;
  vehicle: { id: number };
  driver: { id: number };
  inspected_parts: object[];
}

/** The place in a read of the reports that changed since `from`. */
interface Place {
  from: string;
  page: number;
  /** The start of the read. The next one begins there. */
  startedAt: string;
}

/**
 * Reads the reports about vehicles (DVIRs) that changed since the cursor. Omits reports about
 * assets such as trailers, which name no vehicle.
 */
export async function pullInspections(
  connection: OpenConnection,
  { cursor, since }: PullStart,
): Promise<Page<VehicleInspection>> {
  const place = findPlace(cursor, since);
  const list = {
    path: '/v2/inspection_reports',
    list: 'inspection_reports',
    item: 'inspection_report',
    query: { updated_after: place.from },
  };
  const { rows, next } = await readPage<InspectionReport>(connection, list, place.page);
  const following: Place = next === null ? startAfter(place) : { ...place, page: next };
  return {
    changes: rows.flatMap(toChange),
    cursor: JSON.stringify(following),
    isLast: next === null,
  };
}

function findPlace(cursor: string | null, since: string | null): Place {
  const now = new Date().toISOString();
  if (since !== null) return { from: new Date(since).toISOString(), page: 1, startedAt: now };
  if (cursor === null) {
    const from = new Date(Date.parse(now) - FIRST_PULL_MS).toISOString();
    return { from, page: 1, startedAt: now };
  }
  const place = JSON.parse(cursor) as Place;
  return place.page === 1 ? { ...place, startedAt: now } : place;
}

function startAfter({ startedAt }: Place): Place {
  const from = new Date(Date.parse(startedAt) - OVERLAP_MS).toISOString();
  return { from, page: 1, startedAt };
}

function toChange(report: Unread<InspectionReport>): Change<VehicleInspection>[] {
  const { id: vehicleId }: { id?: unknown } = isObject(report.vehicle) ? report.vehicle : {};
  const { id: driverId }: { id?: unknown } = isObject(report.driver) ? report.driver : {};
  const [id, vehicle] = [readId(report.id), readId(vehicleId)];
  if (id === undefined || vehicle === undefined) return [];
  const { inspection_type, status, is_rejected, odometer, mechanic_signed_at, reviewer_signed_at } = report;
  const parts = listParts(report.inspected_parts);
  const { verdict, isClosed } = findVerdict({ status, isRejected: is_rejected === true, parts });
  const submittedAt = readTime(report.time);
  const updatedAt = [
    submittedAt,
    ...[report.updated_at, mechanic_signed_at, reviewer_signed_at].map(readTime),
    ...parts.map(({ signedAt }) => signedAt),
  ]
    .flatMap((time) => time ?? [])
    .sort()
    .at(-1);
  const isPostTrip = typeof inspection_type === 'string' && /^post/i.test(inspection_type);
  const fields = {
    vehicle,
    driver: readId(driverId) ?? null,
    kind: isPostTrip ? ('post_trip' as const) : ('pre_trip' as const),
    verdict,
    defects: parts.flatMap((part) => toDefect(part, { isClosed, changedAt: updatedAt })),
    odometerMiles: readMiles(odometer),
    notes: readNotes(parts),
    submittedAt,
    updatedAt,
  };
  // A report without a readable time still counts. Its version does not depend on the clock.
  const now = new Date().toISOString();
  const dated = { ...fields, submittedAt: submittedAt ?? now, updatedAt: updatedAt ?? now };
  return [{ kind: 'inspection', externalId: id, version: fingerprint(fields), fields: dated }];
}
