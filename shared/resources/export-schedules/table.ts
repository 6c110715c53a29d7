import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { exportScheduleRepresentation } from './representation.js';

export const exportScheduleTable: ResourceTable = {
  entityType: 'export_schedule',
  table: 'export_schedules',
  collection: '/export-schedules',
  representation: exportScheduleRepresentation,
  rowFilter: 'deleted_at is null',
  readAccess: ADMIN,
};
