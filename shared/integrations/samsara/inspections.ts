import type { Change, OpenConnection, Page, PullStart } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { VehicleDefect, VehicleInspection } from '../contract/telematics.js';
import { readPage } from './api/client.js';

/** The first pull of a connection looks this far back. */
const FIRST_PULL_MS = 86_400_000;
/** The largest page that Samsara returns. */
const PAGE_SIZE = '200';
/** Maximum number of pages of defects that are read for one page of reports. */
const MAX_DEFECT_PAGES = 5;
const METERS_PER_MILE = 1609.344;
const MAX_MILES = 9_999_999;
const MAX_NAME_CHARS = 200;

interface Dvir {
  id: string;
  type: string;
  safetyStatus?: string;
  defectIds?: string[];
  dvirSubmissionBeginTime: string;
  dvirSubmissionTime: string;
  updatedAtTime: string;
  mechanicNotes?: string;
  odometerMeters?: number;
  vehicle?: { id?: string };
}

interface Defect {
  id: string;
  comment: string;
  defectTypeId?: string;
  isResolved: boolean;
  resolvedAtTime?: string;
  resolvedBy?: { name?: string };
  updatedAtTime?: string;
  trailer?: { id?: string };
}

/** `from` is the time at which the stream began, which Samsara wants to hear on every page. */
interface Place {
  from: string;
  after?: string;
}

/**
 * Reads the reports about vehicles (DVIRs) that changed since the cursor, with their defects.
 * Omits reports about trailers, and those that name no vehicle.
 */
export async function pullInspections(
  connection: OpenConnection,
  { cursor, since }: PullStart,
): Promise<Page<VehicleInspection>> {
  const place = findPlace(cursor, since);
  const { data, pagination } = await readPage<Dvir>(connection, '/dvirs/stream', {
    limit: PAGE_SIZE,
    startTime: place.from,
    ...(place.after === undefined ? {} : { after: place.after }),
  });
  const defects = await readDefects(connection, data);
  const next: Place = { from: place.from, after: pagination.endCursor };
  return {
    changes: data.flatMap((dvir) => toChange(dvir, defects)),
    cursor: JSON.stringify(next),
    isLast: !pagination.hasNextPage,
  };
}

function findPlace(cursor: string | null, since: string | null): Place {
  if (since !== null) return { from: new Date(since).toISOString() };
  if (cursor !== null) return JSON.parse(cursor) as Place;
  return { from: new Date(Date.now() - FIRST_PULL_MS).toISOString() };
}

/** Reads the defects of the reports, with the names of their types in place of their ids. */
async function readDefects(
  connection: OpenConnection,
  dvirs: readonly Dvir[],
): Promise<Map<string, VehicleDefect>> {
  const wanted = new Set(dvirs.flatMap(({ defectIds = [] }) => defectIds));
  const found: Defect[] = [];
  const [startTime] = dvirs
    .filter(({ defectIds = [] }) => defectIds.length > 0)
    .map(({ dvirSubmissionBeginTime }) => dvirSubmissionBeginTime)
    .sort();
  let after: string | undefined;
  for (
    let page = 0;
    startTime !== undefined && page < MAX_DEFECT_PAGES && found.length < wanted.size;
    page++
  ) {
    const { data, pagination } = await readPage<Defect>(connection, '/defects/stream', {
      limit: PAGE_SIZE,
      startTime,
      ...(after === undefined ? {} : { after }),
    });
    found.push(...data.filter(({ id }) => wanted.has(id)));
    after = pagination.endCursor;
    if (!pagination.hasNextPage) break;
  }
  const names = await readTypeNames(connection, found);
  return new Map(found.map((defect) => [defect.id, toDefect(defect, names)]));
}

async function readTypeNames(
  connection: OpenConnection,
  defects: readonly Defect[],
): Promise<Map<string, string>> {
  const ids = [...new Set(defects.flatMap(({ defectTypeId }) => defectTypeId ?? []))];
  if (ids.length === 0) return new Map();
  const query = { ids: ids.slice(0, 100).join(',') };
  const { data } = await readPage<{ id: string; label: string }>(connection, '/defect-types', query);
  return new Map(data.map(({ id, label }) => [id, label]));
}

function toDefect(defect: Defect, names: ReadonlyMap<string, string>): VehicleDefect {
  const { id, comment, defectTypeId = '', isResolved, resolvedAtTime, resolvedBy, updatedAtTime } = defect;
  const parts = [names.get(defectTypeId), comment].flatMap((part) => part?.trim() || []);
  return {
    externalId: id,
    component: parts.join(': ').slice(0, MAX_NAME_CHARS) || 'Defect',
    resolvedAt: isResolved ? (resolvedAtTime ?? updatedAtTime ?? new Date().toISOString()) : null,
    resolvedBy: isResolved ? (resolvedBy?.name?.slice(0, MAX_NAME_CHARS) ?? null) : null,
  };
}

function toChange(dvir: Dvir, known: ReadonlyMap<string, VehicleDefect>): Change<VehicleInspection>[] {
  const { id, vehicle, defectIds = [], type, safetyStatus, odometerMeters, mechanicNotes } = dvir;
  if (!vehicle?.id) return [];
  const fields: VehicleInspection = {
    vehicle: vehicle.id,
    kind: type === 'postTrip' ? 'post_trip' : 'pre_trip',
    verdict: safetyStatus === 'unsafe' || safetyStatus === 'resolved' ? safetyStatus : 'safe',
    defects: defectIds.map(
      (externalId) =>
        known.get(externalId) ?? { externalId, component: 'Defect', resolvedAt: null, resolvedBy: null },
    ),
    odometerMiles: toMiles(odometerMeters),
    notes: mechanicNotes?.slice(0, 5000) || null,
    submittedAt: dvir.dvirSubmissionTime,
    updatedAt: dvir.updatedAtTime,
  };
  return [{ kind: 'inspection', externalId: id, version: fingerprint(fields), fields }];
}

function toMiles(meters: number | undefined): number | null {
  if (typeof meters !== 'number' || meters < 0) return null;
  const miles = Math.round(meters / METERS_PER_MILE);
  return miles <= MAX_MILES ? miles : null;
}
