import type { Change, OpenConnection, Page, PullStart, Written } from './connection.js';

/** A page that the vendor has opened for a customer. The page stops working at `expiresAt`. */
export type OpenedPage = Required<Written>;

/** Reads the records of one kind at the vendor. */
export interface Readings<State> {
  /** Reads the records that webhooks named in `InboundNotice.hint`. */
  readNamed(connection: OpenConnection, hints: readonly string[]): Promise<Change<State>[]>;
  /** Reads the records that changed since the cursor. */
  pull(connection: OpenConnection, from: PullStart): Promise<Page<State>>;
}

/** The start of one page of a list. */
export interface ListStart {
  /** RFC 3339: the list contains records that were created from this time on. */
  since: string;
  /** The `next` of the previous page; null for the first page. */
  after: string | null;
}

export interface ListedPage<State> {
  /** Empty if other programs created all records of the page. */
  changes: Change<State>[];
  /** Null on the last page. */
  next: string | null;
}

/** Reads records that the vendor can also list by the time of their creation. */
export interface ListedReadings<State> extends Readings<State> {
  listSince(connection: OpenConnection, from: ListStart): Promise<ListedPage<State>>;
}
