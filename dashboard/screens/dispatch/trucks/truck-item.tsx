import { memo } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas, WorkOrder } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { nameTruck } from '../../../parts/choices/name-truck';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import type { BoardTruck } from '../board/board-truck';
import { useBoard } from '../board/board-view';
import { dropOnTruck, takeCards } from '../board/drag';
import { announce } from '../writes/card-store';

type Settable = Schemas['SettableTruckStatus'];

const SETTABLE: readonly Settable[] = ['available', 'returning', 'off_duty', 'out_of_service'];

/**
 * A truck in the rail: what it does, who drives it, and its load. Takes a card that is dropped on
 * it.
 */
export const TruckItem = memo(
  function TruckItem({ truck, load }: { truck: BoardTruck; load: WorkOrder | undefined }) {
    const { act, open, hrefOf, canWrite } = useBoard();
    return (
      <li className="dispatch-truck-item" {...takeCards((workOrder) => dropOnTruck(act, workOrder, truck))}>
        <div className="dispatch-row">
          <strong>{nameTruck(truck)}</strong>
          {canWrite && truck.current_work_order_id === null ? (
            <StatusSelect truck={truck} />
          ) : (
            // Nobody sets the status of a truck that has a work order, because it follows from the
            // work order.
            <StatusBadge status={truck.status} />
          )}
        </div>
        <div className="dispatch-dim">
          {humanize(truck.duty_class)} · {truck.driver?.name ?? 'No driver'}
        </div>
        {load && (
          <div>
            Load:{' '}
            <a
              href={hrefOf(load.id)}
              onClick={(event) => {
                if (event.metaKey || event.ctrlKey || event.shiftKey) return;
                event.preventDefault();
                open(load.id);
              }}
            >
              {load.job_number}
            </a>{' '}
            {humanize(load.service_type)}
          </div>
        )}
      </li>
    );
  },
  (before, after) =>
    before.truck.updated_at === after.truck.updated_at &&
    before.truck.status === after.truck.status &&
    before.truck.driver?.updated_at === after.truck.driver?.updated_at &&
    before.load?.updated_at === after.load?.updated_at &&
    before.load?.id === after.load?.id,
);

function StatusSelect({ truck }: { truck: BoardTruck }) {
  const write = useWrite((headers, status: Settable) =>
    client.PATCH('/trucks/{id}', {
      params: { path: { id: truck.id }, header: { ...headers, ...ifMatch(truck) } },
      body: { status },
    }),
  );
  const set = async (status: Settable) => {
    if (await write.run(status)) announce(`${nameTruck(truck)} is ${humanize(status).toLowerCase()}`);
  };
  return (
    <>
      <select
        aria-label={`Status of ${nameTruck(truck)}`}
        value={truck.status}
        disabled={write.isRunning}
        onChange={(event) => void set(event.currentTarget.value as Settable)}
      >
        {SETTABLE.map((status) => (
          <option key={status} value={status}>
            {humanize(status)}
          </option>
        ))}
      </select>
      {write.problem && <ProblemAlert problem={write.problem} />}
    </>
  );
}
