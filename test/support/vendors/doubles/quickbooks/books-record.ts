/** A record of the books. */
export type BooksRecord = { Id: string; SyncToken: string } & Record<string, unknown>;
