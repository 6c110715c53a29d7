import type { Change, OpenConnection, Page, PullStart, Written } from './connection.js';

/** An open page at the vendor. From `expiresAt` on, it does nothing any more. */
export type OpenedPage = Required<Written>;

/** Reads the records of one kind at the vendor. */
export interface Readings<State> {
  /** Reads the records that the items of webhooks named (`InboundNotice.hint`). */
  readNamed(connection: OpenConnection, hints: readonly string[]): Promise<Change<State>[]>;
  /** Reads the records that changed since the cursor. */
  pull(connection: OpenConnection, from: PullStart): Promise<Page<State>>;
}

/** Where a page of a list begins. */
export interface ListStart {
  /** RFC 3339: lists the records that were made since then. */
  since: string;
  /** The `next` of the page before; null for the first page. */
  after: string | null;
}

export interface ListedPage<State> {
  /** Empty if all records of the page belong to other programs. */
  changes: Change<State>[];
  /** Null on the last page. */
  next: string | null;
}

/** Readings of a kind whose records the vendor also lists by the time at which they were made. */
export interface ListedReadings<State> extends Readings<State> {
  listSince(connection: OpenConnection, from: ListStart): Promise<ListedPage<State>>;
}
