import type { CursorPosition } from '../../contracts/cursor.js';
import { firstIdAtSql } from '../../platform/id-times.js';
import type { ItemText } from '../stored-json/stored-json.js';
import { buildPageQuery, type ListQuery, MAX_PAGE_BYTES, pageQueries } from './page-query.js';
import { buildSearchQuery, type ListSearch, SEARCH_TIMEOUT_MS } from './search.js';
import { buildSortedRows, type ListSort } from './sorted-list.js';
import { buildSortedSearch } from './sorted-search.js';

export interface FilterScope {
  tenantId: string;
  /** IANA time zone. A plain date in `since` or `until` means midnight in this zone. */
  timeZone: string;
}

export interface ListScope extends FilterScope {
  position: CursorPosition | undefined;
  /** The agent that sends the request. Some lists show an agent only the agent's own records. */
  agentId?: string | undefined;
  /** The person or the motor club that sends the request, for lists of their own records. */
  personId?: string | undefined;
  clubId?: string | undefined;
}

/** Collects SQL conditions. Values are always bound, never part of a condition's text. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly parts: string[] = [];

  /** Adds a condition. Each `?` in the text becomes the `$n` of the next value. */
  add(text: string, ...values: unknown[]): this {
    this.parts.push(this.bind(text, ...values));
    return this;
  }

  /** Binds values like {@link add} and returns the text, but adds no condition. */
  bind(text: string, ...values: unknown[]): string {
    let next = 0;
    return text.replace(/\?/g, () => {
      this.values.push(values[next]);
      next += 1;
      return `$${this.values.length}`;
    });
  }

  /** Adds the condition, unless the value is undefined. */
  addIf(value: unknown, text: string): this {
    return value === undefined ? this : this.add(text, value);
  }

  /**
   * Adds `column = value` for each named filter that the query contains. The column has the same
   * name as the filter.
   */
  addEqual<Query extends object>(query: Query, ...names: (keyof Query & string)[]): this {
    for (const name of names)
      if (query[name] !== undefined) this.parts.push(`t.${name} = $${this.values.push(query[name])}`);
    return this;
  }

  /** Adds the condition that one of the alternatives holds. */
  addAlternatives(alternatives: readonly string[] = []): this {
    if (alternatives.length > 0) this.parts.push(`(${alternatives.join(' or ')})`);
    return this;
  }

  get text(): string {
    return this.parts.join(' and ');
  }
}

export interface ListPlan extends ItemText {
  table: string;
  conditions: Conditions;
  /**
   * Conditions that exclude one another. Each record of the list fulfills exactly one condition.
   * The query merges the newest records of each condition, which it finds through a separate index.
   */
  alternatives?: readonly string[] | undefined;
  limit: number;
  position: CursorPosition | undefined;
  /** The search. Its condition is not part of `conditions`. */
  search?: ListSearch | undefined;
  /**
   * The column with the record's time, for a table whose ids begin with that time. The list is then
   * sorted by id alone, and its cursors contain this time.
   */
  idTimeColumn?: string;
  /** How the client asked to sort the list; undefined for newest first. */
  sort?: ListSort | undefined;
}

/**
 * Builds the query for one page of a list, newest first by (created_at, id). The page starts after
 * a given record, not at a row number. So page 10,000 costs as much as page 1, and rows inserted
 * between two requests do not shift later pages (docs/decisions.md §5). The query reads one extra
 * row to find out whether another page follows.
 */
export function buildListQuery(plan: ListPlan): ListQuery {
  if (plan.sort) return buildSortedListQuery(plan, plan.sort);
  const { table, conditions, alternatives = [], position, idTimeColumn, search, ...item } = plan;
  if (position && idTimeColumn) conditions.add('t.id < ?::uuid', position.id);
  else if (position)
    conditions.add('(t.created_at, t.id) < (?::timestamptz, ?::uuid)', position.at, position.id);
  const { values } = conditions;
  const limitAt = values.push(plan.limit);
  const parts = { ...item, sortColumn: idTimeColumn ?? 'created_at', limitAt };
  if (search?.term !== undefined) {
    conditions.addAlternatives(alternatives);
    const source = buildSearchQuery({ ...plan, search, term: search.term, limitAt });
    // A search may take long, so it must not run twice.
    const query = buildPageQuery({
      ...parts,
      storedItem: undefined,
      source,
      maxBytesAt: values.push(MAX_PAGE_BYTES),
    });
    return { ...query, values, timeoutMs: SEARCH_TIMEOUT_MS };
  }
  const maxBytesAt = values.push(MAX_PAGE_BYTES);
  const order = `${idTimeColumn ? '' : 't.created_at desc, '}t.id desc`;
  const sortAndLimit = `order by ${order} limit $${limitAt}::int + 1`;
  if (alternatives.length === 1) conditions.addAlternatives(alternatives);
  const rows = `select t.* from ${table} t where ${conditions.text}`;
  const source =
    alternatives.length <= 1
      ? `${rows} ${sortAndLimit}`
      : `select t.* from (${alternatives.map((one) => `(${rows} and ${one} ${sortAndLimit})`).join(' union all ')}) t ${sortAndLimit}`;
  return { ...pageQueries.get({ ...parts, source, maxBytesAt }), values };
}

/** Works like {@link buildListQuery}, for a list with another sort. */
function buildSortedListQuery(plan: ListPlan, sort: ListSort): ListQuery {
  const { conditions, alternatives = [], search } = plan;
  const limitAt = conditions.values.push(plan.limit);
  const rows = { ...plan, alternatives, sort, limit: `$${limitAt}::int + 1` };
  const term = search?.term;
  const source =
    search && term !== undefined ? buildSortedSearch({ ...rows, search, term }) : buildSortedRows(rows);
  const maxBytesAt = conditions.values.push(MAX_PAGE_BYTES);
  const { representation, storedItem } = plan;
  const parts = { representation, sortColumn: sort.column, source, limitAt, maxBytesAt };
  const { values } = conditions;
  // A search may take long, so it must not run twice.
  if (term !== undefined) return { ...buildPageQuery(parts), values, timeoutMs: SEARCH_TIMEOUT_MS };
  return { ...pageQueries.get({ ...parts, storedItem }), values };
}

export interface DateRange {
  since?: string | undefined;
  until?: string | undefined;
  timeZone: string;
}

/**
 * Adds the conditions for a time range. `since` is inclusive, `until` exclusive. A plain date means
 * midnight in the tenant's time zone.
 */
export function addDateRange(conditions: Conditions, column: string, range: DateRange): void {
  addBounds(conditions, range, (operator, time) => `t.${column} ${operator} ${time}`);
}

/**
 * Works like {@link addDateRange}, for a table whose ids contain the record's time. The query then
 * needs only the index on the ids, and reads no row or partition outside the range.
 */
export function addIdRange(conditions: Conditions, range: DateRange): void {
  addBounds(conditions, range, (operator, time) => `t.id ${operator} ${firstIdAtSql(time)}`);
}

function addBounds(
  conditions: Conditions,
  { since, until, timeZone }: DateRange,
  text: (operator: string, time: string) => string,
): void {
  const bound = (operator: string, value: string) =>
    value.length === 10
      ? conditions.add(text(operator, '(?::date::timestamp at time zone ?)'), value, timeZone)
      : conditions.add(text(operator, '?::timestamptz'), value);
  if (since !== undefined) bound('>=', since);
  if (until !== undefined) bound('<', until);
}
