/**
 * Describes the due deliveries of an endpoint queue that this process holds:
 * - `behind`: PostgreSQL may hold due deliveries that are not loaded.
 * - `woken`: like `behind`, but a client may also have cancelled loaded deliveries.
 * - `current`: all due deliveries are loaded.
 * - `cancelling`: the endpoint accepts no deliveries, and more open ones must be cancelled.
 * - `loading`: a query reads the due deliveries.
 * - `loading_behind`, `loading_woken`: the queue fell behind or was woken during the query.
 * - `loading_cancelling`: a query continues to cancel deliveries.
 * - `lost`: this process no longer holds the queue.
 */
export type QueueMode =
  | 'behind'
  | 'woken'
  | 'current'
  | 'cancelling'
  | 'loading'
  | 'loading_behind'
  | 'loading_woken'
  | 'loading_cancelling'
  | 'lost';

/** `load_some`: there was room for only some due deliveries. `refuse`: more must be cancelled. */
export type LoadResult = 'load_all' | 'load_some' | 'refuse' | 'fail_load';

export type QueueEvent = 'wake' | 'unload' | 'start_load' | LoadResult | 'lose';

/**
 * The transition table. An event that a mode does not list is a bug, see {@link nextMode}. A
 * wake-up does not change `cancelling` and `loading_cancelling`. They end in `woken`, because
 * clients may have cancelled deliveries in the meantime.
 */
export const QUEUE_TRANSITIONS: Readonly<
  Record<QueueMode, Readonly<Partial<Record<QueueEvent, QueueMode>>>>
> = {
  behind: { wake: 'woken', unload: 'behind', start_load: 'loading', lose: 'lost' },
  woken: { wake: 'woken', unload: 'woken', start_load: 'loading', lose: 'lost' },
  current: { wake: 'woken', unload: 'behind', start_load: 'loading', lose: 'lost' },
  cancelling: {
    wake: 'cancelling',
    unload: 'cancelling',
    start_load: 'loading_cancelling',
    lose: 'lost',
  },
  loading: {
    wake: 'loading_woken',
    unload: 'loading_behind',
    load_all: 'current',
    load_some: 'behind',
    refuse: 'cancelling',
    fail_load: 'woken',
    lose: 'lost',
  },
  loading_behind: {
    wake: 'loading_woken',
    unload: 'loading_behind',
    load_all: 'behind',
    load_some: 'behind',
    refuse: 'cancelling',
    fail_load: 'woken',
    lose: 'lost',
  },
  loading_woken: {
    wake: 'loading_woken',
    unload: 'loading_woken',
    load_all: 'woken',
    load_some: 'woken',
    refuse: 'cancelling',
    fail_load: 'woken',
    lose: 'lost',
  },
  loading_cancelling: {
    wake: 'loading_cancelling',
    unload: 'loading_cancelling',
    load_all: 'woken',
    load_some: 'woken',
    refuse: 'cancelling',
    fail_load: 'cancelling',
    lose: 'lost',
  },
  // Loads and requests that were in progress still end, without an effect.
  lost: {
    unload: 'lost',
    start_load: 'lost',
    load_all: 'lost',
    load_some: 'lost',
    refuse: 'lost',
    fail_load: 'lost',
  },
};

/** @throws {Error} if the table has no such transition */
export function nextMode(mode: QueueMode, event: QueueEvent): QueueMode {
  const next = QUEUE_TRANSITIONS[mode][event];
  if (next === undefined) throw new Error(`an endpoint queue in the mode ${mode} got the event ${event}`);
  return next;
}

const CANCELLING_MODES: readonly QueueMode[] = ['cancelling', 'loading_cancelling'];
const WOKEN_MODES: readonly QueueMode[] = ['woken', ...CANCELLING_MODES];
const BEHIND_MODES: readonly QueueMode[] = ['behind', 'loading_behind', 'loading_woken', ...WOKEN_MODES];

export function isBehind(mode: QueueMode): boolean {
  return BEHIND_MODES.includes(mode);
}

/** True if the next load must check whether loaded deliveries were cancelled. */
export function mayHoldCancelled(mode: QueueMode): boolean {
  return WOKEN_MODES.includes(mode);
}

export function isCancelling(mode: QueueMode): boolean {
  return CANCELLING_MODES.includes(mode);
}
