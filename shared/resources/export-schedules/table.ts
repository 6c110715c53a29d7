import { ADMIN, type ResourceTable } from '../../records/resource-table.js';
import { exportScheduleFields } from './fields.js';

export const exportScheduleTable: ResourceTable = {
  entityType: 'export_schedule',
  table: 'export_schedules',
  collection: '/export-schedules',
  representation: exportScheduleFields.representation,
  rowFilter: 'deleted_at is null',
  readAccess: ADMIN,
};
