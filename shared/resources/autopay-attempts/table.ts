import { READ, type ResourceTable } from '../../records/resource-table.js';
import { autopayAttemptFields } from './fields.js';

export const autopayAttemptTable: ResourceTable = {
  entityType: 'autopay_attempt',
  table: 'autopay_attempts',
  collection: '/autopay-attempts',
  representation: autopayAttemptFields.representation,
  readAccess: READ,
};
