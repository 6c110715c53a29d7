import { READ, type ResourceTable } from '../../records/resource-table.js';
import { terminalPaymentFields } from './fields.js';

export const terminalPaymentTable: ResourceTable = {
  entityType: 'terminal_payment',
  table: 'terminal_payments',
  collection: '/terminal-payments',
  label: 'card reader payment',
  representation: terminalPaymentFields.representation,
  readAccess: READ,
};
