import { failpoint } from '../../../shared/config/failpoints.js';
import type { VendorError, VendorErrorKind } from '../../../shared/integrations/contract/vendor-error.js';
import { isTransientDatabaseError } from '../../../shared/platform/errors.js';
import { getIdTimeMs } from '../../../shared/platform/id-times.js';
import type { Transaction } from '../../../shared/platform/postgres/database.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import { findStreamKind } from '../kinds/record-kinds.js';
import { storePulled } from '../kinds/store-pulled.js';
import { recordRun } from '../records/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { isHopeless, toStepError } from '../vendor/to-step-error.js';
import { findNextNightMs } from './next-night.js';

/** A sweep reads what changed in this time before it began. */
const WINDOW_MS = 7 * 86_400_000;
/**
 * The time before its connection was made that a sweep reads too, as the first pulls do. What is
 * older was entered by hand on both sides, so it would be recorded twice.
 */
const BEFORE_CONNECTION_MS = 86_400_000;
/** The streams whose records a sweep reads again. An invoice's customer and payments follow it. */
const SWEPT_STREAMS = ['customers', 'invoices', 'booked_payments'] as const;
/**
 * Maximum number of pages of one night. The sweep continues at the same place in the next night, so
 * that a night after a large backfill does not use up the vendor's calls of a day.
 */
const MAX_PAGES_A_NIGHT = 150;
/** The waits after the failures of one page. The failure after the last wait gives it up. */
const RETRY_WAITS_MS = [30_000, 120_000, 480_000, 1_920_000] as const;

/** The position at which the sweep continues. */
interface Place {
  since: string;
  /** The index in {@link SWEPT_STREAMS}. */
  stream: number;
  /** The cursor within the stream; null before its first page. */
  cursor: string | null;
  /** The pages of this night. */
  pages: number;
  /**
   * How often the next page has failed; absent before its first failure. {@link advance} drops it.
   * A worker of an older version keeps it for the next page, which then has fewer tries.
   */
  failures?: number;
}

/** Errors after which the vendor would answer an identical read alike. */
const LASTING_KINDS: readonly string[] = ['refused', 'gone', 'conflict'] satisfies VendorErrorKind[];
/** Errors that concern all calls of the connection, not one page. */
const COMMON_KINDS: readonly string[] = ['limit', 'auth'] satisfies VendorErrorKind[];

/** The cursor of a stream that waits for the night. */
const IDLE = 'idle';

interface SweepRun {
  stream: DueStream;
  place: Place;
  startedAt: Date;
}

/**
 * Reads one page of what changed in the books in the last days, whether or not a webhook or a pull
 * has reported it. A change that both have missed is stored as a pull would store it. Changes that
 * are stored already are dropped.
 */
export async function sweepBooks(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  if (stream.cursor === null) return waitForNight(step, stream);
  const place = stream.cursor === IDLE ? startSweep(step, startedAt) : (JSON.parse(stream.cursor) as Place);
  const run = { stream, place, startedAt };
  try {
    await sweepPage(step, run);
  } catch (cause) {
    if (isTransientDatabaseError(cause)) throw cause;
    const error = toStepError(step, cause);
    // An error with a wait, such as a failed refresh of the token, may not be followed by a call.
    if (COMMON_KINDS.includes(error.kind) || error.retryAfterMs !== undefined) throw error;
    const isLasting = LASTING_KINDS.includes(error.kind) || isHopeless(error);
    const waitMs = isLasting ? undefined : RETRY_WAITS_MS[place.failures ?? 0];
    await storeFailedPage(step, run, { error, waitMs });
  }
}

async function sweepPage(step: Step, { stream, place, startedAt }: SweepRun): Promise<void> {
  const swept = SWEPT_STREAMS[place.stream] as (typeof SWEPT_STREAMS)[number];
  const kind = findStreamKind(swept);
  const { since, cursor } = place;
  const page = toStorable(
    await kind.pull(step, { stream: swept, cursor, since: cursor === null ? since : null, isSweep: true }),
  );
  const next = advance(place, page);
  const { config } = step.services.runtime;
  failpoint(config, 'before_page_stored');
  const commands: StepCommand[] = [];
  await step.finish({
    commands,
    async store(tx) {
      const { changes, gap } = page;
      commands.push(...(await storePulled(tx, step, { stream: swept, kind, changes, startedAt })));
      if (gap !== undefined)
        recordRun(tx, step, { stream: stream.stream, startedAt, state: 'failed', error: gap });
      await storePlace(tx, step, stream, next);
    },
  });
  failpoint(config, 'after_page_stored');
}

interface FailedPage {
  error: VendorError;
  /** Undefined if the page is given up. */
  waitMs: number | undefined;
}

/**
 * Plans to read a page again, or leaves out the rest of its stream until the next sweep. The writes
 * to the books go on, because other calls may succeed. So this neither opens nor closes the circuit
 * breaker.
 */
async function storeFailedPage(step: Step, run: SweepRun, { error, waitMs }: FailedPage): Promise<void> {
  const { stream, place, startedAt } = run;
  const swept = SWEPT_STREAMS[place.stream] as (typeof SWEPT_STREAMS)[number];
  const isGivenUp = waitMs === undefined;
  const consequence = isGivenUp
    ? 'What changed there later is left out of this sweep.'
    : 'The sweep will read this page again.';
  const failure = `${swept}: ${consequence} ${error.message}`;
  if (isGivenUp) logGivenUp(step, swept, error);
  await step.finish({
    error: null,
    async store(tx) {
      recordRun(tx, step, { stream: stream.stream, startedAt, state: 'failed', error: failure });
      if (isGivenUp) return storePlace(tx, step, stream, advance(place, { cursor: '', isLast: true }));
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: JSON.stringify({ ...place, failures: (place.failures ?? 0) + 1 } satisfies Place),
        inMs: waitMs,
        requests: stream.requests,
      });
    },
  });
}

function logGivenUp({ connection, services }: Step, swept: string, { kind, code }: VendorError): void {
  const { tenantId: tenant, connectionId, vendor } = connection;
  const fields = { tenant, connection: connectionId, vendor, stream: swept, kind, code };
  services.runtime.logger.warn(fields, 'the nightly sweep of the books left out the rest of a stream');
}

async function storePlace(
  tx: Transaction,
  { connection }: Step,
  { stream, requests }: DueStream,
  next: Place | null,
): Promise<void> {
  const isOver = next === null || next.pages === 0;
  storeStreamProgress(tx, connection, {
    stream,
    cursor: next === null ? IDLE : JSON.stringify(next),
    inMs: isOver ? await findNextNightMs(tx, connection.tenantId) : 0,
    requests,
  });
}

/**
 * Postpones the first sweep of a connection to the next night: its first pulls read the books now,
 * and after an update of this service all connections would start at once.
 */
async function waitForNight(step: Step, { stream, requests }: DueStream): Promise<void> {
  await step.finish({
    error: null,
    async store(tx) {
      const inMs = await findNextNightMs(tx, step.connection.tenantId);
      storeStreamProgress(tx, step.connection, { stream, cursor: IDLE, inMs, requests });
    },
  });
}

function startSweep({ connection }: Step, startedAt: Date): Place {
  const firstMs = getIdTimeMs(connection.connectionId) - BEFORE_CONNECTION_MS;
  const sinceMs = Math.max(startedAt.getTime() - WINDOW_MS, firstMs);
  return { since: new Date(sinceMs).toISOString(), stream: 0, cursor: null, pages: 0 };
}

/** Returns null after the last page of the last stream. */
function advance(place: Place, { cursor, isLast }: { cursor: string; isLast: boolean }): Place | null {
  const pages = place.pages + 1 < MAX_PAGES_A_NIGHT ? place.pages + 1 : 0;
  const { since, stream } = place;
  if (!isLast) return { since, stream, cursor, pages };
  const next = stream + 1;
  return next < SWEPT_STREAMS.length ? { since, stream: next, cursor: null, pages } : null;
}
