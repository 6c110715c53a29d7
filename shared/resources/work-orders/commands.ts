import { defineCommand } from '../../contracts/command.js';
import type { WorkOrderCreate, WorkOrderPatch } from '../../contracts/generated.js';
import { workOrderCreate, workOrderPatch } from './schema.js';

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
  // No scope of the specification covers changing a work order.
  agentScope: null,
});
