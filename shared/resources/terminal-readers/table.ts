import { READ, type ResourceTable } from '../../records/resource-table.js';
import { terminalReaderFields } from './fields.js';

export const terminalReaderTable: ResourceTable = {
  entityType: 'terminal_reader',
  table: 'terminal_readers',
  collection: '/terminal-readers',
  label: 'card reader',
  representation: terminalReaderFields.representation,
  readAccess: READ,
};
