import type { Schemas, WorkOrder } from '../../api/records';

export type ActionName = Schemas['WorkOrderActionName'] | 'edit';

interface Action {
  label: string;
  permission: Schemas['Permission'];
}

/**
 * The actions on work orders, with their texts. A work order's `allowed_actions` lists the actions
 * that its state allows.
 */
export const ACTIONS: Readonly<Record<ActionName, Action>> = {
  accept: { label: 'Accept', permission: 'approve' },
  start: { label: 'Start', permission: 'write' },
  complete: { label: 'Complete', permission: 'write' },
  assign: { label: 'Assign', permission: 'approve' },
  unassign: { label: 'Unassign', permission: 'approve' },
  step: { label: 'Log step', permission: 'write' },
  reopen: { label: 'Reopen', permission: 'approve' },
  cancel: { label: 'Cancel', permission: 'approve' },
  edit: { label: 'Edit', permission: 'write' },
};

/** For each status, the action that usually follows. */
export const NEXT_ACTION: Readonly<Partial<Record<WorkOrder['status'], ActionName>>> = {
  pending: 'assign',
  dispatched: 'start',
  in_progress: 'complete',
};
