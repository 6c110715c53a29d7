import { defineCommand } from '../../contracts/command.js';
import type {
  WorkOrderAction,
  WorkOrderAssign,
  WorkOrderCancel,
  WorkOrderComplete,
  WorkOrderCreate,
  WorkOrderPatch,
  WorkOrderStepEntry,
} from '../../contracts/generated.js';
import {
  workOrderAction,
  workOrderAssign,
  workOrderCancel,
  workOrderComplete,
  workOrderCreate,
  workOrderPatch,
  workOrderStep,
} from './schema.js';

export { storeDrivenMiles } from './driven/command.js';

export const createWorkOrder = defineCommand<WorkOrderCreate>({
  type: 'work_order.create',
  action: 'work_order.created',
  creates: true,
  schema: workOrderCreate,
  permission: 'write',
  agentScope: 'write_work_orders',
});

// Agents cannot submit the commands below, because no agent scope of docs/specification.md covers
// changing a work order.

export const updateWorkOrder = defineCommand<WorkOrderPatch>({
  type: 'work_order.update',
  action: 'work_order.updated',
  schema: workOrderPatch,
  permission: 'write',
});

export const acceptWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.accept',
  action: 'work_order.accepted',
  schema: workOrderAction,
  permission: 'approve',
});

export const assignWorkOrder = defineCommand<WorkOrderAssign>({
  type: 'work_order.assign',
  action: 'work_order.assigned',
  schema: workOrderAssign,
  permission: 'approve',
});

export const unassignWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.unassign',
  action: 'work_order.unassigned',
  schema: workOrderAction,
  permission: 'approve',
});

export const startWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.start',
  action: 'work_order.started',
  schema: workOrderAction,
  permission: 'write',
});

export const logWorkOrderStep = defineCommand<WorkOrderStepEntry>({
  type: 'work_order.step',
  action: 'work_order.step_logged',
  schema: workOrderStep,
  permission: 'write',
});

export const completeWorkOrder = defineCommand<WorkOrderComplete>({
  type: 'work_order.complete',
  action: 'work_order.completed',
  schema: workOrderComplete,
  permission: 'write',
});

export const cancelWorkOrder = defineCommand<WorkOrderCancel>({
  type: 'work_order.cancel',
  action: 'work_order.cancelled',
  schema: workOrderCancel,
  permission: 'approve',
});

export const reopenWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.reopen',
  action: 'work_order.reopened',
  schema: workOrderAction,
  permission: 'approve',
});
