import { READ, type ResourceTable } from '../../records/resource-table.js';
import { refundFields } from '../payments/fields.js';

export const refundTable: ResourceTable = {
  entityType: 'refund',
  table: 'refunds',
  collection: '/refunds',
  representation: refundFields.representation,
  readAccess: READ,
};
