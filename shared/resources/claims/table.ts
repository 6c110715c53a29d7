import { READ, type ResourceTable } from '../../records/resource-table.js';
import { claimRepresentation } from './representation.js';

export const claimTable: ResourceTable = {
  entityType: 'claim',
  table: 'claims',
  collection: '/claims',
  representation: claimRepresentation,
  readAccess: READ,
};
