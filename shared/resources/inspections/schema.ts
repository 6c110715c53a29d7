import Joi from 'joi';
import { inspectionKind, inspectionResult } from '../../contracts/enums.js';
import { cursor, dateOrDateTime, limit, uuid } from '../../contracts/schemas/fields.js';
import { inspectionFields } from './fields.js';

export const inspectionCreate = Joi.object(inspectionFields.creation).meta({ className: 'InspectionCreate' });

export const inspectionPatch = Joi.object(inspectionFields.change).meta({ className: 'InspectionPatch' });

export const inspection = inspectionFields.response.meta({ className: 'Inspection' });

export const inspectionListQuery = Joi.object({
  kind: inspectionKind,
  truck_id: uuid(),
  driver_id: uuid(),
  work_order_id: uuid(),
  result: inspectionResult,
  since: dateOrDateTime().description('Created at or after'),
  until: dateOrDateTime().description('Created before'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'InspectionListQuery' });
