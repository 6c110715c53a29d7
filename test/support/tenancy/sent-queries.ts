import { resolve } from 'node:path';
import type { Database, SqlQuery, Transaction } from '../../../shared/platform/postgres/database.js';

/** Maps the text of each recorded query to the file of the product that sends it. */
type SentQueries = Map<string, string>;

const sentByDatabase = new Map<Database, SentQueries>();

/** A stack frame in a file of the product or of the tests. The folders here pass queries on. */
const SENDER =
  /\/(?!shared\/platform\/postgres\/|test\/support\/tenancy\/)((?:api|bin|mcp|shared|workers|test)\/[\w./-]+\.ts):\d/;

/**
 * Returns the queries that the product has sent over `db`, or over all recorded databases of this
 * process. Queries that tests send are not among them.
 */
export function listSentQueries(db?: Database): SentQueries {
  const lists = db ? [sentByDatabase.get(db) ?? new Map<string, string>()] : [...sentByDatabase.values()];
  return new Map(lists.flatMap((sent) => [...sent]));
}

/** Records every query that is sent over `db` from now on. */
export function recordQueries(db: Database): void {
  const sent: SentQueries = new Map();
  sentByDatabase.set(db, sent);
  const { read, readByKeyHash, readByEmail, query, transaction, runAndRollBack } = db;
  const recorded: Partial<Database> = {
    read: (tenantId, sql) => read.call(db, tenantId, record(sent, sql)) as Promise<never[]>,
    readByKeyHash: (hash, sql) => readByKeyHash.call(db, hash, record(sent, sql)) as Promise<never[]>,
    readByEmail: (email, sql) => readByEmail.call(db, email, record(sent, sql)) as Promise<never[]>,
    query: (sql) => query.call(db, record(sent, sql)) as Promise<never[]>,
    transaction: (ids, work) =>
      transaction.call(db, ids, (tx) => work(recordTransaction(sent, tx))) as Promise<never>,
    runAndRollBack: (ids, work) =>
      runAndRollBack.call(db, ids, (tx) => work(recordTransaction(sent, tx))) as Promise<never>,
  };
  Object.assign(db, recorded);
}

function recordTransaction(sent: SentQueries, tx: Transaction): Transaction {
  return {
    query: (sql) => tx.query(record(sent, sql)),
    queryAtCommit: (sql, onRows) => tx.queryAtCommit(record(sent, sql), onRows),
  };
}

function record(sent: SentQueries, sql: SqlQuery): SqlQuery {
  if (!sent.has(sql.text)) {
    const sender = findSender();
    if (!sender.startsWith('test/')) sent.set(sql.text, sender);
  }
  return sql;
}

/** @throws {Error} if no file of the product or of the tests is on the stack */
function findSender(): string {
  const stack = (new Error().stack ?? '').replaceAll(resolve(import.meta.dirname, '../../..'), '');
  const sender = stack.match(SENDER)?.[1];
  if (sender === undefined) throw new Error(`the file that sends a query is unknown: ${stack}`);
  return sender;
}
