import { useMemo } from 'react';
import { api } from '../../../api/client';
import type { Schemas, WorkOrder, WorkOrderListItem } from '../../../api/records';
import { useTimeZone } from '../../../api/session';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { ScreenLink } from '../../../parts/url/links';
import { useUrlSearch } from '../../../parts/url/use-url';
import { readToday } from '../../../parts/values/zoned-time';
import { findArrivals } from './arrivals';
import { completedTodayQuery, MAX_READ } from './board-reads';
import { Column } from './column';

const SUGGESTIONS = {
  params: { query: { status: 'open', entity_type: 'work_order', limit: MAX_READ } },
} as const;

/** The four columns, and the data that their cards need in addition to the board. */
export function Board({ board }: { board: Schemas['DispatchBoard'] }) {
  const completed = useCompletedToday();
  const offers = api.useQuery('get', '/suggestions', SUGGESTIONS);
  const { active_jobs: active, unassigned_work_orders: unassigned } = board;
  const customers = useMemo(
    () => nameCustomers(board.customers, completed.data?.data.items),
    [board.customers, completed.data],
  );
  const suggestions = useMemo(
    () => new Map((offers.data?.data.items ?? []).map((offer) => [offer.entity_id, offer])),
    [offers.data],
  );
  const { search = '' } = useUrlSearch();
  const find = (workOrders: readonly WorkOrder[]) => findWorkOrders(workOrders, search, customers);
  const waiting = find(unassigned);
  const dispatched = find(active.filter(({ status }) => status === 'dispatched'));
  const inProgress = find(active.filter(({ status }) => status === 'in_progress'));
  const done = find(completed.data?.data.items ?? []);
  const hasMore = completed.data?.data.cursor != null;
  const arrivals = useMemo(() => findArrivals(board), [board]);
  const facts = { customers, suggestions, arrivals };
  return (
    <div className="dispatch-columns">
      <Column
        name="Unassigned"
        workOrders={waiting}
        count={countOf(waiting)}
        empty="No work order waits for a truck."
        facts={facts}
      />
      <Column
        name="Dispatched"
        workOrders={dispatched}
        count={countOf(dispatched)}
        empty="No truck is on its way. Assign one to an unassigned work order."
        facts={facts}
      />
      <Column
        name="In progress"
        workOrders={inProgress}
        count={countOf(inProgress)}
        empty="No truck is at work. Start a dispatched work order once its driver is there."
        facts={facts}
      />
      <Column
        name="Completed today"
        workOrders={done}
        count={completed.isPending ? '' : countOf(done) + (hasMore ? '+' : '')}
        empty={completed.isPending ? 'Loading' : 'Nothing was completed today.'}
        facts={facts}
        footer={
          <>
            {completed.error && (
              <ProblemAlert problem={completed.error} onRetry={() => void completed.refetch()} />
            )}
            {hasMore && (
              <ScreenLink screen="work-orders" search={{ status: 'completed' }}>
                Open all completed work orders
              </ScreenLink>
            )}
          </>
        }
      />
    </div>
  );
}

/** Returns the work orders whose number, VIN, customer or addresses contain the text. */
function findWorkOrders(
  workOrders: readonly WorkOrder[],
  search: string,
  customers: ReadonlyMap<string, string>,
): readonly WorkOrder[] {
  const text = search.trim().toLowerCase();
  if (text === '') return workOrders;
  return workOrders.filter((one) =>
    [
      one.job_number,
      one.vin,
      one.pickup_location,
      one.dropoff_location,
      customers.get(one.customer_id ?? ''),
    ].some((value) => value?.toLowerCase().includes(text)),
  );
}

/** Maps the ids of customers to their names. */
function nameCustomers(
  ofBoard: Schemas['DispatchBoard']['customers'] = [],
  completed: readonly WorkOrderListItem[] = [],
): ReadonlyMap<string, string> {
  return new Map([
    ...ofBoard.map(({ id, company_name: name }) => [id, name] as const),
    ...completed.flatMap(({ customer_id: id, customer_name: name }) =>
      id && name ? [[id, name] as const] : [],
    ),
  ]);
}

function countOf(workOrders: readonly WorkOrder[]): string {
  return workOrders.length.toLocaleString('en-US');
}

/** Reads the work orders completed since midnight in the account's time zone. */
function useCompletedToday() {
  const today = readToday(useTimeZone());
  const query = completedTodayQuery(today);
  return api.useQuery(
    'get',
    '/work-orders',
    { params: { query } },
    { placeholderData: (previous) => previous },
  );
}
