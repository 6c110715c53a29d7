import type { Schemas } from '../../../api/records';

export type BoardTruck = Schemas['BoardTruck'];

/** How people call a truck: "Truck 12". A unit number may already say so. */
export function nameTruck({ unit_number: number }: { unit_number: string }): string {
  return /^truck\b/i.test(number) ? number : `Truck ${number}`;
}

/** True if the truck can take a work order now. */
export function isFree({ status, current_work_order_id: current }: BoardTruck): boolean {
  return current === null && status !== 'off_duty' && status !== 'out_of_service';
}
