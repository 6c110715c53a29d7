/** What a list searches for. */
export interface Search {
  term: string;
  /** Columns that may contain the term. */
  columns: readonly string[];
  /**
   * The tenant's id when triggers keep the table's search entries (migrations: index_searches);
   * undefined for tables that stay small.
   */
  indexedTenantId?: string;
}

/**
 * A search of a million records takes a few milliseconds; one that takes this long finds too much,
 * or has too short a term.
 */
export const SEARCH_TIMEOUT_MS = 1000;

/**
 * The newest records are read as the list without a search reads them; that finds common terms, and
 * everything that few records pass the other filters of.
 */
const NEWEST_ROWS = 1000;

/** Search entries have keys of three letters. */
const MIN_INDEXED_LENGTH = 3;

/** Numbers values in the text of a statement. */
interface Binder {
  readonly text: string;
  bind(text: string, ...values: unknown[]): string;
  add(text: string, ...values: unknown[]): unknown;
}

/** Adds the condition that one of the columns contains the term, whatever its case. */
export function addSearch(conditions: Binder, { columns, term }: Search): void {
  conditions.add(matchOf(columns), ...columns.map(() => containsPattern(term)));
}

interface SearchPlan {
  table: string;
  conditions: Binder;
  search: Search;
  /** Number of the value that holds the page size. */
  limitAt: number;
}

/**
 * The records of one page of a search, newest first, and one more. It reads the newest records in
 * order; when those do not fill the page, the search entries name candidates, one window of time
 * after the other and newest first, until it is full. Every candidate is read from the table
 * itself, under its own policy and all conditions. `offset 0` keeps the planner from turning a
 * look-up by key into a scan of the tenant.
 */
export function searchSource({ table, conditions, search, limitAt }: SearchPlan): string {
  const { term, columns, indexedTenantId } = search;
  const limit = `$${limitAt}::int + 1`;
  if (indexedTenantId === undefined || [...term].length < MIN_INDEXED_LENGTH) {
    addSearch(conditions, search);
    return `select t.* from ${table} t where ${conditions.text} order by t.created_at desc, t.id desc limit ${limit}`;
  }
  const tenant = conditions.bind('?::uuid', indexedTenantId);
  const termText = conditions.bind('?::text', term);
  const match = conditions.bind(matchOf(columns), ...columns.map(() => containsPattern(term)));
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

function matchOf(columns: readonly string[]): string {
  return `(${columns.map((column) => `t.${column} ilike ?`).join(' or ')})`;
}

/** A substring pattern for ILIKE in which the user's own % and _ are plain characters. */
export function containsPattern(term: string): string {
  return `%${term.replace(/[\\%_]/g, (character) => `\\${character}`)}%`;
}
