import type { WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';

export type WorkOrderStatus = (typeof WORK_ORDER_STATUSES)[number];

/** The actions that are routes and change a job's state (decisions 4). */
export type WorkOrderAction = 'accept' | 'assign' | 'unassign' | 'start' | 'complete' | 'cancel' | 'reopen';

interface Step {
  from: readonly WorkOrderStatus[];
  to: WorkOrderStatus;
}

/** The table of decisions 4. `assign` of a dispatched job is a reassignment, of one in progress the swap of its truck. */
export const WORK_ORDER_ACTIONS: Readonly<Record<WorkOrderAction, Step>> = {
  accept: { from: ['pending'], to: 'pending' },
  assign: { from: ['pending', 'dispatched', 'in_progress'], to: 'dispatched' },
  unassign: { from: ['dispatched'], to: 'pending' },
  start: { from: ['dispatched'], to: 'in_progress' },
  complete: { from: ['in_progress'], to: 'completed' },
  cancel: { from: ['pending', 'dispatched', 'in_progress'], to: 'cancelled' },
  // A signed-in person's alone, while no invoice is released.
  reopen: { from: ['completed', 'cancelled'], to: 'pending' },
};

/** Why a job is called off; the last two only once somebody was there. */
export const CANCEL_REASONS = ['customer', 'club', 'provider', 'goa', 'unsuccessful'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
export const CANCEL_REASONS_ON_SITE: readonly CancelReason[] = ['goa', 'unsuccessful'];

/** What a driver reports on the way; a log, not a state (decisions 4). */
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

/** The states a job may go to from this one, as an error names them. */
export function nextStatuses(status: WorkOrderStatus): WorkOrderStatus[] {
  const targets = Object.entries(WORK_ORDER_ACTIONS)
    .filter(([action, step]) => action !== 'reopen' && action !== 'accept' && step.from.includes(status))
    .map(([, step]) => step.to);
  return [...new Set(targets)];
}
