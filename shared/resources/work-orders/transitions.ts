import type { WORK_ORDER_STATUSES } from '../../contracts/vocabulary.js';

export type WorkOrderStatus = (typeof WORK_ORDER_STATUSES)[number];

/** Each action has a route and changes a work order's status (docs/decisions.md §4). */
export type WorkOrderAction = 'accept' | 'assign' | 'unassign' | 'start' | 'complete' | 'cancel' | 'reopen';

interface Transition {
  from: readonly WorkOrderStatus[];
  to: WorkOrderStatus;
}

/** `assign` reassigns a dispatched work order, and swaps the truck of a work order in progress. */
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

/** The last two reasons require that a truck was there. */
export const CANCEL_REASONS = ['customer', 'club', 'provider', 'goa', 'unsuccessful'] as const;
export type CancelReason = (typeof CANCEL_REASONS)[number];
export const ON_SITE_CANCEL_REASONS: readonly CancelReason[] = ['goa', 'unsuccessful'];

/** A driver reports these steps. They are a log, not a status (docs/decisions.md §4). */
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

/** Error details list the statuses that may follow. */
export function nextStatuses(status: WorkOrderStatus): WorkOrderStatus[] {
  const targets = Object.entries(WORK_ORDER_ACTIONS)
    .filter(([action, step]) => action !== 'reopen' && action !== 'accept' && step.from.includes(status))
    .map(([, step]) => step.to);
  return [...new Set(targets)];
}
