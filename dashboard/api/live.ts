import { useEffect, useSyncExternalStore } from 'react';
import { keepTokenOfStream } from './consistency-tokens';
import type { Environment } from './environment';
import { readProblem } from './problem';
import { queryClient } from './query-client';
import { waitForRateLimitMs } from './rate-limit';
import type { EventRecord } from './records';
import { readEventStream } from './sse';

export type LiveState = 'connecting' | 'connected' | 'reconnecting' | 'polling';

/**
 * After this time without data, the stream counts as dead. The API sends data at least every 15 s.
 */
const SILENCE_MS = 40_000;
/** After this time without a stream, the page polls. */
const POLL_AFTER_MS = 10_000;
const POLL_MS = 30_000;
/**
 * SOON_MS is the delay between a write and the page's read. BURST_MS is the minimum time between
 * two such reads.
 */
const SOON_MS = 200;
const BURST_MS = 1_000;
const MAX_RETRY_MS = 15_000;

let state: LiveState = 'connecting';
const stateListeners = new Set<() => void>();
const eventListeners = new Set<(event: EventRecord) => void>();

function setState(next: LiveState): void {
  if (state === next) return;
  state = next;
  for (const listener of stateListeners) listener();
}

export function useLiveState(): LiveState {
  return useSyncExternalStore(
    (listener) => {
      stateListeners.add(listener);
      return () => stateListeners.delete(listener);
    },
    () => state,
  );
}

/** Events that arrived while the file of the first listener was still loading. */
let early: EventRecord[] = [];
const MAX_EARLY = 50;

function publishEvent(event: EventRecord): void {
  if (eventListeners.size === 0) early = [...early, event].slice(-MAX_EARLY);
  for (const listener of eventListeners) listener(event);
}

/** Calls `listener` with every event of the account that arrives while the component is mounted. */
export function useLiveEvents(listener: (event: EventRecord) => void): void {
  useEffect(() => {
    eventListeners.add(listener);
    for (const event of early.splice(0)) listener(event);
    return () => void eventListeners.delete(listener);
  }, [listener]);
}

/**
 * Keeps the shown records up to date. Reads the account's event stream, and reads the shown records
 * again after a write. Polls while there is no stream. A hidden tab closes its stream. When the tab
 * becomes visible, it reads all shown records again.
 */
export function useLiveUpdates(environment: Environment): void {
  useEffect(() => {
    const updates = new LiveUpdates(environment);
    updates.start();
    return () => updates.stop();
  }, [environment]);
}

class LiveUpdates {
  #lastEventId: string | undefined;
  #abort: AbortController | undefined;
  #isStopped = false;
  #failures = 0;
  #downSince = Date.now();
  #pollTimer: ReturnType<typeof setTimeout> | undefined;
  readonly #onVisibility = () => {
    if (document.hidden) this.#abort?.abort();
    else void refreshShown();
  };

  constructor(private readonly environment: Environment) {}

  start(): void {
    document.addEventListener('visibilitychange', this.#onVisibility);
    void this.#run();
    this.#schedulePoll();
  }

  stop(): void {
    this.#isStopped = true;
    document.removeEventListener('visibilitychange', this.#onVisibility);
    clearTimeout(this.#pollTimer);
    this.#abort?.abort();
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      if (!document.hidden) {
        await this.#readStream().catch(() => undefined);
        if (state === 'connected') this.#downSince = Date.now();
        // While the page polls, a failed try to open the stream changes nothing.
        if (state !== 'polling') setState('reconnecting');
      }
      this.#failures += 1;
      await sleep(Math.min(MAX_RETRY_MS, 500 * 2 ** this.#failures) * (0.5 + Math.random() / 2));
    }
  }

  async #readStream(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    let silence = setTimeout(() => abort.abort(), SILENCE_MS);
    try {
      const query = new URLSearchParams({ changes: 'true' });
      if (this.#lastEventId) query.set('last_event_id', this.#lastEventId);
      const response = await fetch(`/v1/stream?${query}`, {
        headers: { 'X-Environment': this.environment, Accept: 'text/event-stream' },
        signal: abort.signal,
      });
      if (!response.ok || !response.body) throw await readProblem(response);
      // Read the changes from before the stream began.
      refreshSoon();
      this.#failures = 0;
      setState('connected');
      await readEventStream(response.body, {
        onText: () => {
          clearTimeout(silence);
          silence = setTimeout(() => abort.abort(), SILENCE_MS);
        },
        onEvent: ({ id, type, data }) => {
          if (id) this.#lastEventId = id;
          if (data === '') return;
          const isChange = type === 'changed';
          if (!isChange) {
            refreshSoon();
            publishEvent(JSON.parse(data) as EventRecord);
            return;
          }
          const change = JSON.parse(data) as { only?: string; consistency_token?: string };
          keepTokenOfStream(change.consistency_token);
          refreshSoon(change.only === 'positions');
        },
      });
    } finally {
      clearTimeout(silence);
    }
  }

  #schedulePoll(): void {
    this.#pollTimer = setTimeout(
      async () => {
        const isDown = state !== 'connected' && Date.now() - this.#downSince > POLL_AFTER_MS;
        if (isDown && !document.hidden) {
          setState('polling');
          // Wait for the responses before the next poll, so that polls never pile up.
          await refreshShown();
        }
        if (!this.#isStopped) this.#schedulePoll();
      },
      POLL_MS * (0.8 + Math.random() * 0.4),
    );
  }
}

let refreshTimer: ReturnType<typeof setTimeout> | undefined;
let isRefreshDue = false;
/** True if only positions of trucks have changed since the last read. */
let isOnlyMoved = true;
let lastRefreshAt = 0;

/**
 * Reads the shown records again soon after a write. Reads only once for several writes in a burst.
 * Each read starts after the previous read has ended. Otherwise frequent writes could cancel a slow
 * read again and again.
 * @param hasOnlyMoved true if only positions of trucks have changed
 */
function refreshSoon(hasOnlyMoved = false): void {
  isRefreshDue = true;
  isOnlyMoved &&= hasOnlyMoved;
  if (refreshTimer) return;
  const wait = Math.max(SOON_MS, BURST_MS - (Date.now() - lastRefreshAt), waitForRateLimitMs());
  refreshTimer = setTimeout(async () => {
    const hasOnlyMoved = isOnlyMoved;
    isRefreshDue = false;
    isOnlyMoved = true;
    lastRefreshAt = Date.now();
    await refreshShown(hasOnlyMoved);
    refreshTimer = undefined;
    if (isRefreshDue) refreshSoon(isOnlyMoved);
  }, wait);
}

/** The paths of the reads that show where trucks are. */
const POSITION_PATHS: readonly unknown[] = ['/dispatch-board'];

/**
 * The first part of the key of a list that a person chooses from, which may have many pages. It is
 * read when its dialog opens, and not again after each write in the account.
 */
export const ALL_RECORDS = 'all';

/**
 * Reads the shown records again. Skips the session and the rights, because a write rarely changes
 * them.
 */
function refreshShown(hasOnlyMoved = false): Promise<void> {
  const isRecord = ({ queryKey: [kind, path] }: { queryKey: readonly unknown[] }) =>
    hasOnlyMoved
      ? POSITION_PATHS.includes(path)
      : path !== '/session' && path !== '/me' && kind !== ALL_RECORDS;
  return queryClient.invalidateQueries({ refetchType: 'active', predicate: isRecord });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
