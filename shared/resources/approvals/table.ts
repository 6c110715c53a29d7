import { type ResourceTable, readScope } from '../../records/resource-table.js';
import { approvalRepresentation } from './representation.js';

export const approvalTable: ResourceTable = {
  entityType: 'approval',
  table: 'approvals',
  collection: '/approvals',
  representation: approvalRepresentation,
  readAccess: readScope('propose_approvals'),
};
