import { READ, type ResourceTable } from '../../records/resource-table.js';
import { claimFields } from './fields.js';

export const claimTable: ResourceTable = {
  entityType: 'claim',
  table: 'claims',
  collection: '/claims',
  representation: claimFields.representation,
  readAccess: READ,
};
