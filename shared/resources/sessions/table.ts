import { READ, type ResourceTable } from '../../records/resource-table.js';
import { sessionRepresentation } from './representation.js';

export const sessionTable: ResourceTable = {
  entityType: 'session',
  table: 'sessions',
  collection: '/session',
  representation: sessionRepresentation,
  readAccess: READ,
};
