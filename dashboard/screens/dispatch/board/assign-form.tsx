import { type FormEvent, useId } from 'react';
import type { WorkOrder } from '../../../api/records';
import { nameTruck } from '../../../parts/choices/name-truck';
import { humanize } from '../../../parts/record/status-badge';
import { changeCard, useCardState } from '../writes/card-store';
import { useBoard } from './board-view';

/**
 * Chooses a truck and assigns it. A native select, because one per card must stay cheap. The choice
 * is kept when somebody else changes the work order, or takes the truck, in between.
 */
export function AssignForm({ workOrder }: { workOrder: WorkOrder }) {
  const { act, trucks, freeTrucks } = useBoard();
  const { truckId = '', isRunning = false } = useCardState(workOrder.id);
  const fieldId = useId();
  const chosen = trucks.get(truckId);
  const isChosenFree = freeTrucks.some(({ id }) => id === truckId);
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
        {chosen && !isChosenFree && (
          <option value={chosen.id}>
            {nameTruck(chosen)} ({humanize(chosen.status).toLowerCase()})
          </option>
        )}
        {freeTrucks.map((truck) => (
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
