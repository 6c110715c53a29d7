import { Button, Stack } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Loading } from '../basics/loading';
import { ProblemAlert } from '../feedback/problem-alert';
import { RecordTable } from './record-table';

export interface Page<Row> {
  items: Row[];
  cursor: string | null;
}

/** An empty list that stays empty is not read again after so many times. */
const MAX_EMPTY_READS = 30;

/**
 * A table that reads its rows page by page. A button reads the next page.
 * @param queryKey identifies the list in the cache: `['/payments', { invoice_id: id }]`
 * @param readPage reads one page; the first page has no cursor
 * @param pollEmptyMs after so long, an empty list is read again. For lists that a worker fills
 *   without an event
 */
export function PagedTable<Row>({
  queryKey,
  readPage,
  pollEmptyMs,
  ...table
}: {
  queryKey: readonly unknown[];
  readPage: (cursor: string | undefined) => Promise<Page<Row>>;
  pollEmptyMs?: number;
} & Omit<Parameters<typeof RecordTable<Row>>[0], 'rows'>) {
  const { data, error, isPending, hasNextPage, fetchNextPage, isFetchingNextPage, refetch } =
    useInfiniteQuery({
      queryKey: ['pages', ...queryKey],
      queryFn: ({ pageParam }) => readPage(pageParam),
      initialPageParam: undefined as string | undefined,
      getNextPageParam: (page: Page<Row>) => page.cursor ?? undefined,
      refetchInterval: ({ state: { data: read, dataUpdateCount } }) =>
        pollEmptyMs !== undefined &&
        dataUpdateCount < MAX_EMPTY_READS &&
        read?.pages[0]?.items.length === 0 &&
        pollEmptyMs,
    });
  if (isPending) return <Loading rows={3} />;
  if (error && !data) return <ProblemAlert problem={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="xs" align="flex-start">
      <RecordTable {...table} rows={data?.pages.flatMap(({ items }) => items) ?? []} />
      {hasNextPage && (
        <Button variant="default" size="xs" loading={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          Show more
        </Button>
      )}
    </Stack>
  );
}
