import type { KeyboardEvent, MouseEvent, ReactNode } from 'react';
import { areSingleKeysOn } from '../basics/key-settings';
import { ScrollRegion } from '../basics/scroll-region';
import type { Column } from '../record/record-table';
import { RecordLink, SearchLink } from '../url/links';
import { useUrl, useUrlPath, useUrlSearch } from '../url/use-url';
import { type ColumnSort, type ListSort, SortButton } from './sort-header';

export interface ListColumn<Row> extends Column<Row> {
  /** Set if a press on the header sorts the list. */
  sort?: ColumnSort;
}

/** The record that a row opens, and its tab; the first tab by default. */
export interface OpenedRecord {
  id: string;
  tab?: string;
}

/**
 * A table whose rows open their record. The first cell is a real link, so that people can open a
 * new tab. A click anywhere in the row also opens the record. The keys `j` and `k` move between
 * rows, and Enter opens a row.
 * @param shownSort the sort of the rows, which the header of its column shows
 * @param isOld true while the table still shows the rows of the previous filter
 */
export function LinkedTable<Row extends { id: string }>({
  label,
  rows,
  columns,
  nameHeader,
  nameSort,
  shownSort,
  rowName,
  isOld,
  recordParameter,
  findRecord = ({ id }) => ({ id }),
}: {
  label: string;
  rows: readonly Row[];
  columns: readonly ListColumn<Row>[];
  /** The header of the first column, which has the links. */
  nameHeader: string;
  nameSort?: ColumnSort | undefined;
  shownSort: ListSort;
  rowName: (row: Row) => ReactNode;
  isOld: boolean;
  /**
   * The query parameter for the id of the open row. If set, opening a row keeps the current path.
   * By default, a row opens at its own path, `/<screen>/<id>`.
   */
  recordParameter?: string;
  /** Finds the record at `/<screen>/<id>` that a row opens; by default, the row's own. */
  findRecord?: ((row: Row) => OpenedRecord) | undefined;
}) {
  const { openRecord, setSearch } = useUrl();
  const { screen, id: idInPath } = useUrlPath();
  const search = useUrlSearch();
  const openId = recordParameter ? search[recordParameter] : idInPath;
  const open = ({ id, tab }: OpenedRecord) =>
    recordParameter
      ? setSearch({ cursor: search.cursor, [recordParameter]: id })
      : openRecord(id, screen, tab);
  return (
    <ScrollRegion label={label}>
      <table
        className={isOld ? 'records linked old-rows' : 'records linked'}
        aria-label={label}
        aria-busy={isOld}
      >
        <thead>
          <tr>
            {[{ header: nameHeader, sort: nameSort }, ...columns].map((column) => (
              <Header key={column.header} {...column} shownSort={shownSort} />
            ))}
          </tr>
        </thead>
        <tbody onKeyDown={moveBetweenRows}>
          {rows.map((row) => {
            const record = findRecord(row);
            return (
              <tr
                key={row.id}
                className="linked-row"
                data-open={record.id === openId || undefined}
                onClick={(event) => !isControl(event) && open(record)}
              >
                <td>
                  {recordParameter ? (
                    <SearchLink search={{ [recordParameter]: record.id }}>{rowName(row)}</SearchLink>
                  ) : (
                    <RecordLink screen={screen} {...record}>
                      {rowName(row)}
                    </RecordLink>
                  )}
                </td>
                {columns.map(({ header: text, render, align }) => (
                  <td key={text} className={align === 'right' ? 'at-right' : ''}>
                    {render(row)}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </ScrollRegion>
  );
}

function Header({
  header: text,
  align,
  width,
  sort,
  shownSort,
}: Omit<ListColumn<never>, 'render' | 'sort'> & { sort?: ColumnSort | undefined; shownSort: ListSort }) {
  return (
    <th
      className={align === 'right' ? 'at-right' : ''}
      {...(width ? { style: { width } } : {})}
      {...(sort?.by === shownSort.by ? { 'aria-sort': shownSort.direction } : {})}
    >
      {sort ? <SortButton text={text} column={sort} shown={shownSort} /> : text}
    </th>
  );
}

/**
 * True for a click on a link, button or field inside the row, and for a click that selects text.
 */
function isControl(event: MouseEvent): boolean {
  const isOnControl = (event.target as Element).closest('a, button, input, select, label') !== null;
  return isOnControl || window.getSelection()?.isCollapsed === false;
}

/**
 * Moves the focus to the link of the next row for `j`, and of the previous row for `k`. Does
 * nothing for Ctrl+K or ⌘K, or if the person has switched off single-key shortcuts.
 */
function moveBetweenRows(event: KeyboardEvent<HTMLElement>): void {
  if (event.key !== 'j' && event.key !== 'k') return;
  if (event.ctrlKey || event.metaKey || event.altKey || !areSingleKeysOn()) return;
  const links = [...event.currentTarget.querySelectorAll<HTMLAnchorElement>('tr > td:first-child a')];
  const row = (event.target as Element).closest('tr');
  const index = links.findIndex((link) => row?.contains(link));
  links[index + (event.key === 'j' ? 1 : -1)]?.focus();
}
