import { isUuid } from '../platform/ids.js';

/** A place in the order in which a tenant's events are read: the transaction that recorded one, then its id. */
export interface EventPosition {
  xid: bigint;
  /** Lower case. */
  id: string;
}

/** Less than the id of every event. */
const LOWEST_ID = '00000000-0000-0000-0000-000000000000';

/** Before everything that a transaction recorded. */
export function beforeTransaction(xid: bigint): EventPosition {
  return { xid, id: LOWEST_ID };
}

/** Negative when `a` comes before `b`. */
export function comparePositions(a: EventPosition, b: EventPosition): number {
  if (a.xid !== b.xid) return a.xid < b.xid ? -1 : 1;
  return a.id < b.id ? -1 : a.id === b.id ? 0 : 1;
}

/** As clients see it, and send it back as Last-Event-ID. */
export function formatPosition({ xid, id }: EventPosition): string {
  return `${xid}-${id}`;
}

/** undefined when it is no position. */
export function parsePosition(text: string): EventPosition | undefined {
  const [, xid, id] = /^(\d{1,20})-(.{36})$/.exec(text) ?? [];
  return xid !== undefined && isUuid(id) ? { xid: BigInt(xid), id: id.toLowerCase() } : undefined;
}
