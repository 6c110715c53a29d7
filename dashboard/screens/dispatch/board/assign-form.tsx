import { type FormEvent, useRef } from 'react';
import type { WorkOrder } from '../../../api/records';
import { nameTruck } from '../../../parts/choices/name-truck';
import { humanize } from '../../../parts/record/status-badge';
import { type CardState, changeCard } from '../writes/card-store';
import { useBoard } from './board-view';
import { useIsNear } from './use-is-near';

/** The form to assign a truck, once its card is near the visible part of its column. */
export function AssignForm({ workOrder, state }: { workOrder: WorkOrder; state: CardState }) {
  const place = useRef<HTMLDivElement>(null);
  const isNear = useIsNear(place);
  return (
    <div ref={place} className="dispatch-assign-place">
      {isNear && <Fields workOrder={workOrder} state={state} />}
    </div>
  );
}

/**
 * Chooses a truck and assigns it. Uses a native select, because each card has one and rendering
 * must stay fast. The form keeps the choice even if a colleague changes the work order or takes the
 * truck.
 */
function Fields({ workOrder, state }: { workOrder: WorkOrder; state: CardState }) {
  const { act, trucks, freeTrucks, choices } = useBoard();
  const { truckId = '', isRunning = false } = state;
  const fieldId = `truck-of-${workOrder.id}`;
  const chosen = trucks.get(truckId);
  const isChosenListed = choices.some(({ id }) => id === truckId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!chosen || isRunning) return;
    void act(workOrder, { name: 'assign', truckId, truckName: nameTruck(chosen) });
  };
  return (
    <form className="dispatch-assign" onSubmit={submit}>
      <label htmlFor={fieldId}>Truck</label>
      <select
        id={fieldId}
        value={truckId}
        onChange={(event) => changeCard(workOrder.id, { truckId: event.currentTarget.value || undefined })}
      >
        <option value="">{freeTrucks.length > 0 ? 'Choose' : 'No truck is free'}</option>
        {chosen && !isChosenListed && (
          <option value={chosen.id}>
            {nameTruck(chosen)} ({humanize(chosen.status).toLowerCase()})
          </option>
        )}
        {choices.map((truck) => (
          <option key={truck.id} value={truck.id}>
            {describe(truck)}
          </option>
        ))}
      </select>
      <button type="submit" className="dispatch-button" data-primary disabled={!chosen || isRunning}>
        {isRunning ? 'Saving' : 'Assign'}
      </button>
    </form>
  );
}

function describe(truck: {
  unit_number: string;
  duty_class: string;
  driver: { name: string } | null;
}): string {
  const driver = truck.driver ? `, ${truck.driver.name}` : '';
  return `${nameTruck(truck)} (${truck.duty_class}${driver})`;
}
