import {
  addSearchCondition,
  bindMatchCondition,
  hasIndexedLength,
  type ListSearch,
  type SearchBinder,
} from './search.js';
import { anyOf, buildOrder, buildRanges, buildSortedRows, type SortedRows } from './sorted-list.js';

/** The number of records that a search scans first, in the sequence of the list. */
const FIRST_ROWS = 1000;

interface SortedSearch extends SortedRows {
  conditions: SearchBinder;
  search: ListSearch;
  term: string;
}

/**
 * Builds the query of a search's rows after the position, for a list that is not sorted newest
 * first. The query scans the first records of the list. If too few of them match to fill the page,
 * it looks up candidates in the search entries of all time windows, because the next record may be
 * in any window. For a term that matches very many records, but few of the first, this reaches the
 * timeout.
 */
export function buildSortedSearch(plan: SortedSearch): string {
  const { table, conditions, alternatives, search, term, sort, limit } = plan;
  const { columns, indexedTenantId } = search;
  if (indexedTenantId === undefined || !hasIndexedLength(term)) {
    addSearchCondition(conditions, search);
    return buildSortedRows(plan);
  }
  const tenant = conditions.bind('?::uuid', indexedTenantId);
  const termText = conditions.bind('?::text', term);
  const match = bindMatchCondition(conditions, columns, term);
  const key = `t.id, t.${sort.column}`;
  const order = buildOrder(sort);
  const wanted = [conditions.text, anyOf(alternatives), anyOf(buildRanges(plan)), match].filter(
    (part) => part,
  );
  const windowOf = (direction: string) =>
    `(select search_window(t.created_at) from ${table} t where t.tenant_id = ${tenant}
      order by t.created_at ${direction}, t.id ${direction} limit 1)`;
  const isComplete = `((select count(*) from first_rows) < ${FIRST_ROWS}
      or (select count(*) from first_rows where is_match) >= ${limit})`;
  return `
    with first_rows as materialized (
      select ${key}, coalesce(${match}, false) as is_match
      from (${buildSortedRows({ ...plan, limit: String(FIRST_ROWS) })}) t
    ), found as (
      select record.*
      from generate_series(${windowOf('desc')}, ${windowOf('asc')}, -1) as window_number
      cross join lateral find_search_entries(${tenant}, '${table}', ${termText}, window_number) as found(id)
      cross join lateral (
        select ${key} from ${table} t
        where t.tenant_id = ${tenant} and t.id = found.id and ${wanted.join(' and ')}
        offset 0
      ) record
      where not ${isComplete}
    )
    select t.* from (
      select ${key} from (
        select ${key} from first_rows t where t.is_match and ${isComplete} union all select ${key} from found t
      ) t
      order by ${order} limit ${limit}
    ) hit cross join lateral (
      select * from ${table} where tenant_id = ${tenant} and id = hit.id offset 0
    ) t
    order by ${order}`;
}
