import type { DragEvent } from 'react';
import type { WorkOrder } from '../../../api/records';
import { nameTruck } from '../../../parts/choices/name-truck';
import { announce, ask, readCardState } from '../writes/card-store';
import type { Act } from '../writes/work-order-actions';
import type { BoardTruck } from './board-truck';
import { type BoardView, type ColumnName, columnOf } from './board-view';

/** The dragged work order. Browsers hide the dragged data from events until the drop. */
let dragged: WorkOrder | undefined;

export function startDrag(event: DragEvent<HTMLElement>, workOrder: WorkOrder): void {
  dragged = workOrder;
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData('text/plain', workOrder.job_number);
}

export function endDrag(): void {
  dragged = undefined;
}

/**
 * Returns the event handlers of an element that accepts dropped cards, such as a column or a truck.
 * The element is highlighted while a card is over it.
 */
export function takeCards(onCard: (workOrder: WorkOrder) => void) {
  return {
    onDragOver: (event: DragEvent<HTMLElement>) => {
      if (!dragged) return;
      event.preventDefault();
      event.currentTarget.dataset.over = '';
    },
    onDragLeave: (event: DragEvent<HTMLElement>) => {
      if (event.currentTarget.contains(event.relatedTarget as Node | null)) return;
      delete event.currentTarget.dataset.over;
    },
    onDrop: (event: DragEvent<HTMLElement>) => {
      event.preventDefault();
      delete event.currentTarget.dataset.over;
      const workOrder = dragged;
      dragged = undefined;
      if (workOrder) onCard(workOrder);
    },
  };
}

/** Assigns the truck on which a card was dropped. */
export function dropOnTruck(act: Act, workOrder: WorkOrder, truck: BoardTruck): void {
  if (workOrder.truck_id === truck.id) return;
  void act(workOrder, { name: 'assign', truckId: truck.id, truckName: nameTruck(truck) });
}

/**
 * Runs the action that moves the work order to the column of the drop. If no action does so,
 * explains why.
 */
export function dropOnColumn({ act, trucks }: BoardView, workOrder: WorkOrder, column: ColumnName): void {
  const { id, job_number: number, status } = workOrder;
  if (columnOf(workOrder) === column) return;
  if (column === 'Dispatched' && status === 'pending') assignChosen(act, workOrder, trucks);
  else if (column === 'In progress' && status === 'dispatched') void act(workOrder, { name: 'start' });
  else if (column === 'Unassigned' && status === 'dispatched') ask({ kind: 'unassign', workOrderId: id });
  else if (column === 'Completed today' && status === 'in_progress') {
    ask({ kind: 'complete', workOrderId: id });
  } else announce(`${number} cannot go from ${columnOf(workOrder)} to ${column}. Nothing was changed.`);
}

function assignChosen(act: Act, workOrder: WorkOrder, trucks: BoardView['trucks']): void {
  const truck = trucks.get(readCardState(workOrder.id).truckId ?? '');
  if (truck) dropOnTruck(act, workOrder, truck);
  else announce(`Choose a truck for ${workOrder.job_number} first, or drop it on a truck.`);
}
