import Joi from 'joi';
import { cursor, limit, uuid } from '../../contracts/schemas/fields.js';
import { exportStatus } from './enums.js';
import { exportFields } from './fields.js';
import { exportResource } from './request/export-request-fields.js';

export { exportFormat, exportResource } from './request/export-request-fields.js';
export { exportStatus };

export const exportRecord = exportFields.response.meta({ className: 'Export' });

export const exportCreate = Joi.object(exportFields.creation).meta({ className: 'ExportCreate' });

export const exportAction = Joi.object({}).meta({ className: 'ExportAction' });

export const exportListQuery = Joi.object({
  status: exportStatus,
  resource: exportResource,
  schedule_id: uuid().description('Exports that this schedule requested'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ExportListQuery' });
