import { READ, type ResourceTable } from '../../records/resource-table.js';
import { eventRepresentation } from './representation.js';

export const eventTable: ResourceTable = {
  entityType: 'event',
  table: 'events',
  collection: '/events',
  representation: eventRepresentation,
  readAccess: READ,
};
