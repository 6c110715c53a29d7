/** How a list is sorted at the client's request. Records with equal values are sorted by id. */
export interface ListSort {
  column: string;
  type: 'timestamptz' | 'text';
  /** True if the column may be null. Such records come last in both directions. */
  isNullable: boolean;
  isDescending: boolean;
}

/** The columns that a list may be sorted by. The keys are the words of the parameter `sort`. */
export type SortColumns = Readonly<Record<string, Omit<ListSort, 'isDescending'>>>;

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
  const order = buildIndexOrder(sort);
  const ranges = buildRanges(plan).map((range) => {
    const branches = (alternatives.length > 0 ? alternatives : [undefined]).map((alternative) => {
      const parts = [conditions.text, alternative, range].filter((part) => part);
      return `select t.* from ${table} t where ${parts.join(' and ')} order by ${order} limit ${limit}`;
    });
    return merge(branches, order, limit);
  });
  return merge(ranges, buildOrder(sort), limit);
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
 * Returns a condition per range of the index in which the page may lie. An empty text is no
 * condition.
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
  const withValue = position
    ? conditions.bind(`(t.${column}, t.id) ${after} (?::${type}, ?::uuid)`, position.at, position.id)
    : isNullable && `t.${column} is not null`;
  return [withValue || '', ...(isNullable ? [withoutValue] : [])];
}
