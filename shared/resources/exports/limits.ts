/** Exports of an account that are queued or running. */
export const MOST_UNFINISHED = 10;

/** Runs that end without a word of how, as when a worker is killed, after which an export has failed. */
export const MOST_TRIES = 5;
