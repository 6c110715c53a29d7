import { READ, type ResourceTable } from '../../records/resource-table.js';
import { remittanceLineFields } from './fields.js';

export const remittanceLineTable: ResourceTable = {
  entityType: 'remittance_line',
  table: 'remittance_lines',
  collection: '/remittance-lines',
  representation: remittanceLineFields.representation,
  readAccess: READ,
};
