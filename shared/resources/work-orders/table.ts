import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { defineStoredJson } from '../../records/stored-json/stored-json.js';
import { workOrderFields } from './fields.js';

export const workOrderTable: ResourceTable = {
  entityType: 'work_order',
  table: 'work_orders',
  collection: '/work-orders',
  /** REST clients see `pending` before and after acceptance (docs/decisions.md §1, row 3). */
  representation: workOrderFields.representation,
  stored: defineStoredJson(workOrderFields),
  readAccess: readScope('read_work_orders'),
};
