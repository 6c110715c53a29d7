import { createHash } from 'node:crypto';
import type { CursorPosition } from '../../contracts/cursor.js';
import { firstIdAtSql } from '../../platform/id-times.js';
import type { SqlQuery } from '../../platform/postgres/database.js';
import { buildSearchQuery, type ListSearch, SEARCH_TIMEOUT_MS } from './search.js';

/** One page of a list. PostgreSQL renders the items as JSON, joined by commas. */
export interface PageRow {
  items: string;
  count: number;
  /** Position of the last item; null if no page follows. */
  next_at: string | null;
  next_id: string | null;
}

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

export interface ListPlan {
  table: string;
  /** SQL for an item's JSON, over the row with the alias `t`. */
  representation: string;
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
}

/**
 * The maximum size of a page. 200 invoices can be 84 MB, and a page stays in memory until its
 * client has read it.
 */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * Builds the query for one page of a list, newest first by (created_at, id). The page starts after
 * a given record, not at a row number. So page 10,000 costs as much as page 1, and rows inserted
 * between two requests do not shift later pages (docs/decisions.md §5). The query reads one extra
 * row to find out whether another page follows.
 */
export function buildListQuery(plan: ListPlan): SqlQuery {
  const { table, conditions, alternatives = [], position, idTimeColumn, search } = plan;
  if (position && idTimeColumn) conditions.add('t.id < ?::uuid', position.id);
  else if (position)
    conditions.add('(t.created_at, t.id) < (?::timestamptz, ?::uuid)', position.at, position.id);
  const limitAt = conditions.values.push(plan.limit);
  if (search?.term !== undefined) {
    conditions.addAlternatives(alternatives);
    const source = buildSearchQuery({ ...plan, search, term: search.term, limitAt });
    const query = nameQuery(buildPageText(plan, { source, limitAt, maxBytesAt: addMaxBytes(conditions) }));
    return { ...query, values: conditions.values, timeoutMs: SEARCH_TIMEOUT_MS };
  }
  const maxBytesAt = addMaxBytes(conditions);
  const order = `${idTimeColumn ? '' : 't.created_at desc, '}t.id desc`;
  const sortAndLimit = `order by ${order} limit $${limitAt}::int + 1`;
  if (alternatives.length === 1) conditions.addAlternatives(alternatives);
  const rows = `select t.* from ${table} t where ${conditions.text}`;
  const source =
    alternatives.length <= 1
      ? `${rows} ${sortAndLimit}`
      : `select t.* from (${alternatives.map((one) => `(${rows} and ${one} ${sortAndLimit})`).join(' union all ')}) t ${sortAndLimit}`;
  const query = pageQueries.get(plan.representation, source, () =>
    nameQuery(buildPageText(plan, { source, limitAt, maxBytesAt })),
  );
  return { ...query, values: conditions.values };
}

/** Adds the byte limit as the last value, which `withMaxBytes` can then replace. */
const addMaxBytes = (conditions: Conditions): number => conditions.values.push(MAX_PAGE_BYTES);

function buildPageText(
  { representation, idTimeColumn: time = 'created_at' }: ListPlan,
  { source, limitAt, maxBytesAt }: { source: string; limitAt: number; maxBytesAt: number },
): string {
  // `offset 0` makes PostgreSQL render each item once instead of once per use.
  return `
    select coalesce(string_agg(t.item, ',') filter (where t.fits), '') as items,
           (count(*) filter (where t.fits))::int as count,
           max(t.${time}::text) filter (where t.fits and t.ends) as next_at,
           max(t.id::text) filter (where t.fits and t.ends) as next_id
    from (
      select t.*, t.rank <= $${limitAt} and (t.rank = 1 or t.bytes <= $${maxBytesAt}) as fits,
             t.next_bytes is not null and (t.rank = $${limitAt} or t.bytes + t.next_bytes > $${maxBytesAt}) as ends
      from (
        select t.*, row_number() over page as rank, sum(octet_length(t.item)) over page as bytes,
               lead(octet_length(t.item)) over page as next_bytes
        from (
          select t.id, t.${time}, (${representation})::text as item
          from (
            ${source}
          ) t
          offset 0
        ) t
        window page as (rows between unbounded preceding and current row)
      ) t
    ) t`;
}

/**
 * Replaces the byte limit, which is the last value of a list query. A page has at least one item,
 * however large.
 */
export function withMaxBytes(query: SqlQuery, maxBytes: number): SqlQuery {
  return { ...query, values: [...(query.values ?? []).slice(0, -1), maxBytes] };
}

type NamedText = Required<Pick<SqlQuery, 'name' | 'text'>>;

/**
 * Caches the page queries of each list, by representation and by the query of the rows. A list has
 * one page query per combination of its filters. Without the cache, building and naming the query
 * text for every page took a twentieth of the API process's time (measured).
 */
class PageQueries {
  private readonly byRepresentation = new Map<string, Map<string, NamedText>>();

  get(representation: string, source: string, build: () => NamedText): NamedText {
    let bySource = this.byRepresentation.get(representation);
    if (!bySource) {
      bySource = new Map();
      this.byRepresentation.set(representation, bySource);
    }
    let query = bySource.get(source);
    if (!query) {
      query = build();
      bySource.set(source, query);
    }
    return query;
  }
}

const pageQueries = new PageQueries();

/** Maps the text of a query to its name. There is one entry per combination of filters. */
const queryNames = new Map<string, string>();

/** Names a prepared query after a hash of its text. */
function nameQuery(text: string): NamedText {
  let name = queryNames.get(text);
  if (!name) {
    name = `list-${createHash('sha1').update(text).digest('hex')}`;
    queryNames.set(text, name);
  }
  return { name, text };
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
