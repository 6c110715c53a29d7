import { failpoint } from '../../../shared/config/failpoints.js';
import { toStorable } from '../../../shared/platform/storable-text.js';
import { type DueStream, storeStreamProgress } from '../../../shared/sync/stream-rows.js';
import { findStreamKind } from '../kinds/record-kinds.js';
import { storePulled } from '../kinds/store-pulled.js';
import { recordRun } from '../records/store-changes.js';
import type { Step, StepCommand } from '../vendor/step.js';
import { findNextNightMs } from './next-night.js';

/** A sweep reads what changed in this time before it began. */
const WINDOW_MS = 7 * 86_400_000;
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

/** The cursor of a stream that waits for the night. */
const IDLE = 'idle';

/**
 * Reads one page of what changed in the books in the last days, whether or not a webhook or a pull
 * has reported it. A change that both have missed is stored as a pull would store it. Changes that
 * are stored already are dropped.
 */
export async function sweepBooks(step: Step, stream: DueStream, startedAt: Date): Promise<void> {
  if (stream.cursor === null) return waitForNight(step, stream);
  const place = stream.cursor === IDLE ? startSweep(startedAt) : (JSON.parse(stream.cursor) as Place);
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
      const isOver = next === null || next.pages === 0;
      storeStreamProgress(tx, step.connection, {
        stream: stream.stream,
        cursor: next === null ? IDLE : JSON.stringify(next),
        inMs: isOver ? await findNextNightMs(tx, step.connection.tenantId) : 0,
        requests: stream.requests,
      });
    },
  });
  failpoint(config, 'after_page_stored');
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

function startSweep(startedAt: Date): Place {
  const since = new Date(startedAt.getTime() - WINDOW_MS).toISOString();
  return { since, stream: 0, cursor: null, pages: 0 };
}

/** Returns null after the last page of the last stream. */
function advance(place: Place, { cursor, isLast }: { cursor: string; isLast: boolean }): Place | null {
  const pages = place.pages + 1 < MAX_PAGES_A_NIGHT ? place.pages + 1 : 0;
  if (!isLast) return { ...place, cursor, pages };
  const stream = place.stream + 1;
  return stream < SWEPT_STREAMS.length ? { ...place, stream, cursor: null, pages } : null;
}
