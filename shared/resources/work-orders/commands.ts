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

export const createWorkOrder = defineCommand<WorkOrderCreate>({
  type: 'work_order.create',
  entityType: 'work_order',
  action: 'work_order.created',
  creates: true,
  schema: workOrderCreate,
  permission: 'write',
  agentScope: 'write_work_orders',
});

export const updateWorkOrder = defineCommand<WorkOrderPatch>({
  type: 'work_order.update',
  entityType: 'work_order',
  action: 'work_order.updated',
  creates: false,
  schema: workOrderPatch,
  permission: 'write',
  // No agent scope of docs/specification.md covers changing a work order.
  agentScope: null,
});

export const acceptWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.accept',
  entityType: 'work_order',
  action: 'work_order.accepted',
  creates: false,
  schema: workOrderAction,
  permission: 'approve',
  agentScope: null,
});

export const assignWorkOrder = defineCommand<WorkOrderAssign>({
  type: 'work_order.assign',
  entityType: 'work_order',
  action: 'work_order.assigned',
  creates: false,
  schema: workOrderAssign,
  permission: 'approve',
  agentScope: null,
});

export const unassignWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.unassign',
  entityType: 'work_order',
  action: 'work_order.unassigned',
  creates: false,
  schema: workOrderAction,
  permission: 'approve',
  agentScope: null,
});

export const startWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.start',
  entityType: 'work_order',
  action: 'work_order.started',
  creates: false,
  schema: workOrderAction,
  permission: 'write',
  agentScope: null,
});

export const logWorkOrderStep = defineCommand<WorkOrderStepEntry>({
  type: 'work_order.step',
  entityType: 'work_order',
  action: 'work_order.step_logged',
  creates: false,
  schema: workOrderStep,
  permission: 'write',
  agentScope: null,
});

export const completeWorkOrder = defineCommand<WorkOrderComplete>({
  type: 'work_order.complete',
  entityType: 'work_order',
  action: 'work_order.completed',
  creates: false,
  schema: workOrderComplete,
  permission: 'write',
  agentScope: null,
});

export const cancelWorkOrder = defineCommand<WorkOrderCancel>({
  type: 'work_order.cancel',
  entityType: 'work_order',
  action: 'work_order.cancelled',
  creates: false,
  schema: workOrderCancel,
  permission: 'approve',
  agentScope: null,
});

export const reopenWorkOrder = defineCommand<WorkOrderAction>({
  type: 'work_order.reopen',
  entityType: 'work_order',
  action: 'work_order.reopened',
  creates: false,
  schema: workOrderAction,
  permission: 'approve',
  agentScope: null,
});
