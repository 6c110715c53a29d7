import { Button, Group, Stack, Title } from '@mantine/core';
import { useCallback, useDeferredValue, useMemo } from 'react';
import { api } from '../../api/client';
import type { Schemas, WorkOrder } from '../../api/records';
import { useCan, useTimeZone } from '../../api/session';
import { Loading } from '../../parts/basics/loading';
import { ProblemAlert } from '../../parts/feedback/problem-alert';
import { FilterBar, SEARCH } from '../../parts/list/filters';
import { useUrl, useUrlSearch } from '../../parts/url/use-url';
import { CopyButton } from '../../parts/values/copy';
import { readToday } from '../../parts/values/zoned-time';
import { Board } from './board/board';
import { BOARD_QUERY, buildBoardCurl } from './board/board-reads';
import { BoardContext, type BoardView } from './board/board-view';
import './dispatch.css';
import { isFree } from './board/board-truck';
import { ClubOffers } from './offers/club-offers';
import { TruckRail } from './trucks/truck-rail';
import { useAnnouncement } from './writes/card-store';
import { QuestionDialog } from './writes/question-dialog';
import { useBoardActions } from './writes/work-order-actions';

const FILTERS = [SEARCH];
const NO_TRUCKS: readonly Schemas['BoardTruck'][] = [];
const BOARD = { params: { query: BOARD_QUERY } } as const;

/** The dispatch board: work orders by status, the trucks beside them. */
export function DispatchScreen() {
  // Do not compare each read with the previous one. Every read changes the age of every work order,
  // so all cards render anyway.
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
        <Group gap="xs">
          <CopyCurl />
          <NewWorkOrder />
        </Group>
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
  // Paint the columns first, and the trucks beside them later. The trucks take a fourth of the
  // rendering time.
  const rail = useDeferredValue(board, undefined);
  const find = (id: string): WorkOrder | undefined =>
    active.find((one) => one.id === id) ?? unassigned.find((one) => one.id === id);
  return (
    <BoardContext value={view}>
      <ClubOffers />
      <div className="dispatch-layout">
        <Board board={board} />
        {rail ? (
          <TruckRail trucks={rail.trucks} active={rail.active_jobs} waiting={rail.unassigned_work_orders} />
        ) : (
          <div className="dispatch-rail" />
        )}
      </div>
      <QuestionDialog find={find} />
    </BoardContext>
  );
}

/**
 * Returns the object that all cards share. It stays the same object until one of its values
 * changes.
 */
function useBoardView(trucks: Schemas['BoardTruck'][]): BoardView {
  const act = useBoardActions();
  const canDispatch = useCan('approve');
  const canWrite = useCan('write');
  const { openRecord, router } = useUrl();
  const { env } = useUrlSearch();
  // Build the drawer's address once. The router would build the address again for every card.
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
  // biome-ignore lint/correctness/useExhaustiveDependencies: no card shows a truck's position
  const fleet = useMemo(
    () => ({ trucks: new Map(trucks.map((truck) => [truck.id, truck])), freeTrucks: trucks.filter(isFree) }),
    [key],
  );
  // Paint the cards first, and the options of their selects later. A hundred cards with thirty free
  // trucks have 3,000 options, and people read a card before they choose a truck.
  const choices = useDeferredValue(fleet.freeTrucks, NO_TRUCKS);
  return useMemo(
    () => ({ ...fleet, choices, act, open: openRecord, hrefOf, canDispatch, canWrite }),
    [fleet, choices, act, openRecord, hrefOf, canDispatch, canWrite],
  );
}

function CopyCurl() {
  return <CopyButton text={buildBoardCurl(readToday(useTimeZone()))} label="curl for this view" />;
}

function NewWorkOrder() {
  const canWrite = useCan('write');
  const { openScreen } = useUrl();
  if (!canWrite) return null;
  return <Button onClick={() => openScreen('work-orders/new')}>New work order</Button>;
}

/** Describes the last action in words, for people who cannot see the cards move. */
function Announcement() {
  const text = useAnnouncement();
  return (
    <p className="dispatch-announcement" role="status" aria-live="polite">
      {text}
    </p>
  );
}
