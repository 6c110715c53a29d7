/**
 * What this process knows about the due deliveries of an endpoint queue:
 * - `behind`: PostgreSQL may have due deliveries that are not loaded.
 * - `woken`: like `behind`, but a client may also have cancelled loaded deliveries.
 * - `current`: all due deliveries are loaded or sent.
 * - `cancelling`: the endpoint refuses deliveries, and more open deliveries must be cancelled.
 * - `loading`: a query reads the due deliveries.
 * - `loading_behind`: like `loading`, but the queue was unloaded during the query.
 * - `loading_woken`: like `loading`, but the queue was woken during the query.
 * - `loading_cancelling`: like `loading`, while more open deliveries must be cancelled.
 * - `lost`: this process no longer has the queue's lease.
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

/**
 * How a load ended. `load_all`: all due deliveries are loaded. `load_some`: more due deliveries may
 * be in PostgreSQL. `refuse`: more deliveries must be cancelled. `fail_load`: the query failed.
 */
export type LoadResult = 'load_all' | 'load_some' | 'refuse' | 'fail_load';

export type QueueEvent = 'wake' | 'unload' | 'start_load' | LoadResult | 'lose';

/**
 * Maps each mode and event to the next mode. For an event that the mode does not list,
 * {@link nextMode} throws. A wake-up does not change `cancelling` and `loading_cancelling`: after
 * all deliveries are cancelled, the mode is `woken` anyway.
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
  // A lost queue stays lost. Loads and requests that are still in progress end without an effect.
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

/**
 * True if a client may have cancelled deliveries after they were loaded. The next load must then
 * check them.
 */
export function mayHoldCancelled(mode: QueueMode): boolean {
  return WOKEN_MODES.includes(mode);
}

export function isCancelling(mode: QueueMode): boolean {
  return CANCELLING_MODES.includes(mode);
}
