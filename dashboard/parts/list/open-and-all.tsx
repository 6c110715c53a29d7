import { useUrlSearch } from '../url/use-url';
import type { Filter } from './filters';
import { ListScreen } from './list-screen';
import { ViewTabs } from './view-tabs';

type ListProps<Row extends { id: string }> = Omit<
  Parameters<typeof ListScreen<Row>>[0],
  'fixedQuery' | 'isView' | 'above'
>;

/**
 * A list of which people first want the records that wait for them. A second tab has all records;
 * a chosen status shows that tab.
 * @param waiting the status of the records that wait, and the label of the first tab
 * @param emptyAll what to say if there are no records at all; `empty` is about those that wait
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
