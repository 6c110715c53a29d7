/** How a list is sorted at the client's request. Records with equal values are sorted by id. */
export interface ListSort {
  column: string;
  type: 'timestamptz' | 'text';
  /** True if the column may be null. Such records come last in both directions. */
  isNullable: boolean;
  isDescending: boolean;
  /**
   * True if the filters find few records through an index of their own. The query then reads all
   * of them for each page and sorts them. Otherwise it reads the index of the sort up to the end of
   * the page.
   */
  readsAllRecords?: boolean;
}

/** The columns that a list may be sorted by. The keys are the words of the parameter `sort`. */
export type SortColumns = Readonly<Record<string, Omit<ListSort, 'isDescending' | 'readsAllRecords'>>>;

export const BY_CREATION: SortColumns = {
  created_at: { column: 'created_at', type: 'timestamptz', isNullable: false },
};

/**
 * Returns the sort that a request names. Undefined for newest first, which is the sort without the
 * parameter: the schema reads `-created_at` as absent.
 */
export function readSort(columns: SortColumns, sort: string | undefined): ListSort | undefined {
  if (sort === undefined) return undefined;
  const isDescending = sort.startsWith('-');
  const column = columns[isDescending ? sort.slice(1) : sort];
  if (!column) throw new Error(`the list cannot be sorted by ${sort}`);
  return { ...column, isDescending };
}

interface Binder {
  readonly text: string;
  bind(text: string, ...values: unknown[]): string;
}

export interface SortedRows {
  table: string;
  /** The conditions of every row. The position is not part of them. */
  conditions: Binder;
  /** Conditions that exclude one another; each row fulfills one. Each has its own index range. */
  alternatives: readonly string[];
  sort: ListSort;
  position: { at: string | null; id: string } | undefined;
  /** The SQL of the number of rows. */
  limit: string;
}

/**
 * Builds the query of the rows after the position. It reads one range of the index per alternative,
 * and for a nullable column a second one with the records that have no value. A single range could
 * put them last in one direction alone, because an index has nulls at one end.
 */
export function buildSortedRows(plan: SortedRows): string {
  const { table, conditions, alternatives, sort, limit } = plan;
  const select = (...parts: (string | undefined)[]) =>
    `select t.* from ${table} t where ${parts.filter((part) => part).join(' and ')}`;
  const ranges = buildRanges(plan);
  if (sort.readsAllRecords) {
    // With `offset 0`, PostgreSQL chooses the index by the filters alone.
    const all = `${select(conditions.text, anyOf(alternatives))} offset 0`;
    const range = ranges.length > 0 ? ` where ${ranges.join(' or ')}` : '';
    return `select t.* from (${all}) t${range} order by ${buildOrder(sort)} limit ${limit}`;
  }
  const order = buildIndexOrder(sort);
  const pages = orNoCondition(ranges).map((range) => {
    const branches = orNoCondition(alternatives).map(
      (one) => `${select(conditions.text, one, range)} order by ${order} limit ${limit}`,
    );
    return merge(branches, order, limit);
  });
  return merge(pages, buildOrder(sort), limit);
}

/** Returns the condition that one of the conditions holds; undefined if there are none. */
export function anyOf(conditions: readonly string[]): string | undefined {
  return conditions.length > 0 ? `(${conditions.join(' or ')})` : undefined;
}

function orNoCondition(conditions: readonly string[]): readonly (string | undefined)[] {
  return conditions.length > 0 ? conditions : [undefined];
}

/** Returns the sequence of the list: records without a value come last. */
export function buildOrder(sort: ListSort): string {
  const order = buildIndexOrder(sort);
  return sort.isNullable ? `t.${sort.column} is null, ${order}` : order;
}

/** Returns the sequence in which the index has the records of one range. */
function buildIndexOrder({ column, isDescending }: ListSort): string {
  const direction = isDescending ? ' desc' : '';
  return `t.${column}${direction}, t.id${direction}`;
}

function merge(queries: readonly string[], order: string, limit: string): string {
  if (queries.length === 1) return queries[0] as string;
  const all = queries.map((query) => `(${query})`).join(' union all ');
  return `select t.* from (${all}) t order by ${order} limit ${limit}`;
}

/**
 * Returns a condition per range of the index in which the page may lie. Returns none if it may lie
 * anywhere.
 */
export function buildRanges({
  conditions,
  sort,
  position,
}: Pick<SortedRows, 'conditions' | 'sort' | 'position'>): string[] {
  const { column, type, isNullable, isDescending } = sort;
  const after = isDescending ? '<' : '>';
  const withoutValue = `t.${column} is null`;
  if (position?.at === null)
    return [conditions.bind(`${withoutValue} and t.id ${after} ?::uuid`, position.id)];
  const afterPosition =
    position &&
    conditions.bind(`(t.${column}, t.id) ${after} (?::${type}, ?::uuid)`, position.at, position.id);
  if (!isNullable) return afterPosition ? [afterPosition] : [];
  // The index of a nullable column has this condition (migrations/20261203070000_sort_lists.ts).
  const withValue = `t.${column} >= '-infinity'`;
  return [afterPosition ? `(${withValue} and ${afterPosition})` : withValue, withoutValue];
}
