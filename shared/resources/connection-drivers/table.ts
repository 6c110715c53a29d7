import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { connectionDriverFields } from './fields.js';

export const connectionDriverTable: ResourceTable = {
  entityType: 'connection_driver',
  label: "vendor's driver",
  table: 'connection_drivers',
  collection: '/connection-drivers',
  representation: connectionDriverFields.representation,
  readAccess: ADMIN,
};
