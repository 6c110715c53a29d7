import { READ, type ResourceTable } from '../../records/resource-table.js';
import { noticeFields } from './fields.js';

export const noticeTable: ResourceTable = {
  entityType: 'notice',
  table: 'notices',
  collection: '/notices',
  representation: noticeFields.representation,
  readAccess: READ,
};
