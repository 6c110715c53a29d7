import type { Database, Transaction } from '../../platform/postgres.js';

/**
 * True for a zone in which Node can format dates. PostgreSQL has to know it as well: see {@link
 * loadTimeZones}.
 */
export function isTimeZone(value: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: value });
    // An offset is no zone: it knows no summer.
    return /^[A-Za-z]/.test(value);
  } catch {
    return false;
  }
}

/** The names change with PostgreSQL's files only. Reading them takes 15 to 150 ms (measured). */
let loadedZones: ReadonlySet<string> | undefined;

/**
 * Loads the names of PostgreSQL's time zones, in lower case, once per process. Callers that come
 * before the first answer each ask for themselves: no transaction fails with another's connection.
 *
 * Node accepts 17 names that PostgreSQL refuses (`SST`, `CAT`). It also accepts abbreviations that
 * PostgreSQL reads differently: `IST` is India to one and Israel to the other.
 */
export async function loadTimeZones(db: Pick<Database | Transaction, 'query'>): Promise<ReadonlySet<string>> {
  if (loadedZones) return loadedZones;
  const rows = await db.query<{ name: string }>({
    text: 'select lower(name) as name from pg_timezone_names',
  });
  loadedZones = new Set(rows.map(({ name }) => name));
  return loadedZones;
}

/** True when PostgreSQL has a time zone of this name; case makes no difference to it. */
export async function isStoredZone(
  db: Pick<Database | Transaction, 'query'>,
  name: string,
): Promise<boolean> {
  return (await loadTimeZones(db)).has(name.toLowerCase());
}
