import { createHash } from 'node:crypto';
import type { SqlQuery } from '../../platform/postgres/database.js';
import type { ItemText } from '../stored-json/stored-json.js';

/** One page of a list. PostgreSQL renders the items as JSON, joined by commas. */
export interface PageRow {
  items: string;
  count: number;
  /**
   * Position of the last item. `next_id` is null if no page follows. `next_at` is also null if the
   * column that sorts the list is null in the last item.
   */
  next_at: string | null;
  next_id: string | null;
}

/**
 * The maximum size of a page. 200 invoices can be 84 MB, and a page stays in memory until its
 * client has read it.
 */
export const MAX_PAGE_BYTES = 4 * 1024 * 1024;

export type NamedText = Required<Pick<SqlQuery, 'name' | 'text'>>;

/** Returns one {@link PageRow}. The last value is the byte limit. */
export interface ListQuery extends SqlQuery {
  /**
   * A faster query with the same values. Its `items` are null if a record has no stored text or the
   * page exceeds the byte limit. Then only the whole query knows the page.
   */
  stored?: NamedText | undefined;
}

export interface PageParts extends ItemText {
  /** The column that sorts the list, by default the one with the record's time. */
  sortColumn: string;
  /** The query of the page's rows and of one extra row, which shows whether a page follows. */
  source: string;
  /** The `n` of the parameters `$n` with the page size and the byte limit. */
  limitAt: number;
  maxBytesAt: number;
}

/**
 * Replaces the byte limit of a list query. A page has at least one item, however large.
 */
export function withMaxBytes(query: ListQuery, maxBytes: number): ListQuery {
  return { ...query, values: [...(query.values ?? []).slice(0, -1), maxBytes] };
}

function buildWholeText({ representation, sortColumn, source, limitAt, maxBytesAt }: PageParts): string {
  // `offset 0` makes PostgreSQL render each item once instead of once per use.
  return `
    select coalesce(string_agg(t.item, ',') filter (where t.fits), '') as items,
           (count(*) filter (where t.fits))::int as count,
           max(t.${sortColumn}::text) filter (where t.fits and t.ends) as next_at,
           max(t.id::text) filter (where t.fits and t.ends) as next_id
    from (
      select t.*, t.rank <= $${limitAt} and (t.rank = 1 or t.bytes <= $${maxBytesAt}) as fits,
             t.next_bytes is not null and (t.rank = $${limitAt} or t.bytes + t.next_bytes > $${maxBytesAt}) as ends
      from (
        select t.*, row_number() over page as rank, sum(octet_length(t.item)) over page as bytes,
               lead(octet_length(t.item)) over page as next_bytes
        from (
          select t.id, t.${sortColumn}, (${representation})::text as item
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
 * Builds a query that neither renders items nor counts the bytes of each item. It takes PostgreSQL
 * some 40 % less time for a page (docs/performance.md).
 */
function buildStoredText(storedItem: string, { sortColumn, source, limitAt, maxBytesAt }: PageParts): string {
  const limit = `$${limitAt}::int`;
  const last = (column: string) =>
    `case when count(*) > ${limit} then (array_agg(t.${column}::text))[${limit}] end`;
  return `
    select case when count(*) = count(t.item) and coalesce(sum(octet_length(t.item)), 0) <= $${maxBytesAt}
                then coalesce(array_to_string((array_agg(t.item))[1:${limit}], ','), '') end as items,
           least(count(*), ${limit})::int as count, ${last(sortColumn)} as next_at, ${last('id')} as next_id
    from (
      select t.id, t.${sortColumn}, ${storedItem} as item
      from (
        ${source}
      ) t
      offset 0
    ) t`;
}

/**
 * Caches the page queries of each list, by representation and by the query of the rows. A list has
 * one page query per combination of its filters. Without the cache, building and naming the query
 * text for every page took a twentieth of the API process's time (measured).
 */
class PageQueries {
  private readonly byRepresentation = new Map<string, Map<string, ListQuery>>();

  get(parts: PageParts): ListQuery {
    const { representation, source } = parts;
    let bySource = this.byRepresentation.get(representation);
    if (!bySource) {
      bySource = new Map();
      this.byRepresentation.set(representation, bySource);
    }
    let query = bySource.get(source);
    if (!query) {
      query = buildPageQuery(parts);
      bySource.set(source, query);
    }
    return query;
  }
}

export const pageQueries = new PageQueries();

export function buildPageQuery(parts: PageParts): ListQuery {
  const { storedItem } = parts;
  const whole = nameQuery(buildWholeText(parts));
  return storedItem === undefined
    ? whole
    : { ...whole, stored: nameQuery(buildStoredText(storedItem, parts)) };
}

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
