/**
 * Consistency tokens: where the service reads lists from a replica, they make it show this tab's
 * writes and everything that the event stream announced.
 */

export const CONSISTENCY_HEADER = 'X-Service-Consistency-Token';

/** A write in this tab must be visible after a reload. */
const STORAGE_KEY = 'consistency-tokens';
/**
 * Nobody but the service can compare tokens, and responses to parallel writes may arrive in another
 * sequence. So the newest token may be any of the last few.
 */
const MAX_TOKENS = 4;

let ofWrites = load();
/** The stream sends its tokens one after another, so the last one is the newest. */
let ofStream: string | undefined;

/** Keeps the token of the response to a write. */
export function keepTokenOfWrite(token: string | null): void {
  if (!token) return;
  ofWrites = [...ofWrites, token].slice(-MAX_TOKENS);
  try {
    sessionStorage.setItem(STORAGE_KEY, ofWrites.join());
  } catch {
    // Without storage, the first lists after a reload may lack the last writes for a moment.
  }
}

/** Keeps the token of an announced change. */
export function keepTokenOfStream(token: string | undefined): void {
  ofStream = token ?? ofStream;
}

/** Returns the value of the header; empty if the service has sent no token. */
export function getConsistencyTokens(): string {
  return [...ofWrites, ...(ofStream ? [ofStream] : [])].join();
}

function load(): string[] {
  try {
    return sessionStorage.getItem(STORAGE_KEY)?.split(',') ?? [];
  } catch {
    return [];
  }
}
