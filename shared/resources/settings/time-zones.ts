import type { Database, Transaction } from '../../platform/postgres/database.js';

/**
 * True if Node can format dates in this time zone. PostgreSQL must know the zone too: see {@link
 * isPostgresTimeZone}.
 */
export function isNodeTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    // Offsets such as +02:00 are refused, because they have no daylight-saving time.
    return /^[A-Za-z]/.test(value);
  } catch {
    return false;
  }
}

/**
 * The cached zone names. They change only when PostgreSQL's files change. Reading them from
 * PostgreSQL takes 15 to 150 ms (measured).
 */
let loadedZones: ReadonlySet<string> | undefined;

/**
 * Returns PostgreSQL's zone names in lower case. Until the first query has returned, each call runs
 * its own query. If several calls shared one query, a broken connection would make the transactions
 * of all these calls fail.
 * Node's zone names are no substitute. Node accepts 17 names that PostgreSQL refuses (`SST`,
 * `CAT`). Node also accepts abbreviations that PostgreSQL reads differently: `IST` is India in Node
 * and Israel in PostgreSQL.
 */
export async function loadPostgresTimeZones(
  db: Pick<Database | Transaction, 'query'>,
): Promise<ReadonlySet<string>> {
  if (loadedZones) return loadedZones;
  const rows = await db.query<{ name: string }>({
    text: 'select lower(name) as name from pg_timezone_names',
  });
  loadedZones = new Set(rows.map(({ name }) => name));
  return loadedZones;
}

/** True if PostgreSQL has a time zone with this name, ignoring case. */
export async function isPostgresTimeZone(
  db: Pick<Database | Transaction, 'query'>,
  name: string,
): Promise<boolean> {
  return (await loadPostgresTimeZones(db)).has(name.toLowerCase());
}
