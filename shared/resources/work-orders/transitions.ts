import { ACTIVE_STATUSES, type WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';

export type WorkOrderStatus = (typeof WORK_ORDER_STATUSES)[number];

/** The actions on work orders, each with a route of its own (docs/decisions.md §4). */
export type WorkOrderAction = 'accept' | 'assign' | 'unassign' | 'start' | 'complete' | 'cancel' | 'reopen';

interface Transition {
  from: readonly WorkOrderStatus[];
  to: WorkOrderStatus;
}

/**
 * The statuses from which an action starts, and the status to which it leads. `assign` may also
 * change the truck of a work order that is dispatched or in progress.
 */
export const WORK_ORDER_ACTIONS: Readonly<Record<WorkOrderAction, Transition>> = {
  accept: { from: ['pending'], to: 'pending' },
  assign: { from: ['pending', 'dispatched', 'in_progress'], to: 'dispatched' },
  unassign: { from: ['dispatched'], to: 'pending' },
  start: { from: ['dispatched'], to: 'in_progress' },
  complete: { from: ['in_progress'], to: 'completed' },
  cancel: { from: ['pending', 'dispatched', 'in_progress'], to: 'cancelled' },
  // Only signed-in people may reopen a work order, and only while no invoice is released.
  reopen: { from: ['completed', 'cancelled'], to: 'pending' },
};

/**
 * The reasons for cancelling a work order. `goa` (gone on arrival) and `unsuccessful` require that
 * a truck was on site.
 */
export const CANCEL_REASONS = ['customer', 'club', 'provider', 'goa', 'unsuccessful'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
export const ON_SITE_CANCEL_REASONS: readonly CancelReason[] = ['goa', 'unsuccessful'];

/**
 * The steps that a driver reports. They are a log and do not change the status (docs/decisions.md
 * §4).
 */
export const DRIVER_STEPS = [
  'offered',
  'acknowledged',
  'en_route',
  'on_scene',
  'hooked',
  'towing',
  'at_destination',
  'cleared',
] as const;
export type DriverStep = (typeof DRIVER_STEPS)[number];

/** The steps after which the vehicle is on the truck, or was. */
const LOADED_STEPS: readonly (string | null)[] = ['hooked', 'towing', 'at_destination', 'cleared'];
const ON_SITE_STEPS: readonly (string | null)[] = ['on_scene', ...LOADED_STEPS];

/** What shows where the truck of a work order is. */
interface TruckState {
  status: WorkOrderStatus;
  /** The last step that the driver reported for the truck that is assigned now. */
  step: string | null;
}

/**
 * True if the truck has reached the pickup. The last step decides. Companies that report no steps
 * start a work order there, so without a step the status decides.
 */
export function hasReachedPickup({ status, step }: TruckState): boolean {
  if (!ACTIVE_STATUSES.includes(status)) return false;
  return ON_SITE_STEPS.includes(step) || (status === 'in_progress' && step !== 'en_route');
}

/** True if the vehicle is on the truck, or was taken off it and the work order is still active. */
export function isVehicleLoaded({ status, step }: TruckState): boolean {
  return ACTIVE_STATUSES.includes(status) && LOADED_STEPS.includes(step);
}

/** The state that determines which actions are allowed on a work order. */
export interface WorkOrderState {
  status: WorkOrderStatus;
  /** False until an operator accepts a work order that an agent has booked. */
  isAccepted: boolean;
  /** True if an invoice of the work order was sent, paid or disputed. */
  isBilled: boolean;
}

/** Lists the actions that an operator may take in this state. `step` logs a driver's step. */
export function listAllowedActions({
  status,
  isAccepted,
  isBilled,
}: WorkOrderState): (WorkOrderAction | 'step')[] {
  const actions = (Object.keys(WORK_ORDER_ACTIONS) as WorkOrderAction[])
    .filter((action) => WORK_ORDER_ACTIONS[action].from.includes(status))
    .filter((action) => action !== 'accept' || !isAccepted)
    .filter((action) => action !== 'reopen' || !isBilled);
  return ACTIVE_STATUSES.includes(status) ? [...actions, 'step'] : actions;
}

/**
 * Returns the statuses that may follow `status`. Omits statuses that only reopening leads to.
 * Error details show these statuses.
 */
export function nextStatuses(status: WorkOrderStatus): WorkOrderStatus[] {
  const targets = Object.entries(WORK_ORDER_ACTIONS)
    .filter(([action, { from }]) => action !== 'reopen' && action !== 'accept' && from.includes(status))
    .map(([, { to }]) => to);
  return [...new Set(targets)];
}
