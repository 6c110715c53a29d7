import { Button, Group, Stack, Title } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import { api } from '../../api/client';
import type { Schemas, WorkOrder } from '../../api/records';
import { useCan } from '../../api/session';
import { Loading } from '../../parts/basics/loading';
import { ProblemAlert } from '../../parts/feedback/problem-alert';
import { FilterBar, SEARCH } from '../../parts/list/filters';
import { useUrl, useUrlSearch } from '../../parts/url/use-url';
import { Board } from './board/board';
import { BoardContext, type BoardView } from './board/board-view';
import './dispatch.css';
import { isFree } from './board/board-truck';
import { TruckRail } from './trucks/truck-rail';
import { useAnnouncement } from './writes/card-store';
import { QuestionDialog } from './writes/question-dialog';
import { useBoardActions } from './writes/work-order-actions';

const FILTERS = [SEARCH];
const BOARD = { params: { query: { expand: 'names' } } } as const;

/** The dispatch board: work orders by status, the trucks beside them. */
export function DispatchScreen() {
  // The age of every work order changes with every read, so comparing the reads saves nothing.
  const reading = api.useQuery('get', '/dispatch-board', BOARD, { structuralSharing: false });
  const { data, error, isPending, refetch } = reading;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        <Title order={1} size="h2">
          Dispatch
        </Title>
        <Announcement />
        <FilterBar filters={FILTERS} />
        <NewWorkOrder />
      </Group>
      {isPending && <Loading label="Loading the board" rows={10} />}
      {error !== null && !data && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {data && <Content board={data} />}
    </Stack>
  );
}

function Content({ board }: { board: Schemas['DispatchBoard'] }) {
  const view = useBoardView(board.trucks);
  const { active_jobs: active, unassigned_work_orders: unassigned } = board;
  const find = (id: string): WorkOrder | undefined =>
    active.find((one) => one.id === id) ?? unassigned.find((one) => one.id === id);
  return (
    <BoardContext value={view}>
      <div className="dispatch-layout">
        <Board board={board} />
        <TruckRail trucks={board.trucks} active={active} waiting={unassigned} />
      </div>
      <QuestionDialog find={find} />
    </BoardContext>
  );
}

/**
 * Returns the view that the cards share. It stays the same object until something in it changes.
 */
function useBoardView(trucks: Schemas['BoardTruck'][]): BoardView {
  const act = useBoardActions();
  const canDispatch = useCan('approve');
  const canWrite = useCan('write');
  const { openRecord, router } = useUrl();
  const { env } = useUrlSearch();
  // Build the drawer's address once. The router would build it anew for every card.
  const [path = '', query] = useMemo(
    () =>
      router.buildLocation({ to: '/dispatch', search: (env ? { env } : {}) as never }).publicHref.split('?'),
    [router, env],
  );
  const hrefOf = useCallback((id: string) => `${path}/${id}${query ? `?${query}` : ''}`, [path, query]);
  const key = JSON.stringify(
    trucks.map((truck) => [
      truck.id,
      truck.unit_number,
      truck.status,
      truck.current_work_order_id,
      truck.driver,
    ]),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: no card shows positions
  const fleet = useMemo(
    () => ({ trucks: new Map(trucks.map((truck) => [truck.id, truck])), freeTrucks: trucks.filter(isFree) }),
    [key],
  );
  return useMemo(
    () => ({ ...fleet, act, open: openRecord, hrefOf, canDispatch, canWrite }),
    [fleet, act, openRecord, hrefOf, canDispatch, canWrite],
  );
}

function NewWorkOrder() {
  const canWrite = useCan('write');
  const { openScreen } = useUrl();
  if (!canWrite) return null;
  return <Button onClick={() => openScreen('work-orders/new')}>New work order</Button>;
}

/** Says what was done, for people who do not see the cards move. */
function Announcement() {
  const text = useAnnouncement();
  return (
    <p className="dispatch-announcement" role="status" aria-live="polite">
      {text}
    </p>
  );
}
