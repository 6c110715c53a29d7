import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { approvalFields } from './fields.js';

export const approvalTable: ResourceTable = {
  entityType: 'approval',
  table: 'approvals',
  collection: '/approvals',
  representation: approvalFields.representation,
  readAccess: readScope('propose_approvals'),
};
