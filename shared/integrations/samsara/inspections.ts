import type { Change, OpenConnection, Page, PullStart } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import type { VehicleDefect, VehicleInspection } from '../contract/telematics.js';
import {
  isObject,
  readId,
  readLine,
  readText,
  readTime,
  type Unread,
} from '../contract/values/read-values.js';
import { convertMeters, readMiles } from '../contract/values/vehicle-values.js';
import { readPage, readPageAfter } from './api/client.js';

/** The first pull of a connection looks this far back. */
const FIRST_PULL_MS = 86_400_000;
/** The largest page that Samsara returns. */
const PAGE_SIZE = '200';
/** Maximum number of pages of defects that are read for one page of reports. */
const MAX_DEFECT_PAGES = 5;
/** Maximum number of defects of one report, and of types of defects in one request. */
const MAX_DEFECTS = 200;
const MAX_TYPES = 100;
const MAX_NAME_CHARS = 200;
const MAX_NOTES_CHARS = 5000;
/** A cursor that is not used dies after 30 days. The reports of this time are then read again. */
const CURSOR_LIFE_MS = 31 * 86_400_000;

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
  authorSignature: Signature;
}

/** Only the signature of a driver has the id of a driver. */
interface Signature {
  type: string;
  signatoryUser: { id: string };
}

interface Defect {
  id: string;
  comment: string;
  defectTypeId?: string;
  isResolved: boolean;
  resolvedAtTime?: string;
  resolvedBy?: { name?: string };
  updatedAtTime?: string;
  vehicle?: { id?: string };
  trailer?: { id?: string };
}

/** `from` is the time at which the stream began, which Samsara wants to hear on every page. */
interface Place {
  from: string;
  after?: string;
}

/** The defects that were found, and the ids of those that concern a trailer. */
interface FoundDefects {
  known: ReadonlyMap<string, VehicleDefect>;
  ofTrailers: ReadonlySet<string>;
}

/**
 * Reads the reports about vehicles (DVIRs) that changed since the cursor, with their defects.
 * Omits reports about trailers, those that name no vehicle, and those without a status. A report
 * that gets its status later is read again then.
 */
export async function pullInspections(
  connection: OpenConnection,
  { cursor, since }: PullStart,
): Promise<Page<VehicleInspection>> {
  const place = findPlace(cursor, since);
  // After a refused cursor, the read begins early enough to miss no report.
  const anew = new Date(Math.max(Date.parse(place.from), Date.now() - CURSOR_LIFE_MS)).toISOString();
  const buildQuery = (startTime: string) => ({ limit: PAGE_SIZE, startTime });
  const page = await readPageAfter<Dvir>(connection, '/dvirs/stream', {
    query: buildQuery(place.from),
    after: place.after,
    anew: buildQuery(anew),
  });
  const { data, cursor: after, isLast, beganAnew } = page;
  const defects = await readDefects(connection, data);
  const next: Place = { from: beganAnew ? anew : place.from, after };
  return {
    changes: data.flatMap((dvir) => toChange(dvir, defects)),
    cursor: JSON.stringify(next),
    isLast,
  };
}

function findPlace(cursor: string | null, since: string | null): Place {
  if (since !== null) return { from: new Date(since).toISOString() };
  if (cursor !== null) return JSON.parse(cursor) as Place;
  return { from: new Date(Date.now() - FIRST_PULL_MS).toISOString() };
}

const listDefectIds = ({ defectIds }: Unread<Dvir>): string[] =>
  (Array.isArray(defectIds) ? defectIds : []).flatMap((id) => readId(id) ?? []).slice(0, MAX_DEFECTS);

/** Reads the defects of the reports, with the names of their types in place of their ids. */
async function readDefects(
  connection: OpenConnection,
  dvirs: readonly Unread<Dvir>[],
): Promise<FoundDefects> {
  const wanted = new Set(dvirs.flatMap(listDefectIds));
  const found = new Map<string, Unread<Defect>>();
  const [startTime] = dvirs
    .filter((dvir) => listDefectIds(dvir).length > 0)
    .map(
      ({ dvirSubmissionBeginTime: begun, dvirSubmissionTime: ended, updatedAtTime: changed }) =>
        readTime(begun) ??
        readTime(ended) ??
        readTime(changed) ??
        new Date(Date.now() - FIRST_PULL_MS).toISOString(),
    )
    .sort();
  let after: string | undefined;
  for (let page = 0; startTime !== undefined && page < MAX_DEFECT_PAGES && found.size < wanted.size; page++) {
    const { data, cursor, isLast } = await readPage<Defect>(connection, '/defects/stream', {
      limit: PAGE_SIZE,
      startTime,
      ...(after === undefined ? {} : { after }),
    });
    for (const defect of data) {
      const id = readId(defect.id);
      if (id !== undefined && wanted.has(id)) found.set(id, defect);
    }
    after = cursor;
    if (isLast) break;
  }
  const names = await readTypeNames(connection, [...found.values()]);
  return {
    known: new Map([...found].map(([id, defect]) => [id, toDefect(id, defect, names)])),
    ofTrailers: new Set(
      [...found].flatMap(([id, { trailer, vehicle }]) =>
        isObject(trailer) && !isObject(vehicle) ? [id] : [],
      ),
    ),
  };
}

async function readTypeNames(
  connection: OpenConnection,
  defects: readonly Unread<Defect>[],
): Promise<Map<string, string>> {
  const left = [...new Set(defects.flatMap(({ defectTypeId }) => readId(defectTypeId) ?? []))];
  const names = new Map<string, string>();
  while (left.length > 0) {
    const query = { ids: left.splice(0, MAX_TYPES).join(',') };
    const { data } = await readPage<{ id: string; label: string }>(connection, '/defect-types', query);
    for (const { id, label } of data) names.set(readId(id) ?? '', readLine(label, MAX_NAME_CHARS) ?? '');
  }
  return names;
}

function toDefect(id: string, defect: Unread<Defect>, names: ReadonlyMap<string, string>): VehicleDefect {
  const { comment, isResolved, resolvedAtTime, resolvedBy, updatedAtTime } = defect;
  const type = names.get(readId(defect.defectTypeId) ?? '');
  const parts = [type, readLine(comment, MAX_NAME_CHARS)].flatMap((part) => part || []);
  const { name }: { name?: unknown } = isObject(resolvedBy) ? resolvedBy : {};
  const resolvedAt = readTime(resolvedAtTime) ?? readTime(updatedAtTime) ?? new Date().toISOString();
  return {
    externalId: id,
    component: parts.join(': ').slice(0, MAX_NAME_CHARS) || 'Defect',
    resolvedAt: isResolved === true ? resolvedAt : null,
    resolvedBy: isResolved === true ? readLine(name, MAX_NAME_CHARS) : null,
  };
}

function toChange(dvir: Unread<Dvir>, defects: FoundDefects): Change<VehicleInspection>[] {
  const { type, safetyStatus: verdict, odometerMeters, mechanicNotes } = dvir;
  const { id: vehicleId }: { id?: unknown } = isObject(dvir.vehicle) ? dvir.vehicle : {};
  const [id, vehicle] = [readId(dvir.id), readId(vehicleId)];
  if (id === undefined || vehicle === undefined) return [];
  if (!isVerdict(verdict)) return [];
  const updatedAt = readTime(dvir.updatedAtTime);
  const submittedAt =
    readTime(dvir.dvirSubmissionTime) ?? readTime(dvir.dvirSubmissionBeginTime) ?? updatedAt;
  const fields = {
    vehicle,
    driver: findDriver(dvir.authorSignature),
    kind: type === 'postTrip' ? ('post_trip' as const) : ('pre_trip' as const),
    verdict,
    defects: listDefectIds(dvir).flatMap((externalId) => {
      if (defects.ofTrailers.has(externalId)) return [];
      const unknown = { externalId, component: 'Defect', resolvedAt: null, resolvedBy: null };
      return [defects.known.get(externalId) ?? unknown];
    }),
    odometerMiles: readMiles(convertMeters(odometerMeters)),
    notes: readText(mechanicNotes, MAX_NOTES_CHARS),
    submittedAt,
    updatedAt,
  };
  // A report without a readable time still counts. Its version does not depend on the clock.
  const now = new Date().toISOString();
  const dated = { ...fields, submittedAt: submittedAt ?? now, updatedAt: updatedAt ?? submittedAt ?? now };
  return [{ kind: 'inspection', externalId: id, version: fingerprint(fields), fields: dated }];
}

function findDriver(signature: unknown): string | null {
  const { type, signatoryUser }: Unread<Signature> = isObject(signature) ? signature : {};
  const { id }: { id?: unknown } = isObject(signatoryUser) ? signatoryUser : {};
  return type === 'driver' ? (readId(id) ?? null) : null;
}

function isVerdict(status: unknown): status is VehicleInspection['verdict'] {
  return status === 'safe' || status === 'unsafe' || status === 'resolved';
}
