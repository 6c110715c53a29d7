import type { Schemas, WorkOrder } from '../../api/records';
import { DRIVER_STEP } from '../../generated/vocabulary';
import { wordsOf } from '../choices/words';
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

/** The steps of a driver, in their usual order. */
export const STEP_NAMES = wordsOf(DRIVER_STEP);

/** The options of a select for steps: "On scene". */
export const STEP_OPTIONS = STEP_NAMES.map((value) => ({ value, label: humanize(value) }));
