import { createHash } from 'node:crypto';
import type { CursorPosition } from '../contracts/cursor.js';
import { firstIdAtSql } from '../platform/id-times.js';
import type { Statement } from '../platform/postgres.js';
import { SEARCH_TIMEOUT_MS, type Search, searchSource } from './search.js';

/** One page as PostgreSQL renders it. */
export interface PageRow {
  /** The items' JSON texts, joined by commas. */
  items: string;
  count: number;
  /**
   * Position of the last item when more follow, else null. The page ends early when its items would
   * have too many bytes.
   */
  next_at: string | null;
  next_id: string | null;
}

/** Whose records a filter looks at. */
export interface FilterScope {
  tenantId: string;
  /** IANA name; what a plain date in `since` and `until` means. */
  timeZone: string;
}

/** Whose page, and from where. */
export interface ListScope extends FilterScope {
  position: CursorPosition | undefined;
  /** The agent key that asks; undefined when none does. A list of which agents may see their own only looks at it. */
  agentId?: string | undefined;
}

/** Collects conditions and their values; a condition's text never holds a value. */
export class Conditions {
  readonly values: unknown[] = [];
  private readonly parts: string[] = [];

  /** Adds `$n` for each value, in order of the `?` in the text. */
  add(text: string, ...values: unknown[]): this {
    this.parts.push(this.bind(text, ...values));
    return this;
  }

  /** The text with `$n` for each value; it becomes no condition. */
  bind(text: string, ...values: unknown[]): string {
    let next = 0;
    return text.replace(/\?/g, () => {
      this.values.push(values[next]);
      next += 1;
      return `$${this.values.length}`;
    });
  }

  /** Adds the condition only when the value is there. */
  addIf(value: unknown, text: string): this {
    return value === undefined ? this : this.add(text, value);
  }

  get text(): string {
    return this.parts.join(' and ');
  }
}

export interface ListPlan {
  table: string;
  /** Projection of the alias `t`. */
  representation: string;
  conditions: Conditions;
  limit: number;
  position: CursorPosition | undefined;
  /** What the list searches for. Its condition is not among the others. */
  search?: Search | undefined;
  /** For records whose ids alone are in the order of time: the column of the time, which cursors carry and nothing is sorted by. */
  timeOfIds?: string;
}

/**
 * Bytes of the items of a page: 200 invoices may be 84 MB, and a process holds a page for each
 * client until it has been read.
 */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

/**
 * A keyset page, newest first over (created_at, id): page 10,000 costs what page 1 costs, and rows that come in meanwhile shift nothing
 * (decisions 5). One row more than asked for is read, to know whether a page follows.
 */
export function listStatement(plan: ListPlan): Statement {
  const { conditions, position, timeOfIds } = plan;
  const time = timeOfIds ?? 'created_at';
  if (position && timeOfIds) conditions.add('t.id < ?::uuid', position.id);
  else if (position)
    conditions.add('(t.created_at, t.id) < (?::timestamptz, ?::uuid)', position.at, position.id);
  const limitAt = conditions.values.push(plan.limit);
  const source = plan.search
    ? searchSource({ ...plan, search: plan.search, limitAt })
    : `select t.* from ${plan.table} t where ${conditions.text}
            order by ${timeOfIds ? '' : 't.created_at desc, '}t.id desc limit $${limitAt}::int + 1`;
  // The last value, for withMaxBytes.
  const maxBytesAt = conditions.values.push(MAX_PAGE_BYTES);
  // `offset 0` keeps PostgreSQL from rendering an item once for each place that uses it.
  const text = `
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
          select t.id, t.${time}, (${plan.representation})::text as item
          from (
            ${source}
          ) t
          offset 0
        ) t
        window page as (rows between unbounded preceding and current row)
      ) t
    ) t`;
  const statement = { name: statementName(text), text, values: conditions.values };
  return plan.search ? { ...statement, timeoutMs: SEARCH_TIMEOUT_MS } : statement;
}

/**
 * The statement of a list with another bound on the bytes of its page, which is its last value.
 * A page has one item at least, however large.
 */
export function withMaxBytes(statement: Statement, maxBytes: number): Statement {
  return { ...statement, values: [...(statement.values ?? []).slice(0, -1), maxBytes] };
}

/** Names by text; there are as many as combinations of filters. */
const statementNames = new Map<string, string>();

/** The same text is prepared under the same name; hashing it for every page was a thirtieth of the api's time (measured). */
function statementName(text: string): string {
  let name = statementNames.get(text);
  if (!name) {
    name = `list-${createHash('sha1').update(text).digest('hex')}`;
    statementNames.set(text, name);
  }
  return name;
}

export interface DateRange {
  since?: string | undefined;
  until?: string | undefined;
  timeZone: string;
}

/** Adds `since` (inclusive) and `until` (exclusive) on one column; a plain date is midnight in the tenant's time zone. */
export function addDateRange(conditions: Conditions, column: string, range: DateRange): void {
  addBounds(conditions, range, (operator, time) => `t.${column} ${operator} ${time}`);
}

/** {@link addDateRange} of records whose ids say the time: it needs no other index than that of the ids, and reads no row or partition outside of the range. */
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
