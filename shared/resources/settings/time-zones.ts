import type { Database, Transaction } from '../../platform/postgres/database.js';

/**
 * Node can format dates in the zone. PostgreSQL must accept the zone too:
 * {@link loadPostgresTimeZones}.
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

/** The names change only with PostgreSQL's files. Reading them takes 15 to 150 ms (measured). */
let loadedZones: ReadonlySet<string> | undefined;

/**
 * Returns lower-case names. Callers that arrive before the first result each run their own query,
 * so no transaction fails because another's connection broke.
 *
 * Node accepts 17 names that PostgreSQL refuses (`SST`, `CAT`). Node also accepts abbreviations
 * that PostgreSQL reads differently: `IST` is India in Node and Israel in PostgreSQL.
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

/** The names are compared without case. */
export async function isPostgresTimeZone(
  db: Pick<Database | Transaction, 'query'>,
  name: string,
): Promise<boolean> {
  return (await loadPostgresTimeZones(db)).has(name.toLowerCase());
}
