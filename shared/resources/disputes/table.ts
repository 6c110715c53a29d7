import { READ, type ResourceTable } from '../../records/resource-table.js';
import { disputeFields } from './fields.js';

export const disputeTable: ResourceTable = {
  entityType: 'dispute',
  table: 'disputes',
  collection: '/disputes',
  representation: disputeFields.representation,
  readAccess: READ,
};
