/** An overview counts at most this many invoices or work orders of each status, newest first. */
export const MAX_COUNTED = 5000;

/** At most this many open invoices make up the money by age. */
export const MAX_AGED = 100_000;

/** At most this many work orders and deliveries of each hour are counted, newest first. */
export const MAX_COUNTED_OF_HOUR = 5000;

/** The durations of an hour come from this many of its newest attempts at most. */
export const MAX_SAMPLED_OF_HOUR = 1000;

export const MAX_FAILURES = 5;

/** At most this many of the newest keys are looked at, and a normal account has a few dozen. */
export const MAX_KEYS = 1000;

/**
 * An overview is kept for some seconds if it took this many records, for which PostgreSQL needs
 * some 10 ms.
 */
export const MIN_KEPT_RECORDS = 5000;
export const KEPT_MS = 5000;
