/** What to add to this computer's time to get the server's, in ms. */
let offsetMs = 0;

/**
 * Learns the server's time from a response. The header Date has whole seconds, so the time that
 * this gives is at most a second wrong, and the time of the response's way.
 */
export function readServerTime(response: Response): void {
  const sentAt = Date.parse(response.headers.get('Date') ?? '');
  if (Number.isNaN(sentAt)) return;
  const measuredMs = sentAt + 500 - Date.now();
  // A small difference is the rounding. Following it would make countdowns jump.
  if (Math.abs(measuredMs - offsetMs) > 1500) offsetMs = measuredMs;
}

/** Returns the server's time in ms since 1970, whatever this computer's clock shows. */
export function readServerClock(): number {
  return Date.now() + offsetMs;
}
