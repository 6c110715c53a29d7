/** Maximum number of invoices or work orders that an overview counts per status, newest first. */
export const MAX_COUNTED = 5000;

/** Maximum number of open invoices whose amounts an overview sums by age. */
export const MAX_AGED = 100_000;

/** Maximum number of work orders and deliveries that an overview counts per hour, newest first. */
export const MAX_COUNTED_OF_HOUR = 5000;

/** Maximum number of attempts per hour from which an overview computes durations, newest first. */
export const MAX_SAMPLED_OF_HOUR = 1000;

export const MAX_FAILURES = 5;

/**
 * Maximum number of keys that an overview reads, newest first. A normal account has a few dozen.
 */
export const MAX_KEYS = 1000;

/**
 * If PostgreSQL read at least this many records for an overview, the overview is cached for some
 * seconds. Reading so many records takes PostgreSQL about 10 ms.
 */
export const MIN_KEPT_RECORDS = 5000;
export const KEPT_MS = 5000;
