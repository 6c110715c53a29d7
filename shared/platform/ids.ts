import { v7 } from 'uuid';

/** A new UUIDv7 (RFC 9562): ordered by time, monotonic within one process. */
export function newId(): string {
  return v7();
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** True for the textual form of any UUID, whatever its version. */
export function isUuid(value: unknown): value is string {
  return typeof value === 'string' && UUID.test(value);
}
