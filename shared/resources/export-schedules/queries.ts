import type { ExportScheduleListQuery } from '../../contracts/generated.js';
import { defineList } from '../../records/lists/define-list.js';
import { exportScheduleFields } from './fields.js';

export const listExportSchedules = defineList<ExportScheduleListQuery>({
  table: 'export_schedules',
  fields: exportScheduleFields,
  only: 't.deleted_at is null',
});
