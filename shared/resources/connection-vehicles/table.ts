import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { connectionVehicleFields } from './fields.js';

export const connectionVehicleTable: ResourceTable = {
  entityType: 'connection_vehicle',
  label: 'vehicle',
  table: 'connection_vehicles',
  collection: '/vehicles',
  representation: connectionVehicleFields.representation,
  readAccess: ADMIN,
};
