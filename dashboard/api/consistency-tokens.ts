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

let tokens = load();

/** Adds the token of a response or of an announced change. */
export function keepConsistencyToken(token: string | null | undefined): void {
  if (!token) return;
  tokens = [...tokens, token].slice(-MAX_TOKENS);
  try {
    sessionStorage.setItem(STORAGE_KEY, tokens.join());
  } catch {
    // Without storage, a reload reads from the primary.
  }
}

/** Returns the value of the header; empty if the service has sent no token. */
export function getConsistencyTokens(): string {
  return tokens.join();
}

function load(): string[] {
  try {
    return sessionStorage.getItem(STORAGE_KEY)?.split(',') ?? [];
  } catch {
    return [];
  }
}
