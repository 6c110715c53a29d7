/** A replay that has not made all its deliveries by then is ended: an endpoint that fails all the time leaves hardly any room for them. In ms. */
export const LONGEST_REPLAY_MS = 7 * 24 * 3600 * 1000;

/** What became of deliveries that may be repeated. One that has not been tried yet is on its way: to repeat it would only double it. */
export const REPLAYABLE = ['succeeded', 'failed', 'exhausted', 'cancelled'] as const;

/** Replays of an account that run at a time; a few more when several are started at the same moment. */
export const MOST_RUNNING = 10;
