/** Maximum number of queued or running exports of an account. */
export const MOST_UNFINISHED = 10;

/**
 * An export fails after this many runs without a result, for example because workers were killed.
 */
export const MOST_TRIES = 5;
