import { failpoint } from '../../../shared/config/failpoints.js';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import { hasPendingCommands } from '../../../shared/operations/pending.js';
import { newId } from '../../../shared/platform/ids.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { closeSyncDifference, recordSyncDifference } from '../../../shared/resources/sync-issues/commands.js';
import {
  countOpenDifferences,
  findDifferences,
  type KnownDifference,
  markDifferencesSeen,
} from '../../../shared/sync/difference-rows.js';
import { findExternalIds, markCompared } from '../../../shared/sync/external-ids.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import { paymentRecords } from '../records/payments.js';
import { findRecordKind } from '../records/record-kinds.js';
import { recordChanges, storeChanges } from '../steps/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { compareRecord, type Difference, describeDifference } from './compare.js';
import { findOurRecords } from './our-records.js';
import { type ComparedPage, PHASES } from './phases.js';

/** What was made this long before the comparison is compared. */
const WINDOW_MS = 3 * 86_400_000;
/** The pages of one phase. An account with more records in three days is compared in part. */
const MAX_PAGES = 500;
/** The differences of one connection that wait for a person. Further ones are opened later. */
const MAX_OPEN_DIFFERENCES = 200;
/** The longest wait for the commands that mend a page. */
const MAX_WAIT_MS = 60_000;

/** Where the comparison continues. */
interface Place {
  startedAt: string;
  since: string;
  phase: number;
  after: string | null;
  pages: number;
  /**
   * How often the page was put off until the commands that mend it have run; 0 if the page was not
   * read yet.
   */
  waits: number;
}

/**
 * Compares one page of the vendor's payments, refunds and disputes with ours. What is missing here,
 * or differs, is recorded as a pull does. The page is then read again, and what still differs
 * becomes a sync issue.
 */
export async function reconcilePage(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  const place = findPlace(stream, startedAt);
  const isJudging = place.waits > 0;
  if (isJudging && (await isWaitingForCommands(step))) return putOff(step, stream, place);
  const page = toStorable(await (PHASES[place.phase] as (typeof PHASES)[number])(step, place));
  const payments = isJudging ? [] : await readMissingPayments(step, page);
  failpoint(step.services.runtime.config, 'before_page_stored');
  const commands: StepCommand[] = [];
  await step.finish({
    commands,
    async store(tx) {
      const stored = await storePage(tx, step, { page, payments });
      commands.push(...stored.commands);
      const externalIds = [...page.changes.map(({ externalId }) => externalId), ...page.missing];
      const mends = isJudging ? [] : await buildMends(tx, step, { page, ...stored });
      commands.push(...mends);
      const mustJudge = !isJudging && (stored.differences.length > 0 || commands.length > 0);
      if (!mustJudge) {
        commands.push(...(await judge(tx, step, { page, ...stored })));
        const seen = { kind: page.kind, externalIds };
        markCompared(tx, step.connection, seen);
        markDifferencesSeen(tx, step.connection, seen);
      }
      const next = mustJudge ? { ...place, waits: 1 } : advance(place, page);
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: next && JSON.stringify(next),
        inMs: next ? (mustJudge ? 1000 : 0) : stream.every_seconds * 1000,
        requests: stream.requests,
      });
      const changes = stored.changes + mends.length;
      recordChanges(tx, step, { stream: stream.stream, startedAt, changes, dropped: 0 });
    },
  });
  failpoint(step.services.runtime.config, 'after_page_stored');
}

function findPlace({ cursor, since }: DueStream, startedAt: Date): Place {
  if (cursor !== null && since === null) return JSON.parse(cursor) as Place;
  return {
    startedAt: startedAt.toISOString(),
    since: since ?? new Date(startedAt.getTime() - WINDOW_MS).toISOString(),
    phase: 0,
    after: null,
    pages: 0,
    waits: 0,
  };
}

/** Returns null after the last page of the last phase. */
function advance(place: Place, { next }: ComparedPage): Place | null {
  if (next !== null && place.pages + 1 < MAX_PAGES)
    return { ...place, after: next, pages: place.pages + 1, waits: 0 };
  const phase = place.phase + 1;
  return phase < PHASES.length ? { ...place, phase, after: null, pages: 0, waits: 0 } : null;
}

function isWaitingForCommands({ db, connection: { tenantId, connectionId } }: Step): Promise<boolean> {
  return db.transaction([tenantId], (tx) => hasPendingCommands(tx, tenantId, connectionId));
}

/** Reads the page again later, when the commands have run. */
async function putOff(step: Step, stream: DueStream, place: Place): Promise<void> {
  await step.finish({
    error: null,
    store(tx) {
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: JSON.stringify({ ...place, waits: place.waits + 1 }),
        inMs: Math.min(MAX_WAIT_MS, 1000 * 2 ** Math.min(place.waits, 10)),
        requests: stream.requests,
      });
    },
  });
}

/** Reads the payments of refunds and disputes whose payment is not recorded here. */
async function readMissingPayments(step: Step, { kind, changes }: ComparedPage): Promise<Change<unknown>[]> {
  const { findEarly } = findRecordKind(kind);
  const { db, connection } = step;
  if (!findEarly) return [];
  const early = await db.transaction([connection.tenantId], (tx) => findEarly(tx, connection, changes));
  const ids = early.map(({ fields }) => (fields as { paymentExternalId: string }).paymentExternalId);
  if (ids.length === 0) return [];
  return toStorable((await paymentRecords.readNamed?.(step, [...new Set(ids)])) ?? []);
}

interface StoredPage {
  /** The commands for what is new at the vendor. */
  commands: StepCommand[];
  changes: number;
  /** The records that are compared later, because the commands change them, by the vendor's ids. */
  fresh: ReadonlySet<string>;
  differences: Difference[];
}

async function storePage(
  tx: Transaction,
  step: Step,
  { page: { kind, changes, missing }, payments }: { page: ComparedPage; payments: Change<unknown>[] },
): Promise<StoredPage> {
  const paid = await storeChanges(tx, step, { kind: paymentRecords, changes: payments });
  const { fresh, ...stored } = await storeChanges(tx, step, { kind: findRecordKind(kind), changes });
  const byId = new Map<string, Change<unknown> | undefined>(missing.map((id) => [id, undefined]));
  for (const change of changes) byId.set(change.externalId, change);
  const ours = await findOurRecords(tx, step.connection, { kind, externalIds: [...byId.keys()] });
  const differences = [...byId]
    .filter(([id]) => !fresh.has(id))
    .flatMap(([id, change]) => compareRecord(kind, id, { change, ours: ours.get(id) }) ?? []);
  return {
    commands: [...paid.commands, ...stored.commands],
    changes: paid.changes + stored.changes,
    fresh,
    differences,
  };
}

type JudgedPage = StoredPage & { page: ComparedPage };

/**
 * Builds the commands for records whose newest version was read before, but which differ
 * nevertheless.
 */
async function buildMends(
  tx: Transaction,
  step: Step,
  { page: { kind, changes }, differences }: JudgedPage,
): Promise<StepCommand[]> {
  const differing = new Set(differences.map(({ externalId }) => externalId));
  const candidates = changes.filter(({ externalId }) => differing.has(externalId));
  if (candidates.length === 0) return [];
  const known = await findExternalIds(tx, step.connection, candidates);
  return findRecordKind(kind).buildChanges(
    known.flatMap((id) => {
      const change = candidates.find(({ externalId }) => externalId === id.external_id);
      return change ? [{ change, id }] : [];
    }),
  );
}

/** Opens an issue for each new difference, and closes the issues of those that have gone. */
async function judge(
  tx: Transaction,
  { connection, vendor }: Step,
  { page: { kind, changes, missing }, fresh, differences }: JudgedPage,
): Promise<StepCommand[]> {
  const externalIds = [...changes.map(({ externalId }) => externalId), ...missing];
  const known = await findDifferences(tx, connection, { kind, externalIds });
  const differing = new Set(differences.map(({ externalId }) => externalId));
  const closings = known.filter(
    ({ external_id: id, is_open }) => is_open && !differing.has(id) && !fresh.has(id),
  );
  let free = MAX_OPEN_DIFFERENCES - (differences.length > 0 ? await countOpenDifferences(tx, connection) : 0);
  const openings = differences.flatMap((difference) => {
    const described = describeDifference(difference, vendor.manifest.label);
    const same = known.filter(({ external_id }) => external_id === difference.externalId);
    if (same.some(({ digest }) => digest === described.digest)) return [];
    const open = same.find(({ is_open }) => is_open);
    if (!open && free-- <= 0) return [];
    return [buildOpening(connection.connectionId, described, open)];
  });
  return [
    ...openings,
    ...closings.map(({ id: entityId }) => ({
      type: closeSyncDifference.type,
      entityId,
      input: { note: 'Both sides agree again.' },
    })),
  ];
}

function buildOpening(
  connectionId: string,
  described: ReturnType<typeof describeDifference>,
  open: KnownDifference | undefined,
): StepCommand {
  return {
    type: recordSyncDifference.type,
    entityId: open?.id ?? newId(),
    input: { connection_id: connectionId, ...described },
  };
}
