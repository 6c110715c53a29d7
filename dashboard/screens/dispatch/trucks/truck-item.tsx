import { memo, useRef } from 'react';
import { client, ifMatch } from '../../../api/client';
import type { Schemas, WorkOrder } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { nameTruck } from '../../../parts/choices/name-truck';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { humanize, StatusBadge } from '../../../parts/record/status-badge';
import type { BoardTruck } from '../board/board-truck';
import { useBoard } from '../board/board-view';
import { dropOnTruck, takeCards } from '../board/drag';
import { useIsNear } from '../board/use-is-near';
import { announce } from '../writes/card-store';

type Settable = Schemas['SettableTruckStatus'];

const SETTABLE: readonly Settable[] = ['available', 'returning', 'off_duty', 'out_of_service'];

/**
 * A truck in the rail, with its status, driver and load. A card dropped on it assigns the truck.
 */
export const TruckItem = memo(
  function TruckItem({ truck, load }: { truck: BoardTruck; load: WorkOrder | undefined }) {
    const { act, open, hrefOf, canWrite } = useBoard();
    return (
      <li className="dispatch-truck-item" {...takeCards((workOrder) => dropOnTruck(act, workOrder, truck))}>
        <div className="dispatch-row">
          <strong>{nameTruck(truck)}</strong>
          {canWrite && truck.current_work_order_id === null ? (
            <Status truck={truck} />
          ) : (
            // The work order determines the status of its truck, so show the status without a
            // control.
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

/** The status of a truck. A person can change it once the truck is near the visible part. */
function Status({ truck }: { truck: BoardTruck }) {
  const place = useRef<HTMLSpanElement>(null);
  const isNear = useIsNear(place);
  if (isNear) return <StatusSelect truck={truck} />;
  return (
    <span ref={place}>
      <StatusBadge status={truck.status} />
    </span>
  );
}

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
