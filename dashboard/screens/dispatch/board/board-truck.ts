import type { Schemas } from '../../../api/records';

export type BoardTruck = Schemas['BoardTruck'];

/** True if the truck can take a work order now. */
export function isFree({ status, current_work_order_id: current }: BoardTruck): boolean {
  return current === null && status !== 'off_duty' && status !== 'out_of_service';
}
