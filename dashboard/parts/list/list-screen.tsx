import { Button, Group, Stack, Text, Title, VisuallyHidden } from '@mantine/core';
import { keepPreviousData } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { api } from '../../api/client';
import { useTimeZone } from '../../api/session';
import { Loading } from '../basics/loading';
import { EmptyState } from '../feedback/empty-state';
import { ProblemAlert } from '../feedback/problem-alert';
import { useUrl, useUrlSearch } from '../url/use-url';
import { CopyButton } from '../values/copy';
import { buildCurl } from '../values/curl';
import { type Filter, FilterBar, readFilters } from './filters';
import { LinkedTable, type ListColumn, type OpenedRecord } from './linked-table';
import { Paging } from './paging';
import { type ColumnSort, formatSort, readSort } from './sort-header';

/** A page of a list in the API's format. */
export interface ListPage<Row> {
  data: { items: Row[]; cursor: string | null };
}

const PAGE_SIZE = 50;

/**
 * A screen with one list. It has a heading, filters and sort in the URL, rows that open their
 * record, and pages.
 * @param path path of the list below /v1, such as `/invoices`
 * @param fixedQuery query parameters of every request for the list, such as a status. A filter with
 *   the same name replaces its parameter.
 */
export function ListScreen<Row extends { id: string }>({
  name,
  path,
  filters,
  fixedQuery = {},
  columns,
  nameHeader,
  nameSort,
  rowName,
  recordParameter,
  findRecord,
  actions,
  above,
  empty,
  refetchMs,
  isView = false,
}: {
  name: string;
  path: string;
  filters: readonly Filter[];
  fixedQuery?: Record<string, string>;
  columns: readonly ListColumn<Row>[];
  /** The header of the first column. */
  nameHeader: string;
  /** Set if a press on the header of the first column sorts the list. */
  nameSort?: ColumnSort;
  /** The name of a row's record. It is the text of the link in the first column. */
  rowName: (row: Row) => ReactNode;
  /**
   * If set, a row opens as `?<recordParameter>=<id>` over this list, and not at a path of its own.
   */
  recordParameter?: string;
  /** If set, a row opens this record of the screen, such as the invoice of a claim. */
  findRecord?: (row: Row) => OpenedRecord;
  actions?: ReactNode;
  /** The content between the heading and the filters. */
  above?: ReactNode;
  /** The text and the offered action if the account has no such records. */
  empty: { text: string; action?: ReactNode; curl?: string };
  /**
   * The interval at which the rows are read again, for records that change without an event. False
   * means never.
   */
  refetchMs?: (rows: readonly Row[]) => number | false;
  /** True if the list is one view of a screen. ViewTabs then shows the heading above the tabs. */
  isView?: boolean;
}) {
  const search = useUrlSearch();
  const timeZone = useTimeZone();
  const { setSearch } = useUrl();
  const filterQuery = readFilters(filters, search, timeZone);
  const sorts = [nameSort, ...columns.map((column) => column.sort)];
  const shownSort = readSort(sorts, search);
  const sortNote = sorts.find((column) => column?.by === shownSort.by)?.note;
  const sort = formatSort(shownSort);
  const wholeList = { ...fixedQuery, ...filterQuery, ...(sort ? { sort } : {}) };
  const query = { ...wholeList, ...(search.cursor ? { cursor: search.cursor } : {}) };
  const list = useList<Row>(path, { ...query, limit: PAGE_SIZE }, refetchMs);
  const isFiltered = Object.keys(filterQuery).length > 0;
  const items = list.data?.data.items ?? [];
  const clear = Object.fromEntries(filters.map((filter) => [filter.name, undefined]));
  return (
    <Stack gap="sm">
      <Group justify={isView ? 'flex-end' : 'space-between'}>
        {isView ? (
          <VisuallyHidden component="h2">{name}</VisuallyHidden>
        ) : (
          <Title order={1} size="h2">
            {name}
          </Title>
        )}
        <Group gap="xs">
          <CopyButton text={buildCurl(path, { query })} label="curl for this view" />
          {actions}
        </Group>
      </Group>
      {above}
      <FilterBar filters={filters} />
      {list.error !== null && !list.data && (
        <ProblemAlert problem={list.error} onRetry={() => void list.refetch()} />
      )}
      {list.isPending && <Loading label={`Loading ${name}`} rows={10} />}
      {items.length > 0 && sortNote && (
        <Text size="sm" c="dimmed">
          {sortNote}
        </Text>
      )}
      {items.length > 0 && (
        <LinkedTable
          label={name}
          rows={items}
          columns={columns}
          nameHeader={nameHeader}
          nameSort={nameSort}
          shownSort={shownSort}
          rowName={rowName}
          isOld={list.isPlaceholderData}
          findRecord={findRecord}
          {...(recordParameter ? { recordParameter } : {})}
        />
      )}
      {list.data && items.length === 0 && !isFiltered && <EmptyState {...empty} />}
      {list.data && items.length === 0 && isFiltered && (
        <EmptyState
          text="Nothing matches these filters."
          action={
            <Button variant="default" onClick={() => setSearch(clear)}>
              Clear filters
            </Button>
          }
        />
      )}
      {/* The cursors of other filters, or of another sort, lead to no page of this list. */}
      <Paging key={JSON.stringify(wholeList)} next={list.data?.data.cursor ?? null} />
    </Stack>
  );
}

/** Reads one page of a list. Keeps the old rows until the next page has arrived. */
function useList<Row>(
  path: string,
  query: Record<string, unknown>,
  refetchMs: (rows: readonly Row[]) => number | false = () => false,
) {
  // The path determines the type of the rows, but TypeScript cannot infer it. The caller must name
  // the right type.
  const read = api.useQuery as unknown as (
    method: 'get',
    path: string,
    init: object,
    options: object,
  ) => {
    data: ListPage<Row> | undefined;
    error: unknown;
    isPending: boolean;
    isPlaceholderData: boolean;
    refetch: () => unknown;
  };
  const refetchInterval = ({ state }: { state: { data?: ListPage<Row> } }) =>
    refetchMs(state.data?.data.items ?? []);
  return read('get', path, { params: { query } }, { placeholderData: keepPreviousData, refetchInterval });
}
