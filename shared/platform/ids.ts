import { hash, randomFillSync } from 'node:crypto';
import { v7 } from 'uuid';

// Holds random bytes for 512 ids. A separate system call for each id took a twentieth of the API's
// time.
const pool = new Uint8Array(8192);
let used = pool.length;

function takeRandomBytes(): Uint8Array {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += 16;
  return pool.subarray(used - 16, used);
}

/**
 * Creates a UUIDv7 (RFC 9562). Ids sort by the millisecond of their creation. Ids of the same
 * millisecond sort at random.
 */
export function newId(): string {
  return v7({ random: takeRandomBytes() });
}

/**
 * Creates the UUIDv7 that belongs to a time and a name. The same arguments give the same id.
 * @param name must contain a part that outsiders cannot choose, such as the id of a record
 */
export function deriveTimedId(atMs: number, name: string): string {
  return v7({ msecs: atMs, random: hash('sha256', name, 'buffer').subarray(0, 16) });
}

/** Lower than the id of every record. */
export const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** The tenant_id of rows that belong to no tenant. No tenant has this id. */
export const NO_TENANT = LOWEST_ID;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for a UUID of any version. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}

/** Returns the first 16 bytes as a UUID. */
export function formatUuid(bytes: Buffer): string {
  const hex = bytes.toString('hex', 0, 16);
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}
