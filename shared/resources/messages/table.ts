import { READ, type ResourceTable } from '../../records/resource-table.js';
import { messageRepresentation } from './representation.js';

export const messageTable: ResourceTable = {
  entityType: 'message',
  table: 'messages',
  collection: '/messages',
  representation: messageRepresentation,
  readAccess: READ,
};
