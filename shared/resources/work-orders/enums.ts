import { namedEnum } from '../../contracts/named-enum.js';
import { CANCEL_REASONS, DRIVER_STEPS, WORK_ORDER_ACTIONS, type WorkOrderAction } from './transitions.js';

export const driverStep = namedEnum('DriverStep', DRIVER_STEPS, {
  offered: 'The job was offered to the driver',
  acknowledged: 'The driver accepted it',
  en_route: 'On the way to the vehicle',
  on_scene: 'At the vehicle',
  hooked: 'The vehicle is hooked or loaded',
  towing: 'On the way to the destination',
  at_destination: 'At the destination',
  cleared: 'The vehicle is unloaded, and the truck is free',
});

const actionNames = [...(Object.keys(WORK_ORDER_ACTIONS) as WorkOrderAction[]), 'step' as const];

export const workOrderActionName = namedEnum('WorkOrderActionName', actionNames, {
  accept: 'Accept what an agent has booked',
  assign: 'Assign a truck, or another one',
  unassign: 'Take the truck off',
  start: 'Begin the work',
  complete: 'End the work',
  cancel: 'Abandon it',
  reopen: 'Open it again; for signed-in people',
  step: 'Log a step of the driver',
});

export const cancelReason = namedEnum('CancelReason', CANCEL_REASONS, {
  customer: 'The customer cancelled',
  club: 'The motor club cancelled',
  provider: 'The tow company cancelled',
  goa: 'Gone on arrival: the vehicle was not there',
  unsuccessful: 'The truck was there and could not do the job',
});

/**
 * The actions in the audit log that `listWorkOrderSteps` shows, without the prefix `work_order.`:
 * for example `assigned`.
 */
export const STEP_ACTIONS = [
  'created',
  'accepted',
  'assigned',
  'unassigned',
  'started',
  'step_logged',
  'completed',
  'cancelled',
  'reopened',
] as const;

export const loggedAction = namedEnum('LoggedAction', STEP_ACTIONS, {
  created: 'The work order was booked',
  accepted: 'A person accepted what an agent had booked',
  assigned: 'A truck or a driver was assigned, or the ETA changed',
  unassigned: 'The truck was taken off',
  started: 'The work began',
  step_logged: 'A step of the driver was logged',
  completed: 'The work was completed',
  cancelled: 'The work order was cancelled',
  reopened: 'The work order was opened again',
});
