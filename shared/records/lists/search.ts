export interface ListSearch {
  /** Undefined if the request does not search. */
  term: string | undefined;
  columns: readonly string[];
  /**
   * The tenant's id, if triggers maintain search entries for the table
   * (migrations/20261123050000_index_searches.ts). Undefined for tables that stay small.
   */
  indexedTenantId?: string;
}

/**
 * The timeout of a search. A search over a million records normally takes a few milliseconds. If a
 * search reaches the timeout, its term is too short or matches too many records.
 */
export const SEARCH_TIMEOUT_MS = 1000;

/**
 * The number of newest records that a search scans first. For a common term, these records usually
 * fill the page. If other filters leave fewer records, the scan reads them all.
 */
const NEWEST_ROWS = 1000;

/** Search entries are keyed by three letters, so a shorter term cannot be looked up. */
const MIN_INDEXED_LENGTH = 3;

export interface SearchBinder {
  readonly text: string;
  bind(text: string, ...values: unknown[]): string;
  add(text: string, ...values: unknown[]): unknown;
}

/**
 * Adds the condition of a search, if there is a term. One of the columns must contain the term,
 * ignoring case.
 */
export function addSearchCondition(conditions: SearchBinder, { columns, term }: ListSearch): void {
  if (term === undefined) return;
  conditions.add(buildMatchCondition(columns), ...columns.map(() => buildContainsPattern(term)));
}

interface SearchPlan {
  table: string;
  conditions: SearchBinder;
  search: ListSearch;
  term: string;
  /** The `n` of the parameter `$n` that holds the page size. */
  limitAt: number;
}

/**
 * Builds the query for one page of a search, newest first. The query reads one extra record, which
 * shows whether another page follows.
 * The query first scans the newest records. If too few of them match to fill the page, it looks up
 * candidates in the search entries, in one time window after another. It reads each candidate from
 * the table itself, so that the row-level security policy and all conditions apply. `offset 0`
 * keeps the planner from turning a lookup by key into a scan of the tenant.
 */
export function buildSearchQuery({ table, conditions, search, term, limitAt }: SearchPlan): string {
  const { columns, indexedTenantId } = search;
  const limit = `$${limitAt}::int + 1`;
  if (indexedTenantId === undefined || !hasIndexedLength(term)) {
    addSearchCondition(conditions, search);
    return `select t.* from ${table} t where ${conditions.text} order by t.created_at desc, t.id desc limit ${limit}`;
  }
  const tenant = conditions.bind('?::uuid', indexedTenantId);
  const termText = conditions.bind('?::text', term);
  const match = bindMatchCondition(conditions, columns, term);
  return `
    with newest as materialized (
      select t.created_at, t.id, coalesce(${match}, false) as is_match from ${table} t where ${conditions.text}
      order by t.created_at desc, t.id desc limit ${NEWEST_ROWS}
    ), older as (
      select page.created_at, page.id
      from (select created_at, id from newest offset ${NEWEST_ROWS - 1}) reached
      cross join lateral generate_series(search_window(reached.created_at), (
        select search_window(t.created_at) from ${table} t where t.tenant_id = ${tenant} order by t.created_at, t.id limit 1
      ), -1) as window_number
      cross join lateral (
        select record.created_at, record.id
        from find_search_entries(${tenant}, '${table}', ${termText}, window_number) as found(id)
        cross join lateral (
          select t.created_at, t.id from ${table} t
          where t.tenant_id = ${tenant} and t.id = found.id and ${conditions.text} and ${match}
            and (t.created_at, t.id) < (reached.created_at, reached.id)
          offset 0
        ) record
        limit ${limit}
      ) page
      where (select count(*) from newest where is_match) < ${limit}
      limit ${limit}
    )
    select t.* from (
      select created_at, id from newest where is_match union all select created_at, id from older
      order by created_at desc, id desc limit ${limit}
    ) hit cross join lateral (
      select * from ${table} where tenant_id = ${tenant} and id = hit.id offset 0
    ) t
    order by t.created_at desc, t.id desc`;
}

/** True if the search entries can be searched for the term. */
export function hasIndexedLength(term: string): boolean {
  return [...term].length >= MIN_INDEXED_LENGTH;
}

/** Binds the term, and returns the condition that a row of the table matches it. */
export function bindMatchCondition(
  conditions: SearchBinder,
  columns: readonly string[],
  term: string,
): string {
  return conditions.bind(buildMatchCondition(columns), ...columns.map(() => buildContainsPattern(term)));
}

function buildMatchCondition(columns: readonly string[]): string {
  return `(${columns.map((column) => `t.${column} ilike ?`).join(' or ')})`;
}

/**
 * Returns a pattern that matches every text with the term in it. Escapes %, _ and backslash in the
 * term.
 */
export function buildContainsPattern(term: string): string {
  return `%${term.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
