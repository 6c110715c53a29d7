/** Maximum number of queued or running exports of an account. */
export const MAX_UNFINISHED_EXPORTS = 10;

/**
 * An export fails after this many runs without a result, for example because workers were killed.
 */
export const MAX_EXPORT_TRIES = 5;
