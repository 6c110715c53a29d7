import Joi from 'joi';
import { cursor, limit } from '../../contracts/schemas/fields.js';
import { exportCadence, exportPeriod } from './enums.js';
import { exportScheduleFields } from './fields.js';

export { exportCadence, exportPeriod };

export const exportSchedule = exportScheduleFields.response.meta({ className: 'ExportSchedule' });

export const exportScheduleCreate = Joi.object(exportScheduleFields.creation).meta({
  className: 'ExportScheduleCreate',
});

export const exportSchedulePatch = Joi.object(exportScheduleFields.change).meta({
  className: 'ExportSchedulePatch',
});

export const exportScheduleDelete = Joi.object({}).meta({ className: 'ExportScheduleDelete' });

export const exportScheduleListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'ExportScheduleListQuery',
});
