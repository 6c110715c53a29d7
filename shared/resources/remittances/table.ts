import { READ, type ResourceTable } from '../../records/resource-table.js';
import { remittanceFields } from './fields.js';

export const remittanceTable: ResourceTable = {
  entityType: 'remittance',
  table: 'remittances',
  collection: '/remittances',
  representation: remittanceFields.representation,
  rowFilter: 'deleted_at is null',
  readAccess: READ,
};
