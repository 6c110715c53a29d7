import { randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

// Random bytes for some hundred ids at a time: fetched one by one they were a twentieth of the api's time.
const pool = new Uint8Array(8192);
let used = pool.length;

function nextRandom(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

/** A new UUIDv7 (RFC 9562): ordered by time to the millisecond, random within it. */
export function newId(): string {
  return v7({ random: nextRandom() });
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the textual form of any UUID, whatever its version. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
