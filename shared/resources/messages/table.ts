import { READ, type ResourceTable } from '../../records/resource-table.js';
import { messageFields } from './fields.js';

export const messageTable: ResourceTable = {
  entityType: 'message',
  table: 'messages',
  collection: '/messages',
  representation: messageFields.representation,
  readAccess: READ,
};
