import { type Search, useUrl } from '../url/use-url';

/** How a column sorts its list. */
export interface ColumnSort {
  /** The word of the API's parameter `sort`, without a sign. */
  by: string;
  /** The direction of the first press; the next press reverses it. */
  first: 'ascending' | 'descending';
  /** The text above the rows that are sorted so, if their sequence needs an explanation. */
  note?: string;
}

export interface ListSort {
  by: string;
  direction: ColumnSort['first'];
}

/** The sort for a column with the time of creation. */
export const BY_CREATION: ColumnSort = { by: 'created_at', first: 'descending' };

/** The sort without the parameter, in the API and in the URL. */
const NEWEST_FIRST: ListSort = { by: 'created_at', direction: 'descending' };

/** Returns the sort that the URL names, or newest first if no column of the list sorts so. */
export function readSort(columns: readonly (ColumnSort | undefined)[], { sort = '' }: Search): ListSort {
  const by = sort.replace(/^-/, '');
  if (!columns.some((column) => column?.by === by)) return NEWEST_FIRST;
  return { by, direction: sort === by ? 'ascending' : 'descending' };
}

/** Returns the parameter `sort`; undefined for newest first. */
export function formatSort({ by, direction }: ListSort): string | undefined {
  if (by === NEWEST_FIRST.by && direction === NEWEST_FIRST.direction) return undefined;
  return direction === 'descending' ? `-${by}` : by;
}

/** The button in the header of a column that sorts the list. */
export function SortButton({ text, column, shown }: { text: string; column: ColumnSort; shown: ListSort }) {
  const { setSearch } = useUrl();
  const isShown = shown.by === column.by;
  const reversed = shown.direction === 'ascending' ? 'descending' : 'ascending';
  const next = { by: column.by, direction: isShown ? reversed : column.first };
  return (
    <button type="button" className="sort-button" onClick={() => setSearch({ sort: formatSort(next) })}>
      {text}
      <span aria-hidden className="sort-arrow">
        {isShown && (shown.direction === 'ascending' ? '▲' : '▼')}
      </span>
    </button>
  );
}
