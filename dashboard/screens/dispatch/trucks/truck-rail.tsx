import { useId, useMemo, useState } from 'react';
import type { WorkOrder } from '../../../api/records';
import { ScreenLink } from '../../../parts/url/links';
import { type BoardTruck, isFree } from '../board/board-truck';
import { FleetMap } from './map/fleet-map';
import { findPositions } from './map/positions';
import { TruckItem } from './truck-item';

const TRUCKS_SHOWN = 60;

/**
 * The fleet beside the board: a plan of the positions, and a list of all trucks. Free trucks come
 * first.
 */
export function TruckRail({
  trucks,
  active,
  waiting,
}: {
  trucks: readonly BoardTruck[];
  active: readonly WorkOrder[];
  waiting: readonly WorkOrder[];
}) {
  const headingId = useId();
  const [limit, setLimit] = useState(TRUCKS_SHOWN);
  const loads = useMemo(() => new Map(active.map((workOrder) => [workOrder.id, workOrder])), [active]);
  const positions = useMemo(() => findPositions(trucks, waiting), [trucks, waiting]);
  const freeFirst = useMemo(
    () => [...trucks].sort((a, b) => Number(isFree(b)) - Number(isFree(a))),
    [trucks],
  );
  const free = trucks.filter(isFree).length;
  return (
    <section className="dispatch-rail" aria-labelledby={headingId}>
      <div className="dispatch-row">
        <h2 id={headingId}>Trucks</h2>
        <span className="digits dispatch-count">
          {free} of {trucks.length} free
        </span>
      </div>
      {positions.length >= 2 && <FleetMap positions={positions} />}
      {trucks.length === 0 && (
        <>
          <p className="dispatch-dim">There are no trucks yet.</p>
          <ScreenLink screen="settings" search={{ tab: 'trucks' }}>
            Add trucks in Settings
          </ScreenLink>
        </>
      )}
      <ul className="dispatch-trucks" aria-labelledby={headingId}>
        {freeFirst.slice(0, limit).map((truck) => (
          <TruckItem key={truck.id} truck={truck} load={loads.get(truck.current_work_order_id ?? '')} />
        ))}
      </ul>
      {trucks.length > limit && (
        <button type="button" className="dispatch-button" onClick={() => setLimit(limit + TRUCKS_SHOWN)}>
          Show more ({trucks.length - limit} left)
        </button>
      )}
    </section>
  );
}
