import { READ, type ResourceTable } from '../../records/resource-table.js';
import { noticeRepresentation } from './representation.js';

export const noticeTable: ResourceTable = {
  entityType: 'notice',
  table: 'notices',
  collection: '/notices',
  representation: noticeRepresentation,
  readAccess: READ,
};
