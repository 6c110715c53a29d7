import { failpoint } from '../../../shared/config/failpoints.js';
import type { Change } from '../../../shared/integrations/contract/connection.js';
import { hasPendingCommands } from '../../../shared/operations/pending.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { markDifferencesSeen } from '../../../shared/sync/difference-rows.js';
import { findExternalIds, markCompared } from '../../../shared/sync/external-ids.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import { buildIssues, type DescribedDifference, type JudgedPage } from '../differences/difference-issues.js';
import { findRecordKind } from '../kinds/record-kinds.js';
import { paymentRecords } from '../records/payments.js';
import { recordChanges, storeChanges } from '../records/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { findPageDifferences } from './page-differences.js';
import { type ComparedPage, listExternalIds, PHASES } from './phases.js';

/** A comparison covers the records that were created in this time before the comparison began. */
const WINDOW_MS = 3 * 86_400_000;
/**
 * Maximum number of pages per phase. For an account with more records in three days, the comparison
 * is incomplete.
 */
const MAX_PAGES = 500;
/** Maximum wait between two checks whether a page's commands have run. */
const MAX_WAIT_MS = 60_000;

/** The position at which the comparison continues. */
interface Place {
  startedAt: string;
  since: string;
  phase: number;
  after: string | null;
  pages: number;
  /** How often this page has waited for its commands; 0 before its first read. */
  waits: number;
}

/**
 * Compares one page of the vendor's payments, refunds and disputes with the stored records. First
 * submits commands for missing and differing records, as a pull does. Then reads the page again,
 * and opens a sync issue for each record that still differs.
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
      const mends = isJudging ? [] : await buildMends(tx, step, { page, ...stored });
      commands.push(...mends);
      const mustJudge = !isJudging && (stored.news.length > 0 || commands.length > 0);
      if (!mustJudge) {
        commands.push(...(await buildIssues(tx, step, stored)).commands);
        const seen = { kind: page.kind, externalIds: listExternalIds(page) };
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

/** Checks this page again later, because the page's commands have not run yet. */
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

/** Reads the payments of those refunds and disputes whose payment is not stored yet. */
async function readMissingPayments(step: Step, { kind, changes }: ComparedPage): Promise<Change<unknown>[]> {
  const { findEarly } = findRecordKind(kind);
  const { db, connection } = step;
  if (!findEarly) return [];
  const early = await db.transaction([connection.tenantId], (tx) => findEarly(tx, connection, changes));
  const ids = early.map(({ fields }) => (fields as { paymentExternalId: string }).paymentExternalId);
  if (ids.length === 0) return [];
  return toStorable((await paymentRecords.readNamed?.(step, [...new Set(ids)])) ?? []);
}

/** The stored changes of a page, and its differences. */
interface StoredPage extends JudgedPage {
  /** The commands for new changes at the vendor. */
  commands: StepCommand[];
  changes: number;
}

async function storePage(
  tx: Transaction,
  step: Step,
  { page, payments }: { page: ComparedPage; payments: Change<unknown>[] },
): Promise<StoredPage> {
  const { kind, changes } = page;
  const paid = await storeChanges(tx, step, { kind: paymentRecords, changes: payments });
  const { fresh, ...stored } = await storeChanges(tx, step, { kind: findRecordKind(kind), changes });
  return {
    ...(await findPageDifferences(tx, step, { page, fresh })),
    commands: [...paid.commands, ...stored.commands],
    changes: paid.changes + stored.changes,
  };
}

/**
 * Builds the commands that correct the stored records that differ from the vendor's. `storeChanges`
 * has built no command for them, because it skips a version that is already stored.
 */
async function buildMends(
  tx: Transaction,
  step: Step,
  { page: { kind, changes }, news }: { page: ComparedPage; news: readonly DescribedDifference[] },
): Promise<StepCommand[]> {
  const differing = new Set(news.map(({ external_id }) => external_id));
  const candidates = changes.filter(({ externalId }) => differing.has(externalId));
  if (candidates.length === 0) return [];
  const known = await findExternalIds(tx, step.connection, candidates);
  return findRecordKind(kind).buildChanges(
    known.flatMap((id) => {
      const change = candidates.find(({ externalId }) => externalId === id.external_id);
      return change ? [{ change, id }] : [];
    }),
    step,
  );
}
