import type { Schemas, WorkOrder } from '../../api/records';
import { humanize } from '../record/status-badge';

export type ActionName =
  | 'accept'
  | 'assign'
  | 'unassign'
  | 'start'
  | 'step'
  | 'complete'
  | 'cancel'
  | 'reopen'
  | 'edit';

interface Rule {
  label: string;
  permission: Schemas['Permission'];
  /** The statuses in which the API allows the action; a work order has no `allowed_actions`. */
  from: readonly WorkOrder['status'][];
}

const OPEN = ['pending', 'dispatched', 'in_progress'] as const;

export const ACTIONS: Readonly<Record<ActionName, Rule>> = {
  accept: { label: 'Accept', permission: 'approve', from: ['pending'] },
  start: { label: 'Start', permission: 'write', from: ['dispatched'] },
  complete: { label: 'Complete', permission: 'write', from: ['in_progress'] },
  assign: { label: 'Assign', permission: 'approve', from: OPEN },
  unassign: { label: 'Unassign', permission: 'approve', from: ['dispatched'] },
  step: { label: 'Log step', permission: 'write', from: ['dispatched', 'in_progress'] },
  reopen: { label: 'Reopen', permission: 'approve', from: ['completed', 'cancelled'] },
  cancel: { label: 'Cancel', permission: 'approve', from: OPEN },
  edit: { label: 'Edit', permission: 'write', from: [...OPEN, 'completed', 'cancelled'] },
};

/** The action that usually comes next in a status. */
export const NEXT_ACTION: Readonly<Partial<Record<WorkOrder['status'], ActionName>>> = {
  pending: 'assign',
  dispatched: 'start',
  in_progress: 'complete',
};

/** The steps of a driver, in their usual order, with what each means. */
export const STEPS: Readonly<Record<Schemas['DriverStep'], string>> = {
  offered: 'The work order was offered to the driver',
  acknowledged: 'The driver accepted it',
  en_route: 'On the way to the vehicle',
  on_scene: 'At the vehicle',
  hooked: 'The vehicle is hooked or loaded',
  towing: 'On the way to the destination',
  at_destination: 'At the destination',
  cleared: 'The vehicle is unloaded, and the truck is free',
};

export const CANCEL_REASONS: Readonly<Record<Schemas['CancelReason'], string>> = {
  customer: 'The customer cancelled',
  club: 'The motor club cancelled',
  provider: 'We cancelled',
  goa: 'Gone on arrival: the vehicle was not there',
  unsuccessful: 'The truck was there and could not do the work',
};

export const STEP_NAMES = Object.keys(STEPS) as Schemas['DriverStep'][];

/** The options of a select for steps: "On scene". */
export const STEP_OPTIONS = STEP_NAMES.map((value) => ({ value, label: humanize(value) }));
