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

/** The position at which the sweep continues. */
interface Place {
  since: string;
  /** The index in {@link SWEPT_STREAMS}. */
  stream: number;
  /** The cursor within the stream; null before its first page. */
  cursor: string | null;
  /** The pages of this night. */
  pages: number;
}

/** Errors after which the vendor would answer an identical read alike. */
const LASTING_KINDS: readonly string[] = ['refused', 'gone', 'conflict'] satisfies VendorErrorKind[];

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
    if (!LASTING_KINDS.includes(error.kind) && !isHopeless(error)) throw error;
    await skipRest(step, run, error);
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

/**
 * Leaves out the rest of a stream until the next sweep, because its next page cannot be read. The
 * writes to the books go on, so this neither opens nor closes the circuit breaker.
 */
async function skipRest(step: Step, { stream, place, startedAt }: SweepRun, error: VendorError) {
  const next = advance(place, { cursor: '', isLast: true });
  await step.finish({
    error: null,
    async store(tx) {
      const swept = SWEPT_STREAMS[place.stream];
      const failure = `${swept}: ${error.message}`;
      recordRun(tx, step, { stream: stream.stream, startedAt, state: 'failed', error: failure });
      await storePlace(tx, step, stream, next);
    },
  });
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
  if (!isLast) return { ...place, cursor, pages };
  const stream = place.stream + 1;
  return stream < SWEPT_STREAMS.length ? { ...place, stream, cursor: null, pages } : null;
}
