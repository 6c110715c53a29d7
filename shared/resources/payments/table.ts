import { READ, type ResourceTable } from '../../records/resource-table.js';
import { paymentFields } from './fields.js';

export const paymentTable: ResourceTable = {
  entityType: 'payment',
  table: 'payments',
  collection: '/payments',
  representation: paymentFields.representation,
  readAccess: READ,
};
