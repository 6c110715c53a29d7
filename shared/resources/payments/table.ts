import { READ, type ResourceTable } from '../../records/resource-table.js';
import { paymentRepresentation } from './representation.js';

export const paymentTable: ResourceTable = {
  entityType: 'payment',
  table: 'payments',
  collection: '/payments',
  representation: paymentRepresentation,
  readAccess: READ,
};
