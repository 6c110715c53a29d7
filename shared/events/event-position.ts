import { isUuid } from '../platform/ids.js';

/**
 * An event's place in the sequence in which readers receive a tenant's events. Events are sorted by
 * the transaction that recorded them, then by id.
 */
export interface EventPosition {
  xid: bigint;
  /** Lower case. */
  id: string;
}

/** Sorts before the id of every event. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

export function positionBeforeTransaction(xid: bigint): EventPosition {
  return { xid, id: LOWEST_ID };
}

export function comparePositions(a: EventPosition, b: EventPosition): number {
  if (a.xid !== b.xid) return a.xid < b.xid ? -1 : 1;
  return a.id < b.id ? -1 : a.id === b.id ? 0 : 1;
}

/**
 * Formats a position as text. Clients receive it as the id of a server-sent event, and send it back
 * as Last-Event-ID.
 */
export function formatPosition({ xid, id }: EventPosition): string {
  return `${xid}-${id}`;
}

/** Returns undefined if the text is not a position. */
export function parsePosition(text: string): EventPosition | undefined {
  const [, xid, id] = /^(\d{1,20})-(.{36})$/.exec(text) ?? [];
  return xid !== undefined && isUuid(id) ? { xid: BigInt(xid), id: id.toLowerCase() } : undefined;
}
