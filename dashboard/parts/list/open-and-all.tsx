import { useUrlSearch } from '../url/use-url';
import type { Filter } from './filters';
import { ListScreen } from './list-screen';
import { ViewTabs } from './view-tabs';

type ListProps<Row extends { id: string }> = Omit<
  Parameters<typeof ListScreen<Row>>[0],
  'fixedQuery' | 'isView' | 'above'
>;

/**
 * A list with two tabs. The first tab has the records that wait for a person, and the second has
 * all records. If the URL names a status, the second tab is open.
 * @param waiting the status of the waiting records, and the label of the first tab
 * @param emptyAll the text if there are no records at all; `empty` is the text if none wait
 */
export function OpenAndAll<Row extends { id: string }>({
  waiting,
  statuses,
  filters,
  emptyAll,
  ...list
}: ListProps<Row> & {
  waiting: { status: string; label: string };
  statuses: readonly string[];
  emptyAll: ListProps<Row>['empty'];
}) {
  const { status, view } = useUrlSearch();
  const statusFilter = { name: 'status', label: 'Status', kind: 'choice', options: statuses } as const;
  const withStatus = (placeholder: string): readonly Filter[] => [
    { ...statusFilter, placeholder },
    ...filters,
  ];
  return (
    <ViewTabs
      name={list.name}
      shownView={view ?? (status ? 'all' : undefined)}
      views={[
        {
          name: waiting.status,
          label: waiting.label,
          content: (
            <ListScreen<Row>
              {...list}
              isView
              fixedQuery={{ status: waiting.status }}
              filters={withStatus(waiting.label)}
            />
          ),
        },
        {
          name: 'all',
          label: 'All',
          content: <ListScreen<Row> {...list} isView filters={withStatus('Any')} empty={emptyAll} />,
        },
      ]}
    />
  );
}
