import Joi from 'joi';
import { cursor, dateTime, limit, text, uuid } from '../../contracts/schemas/fields.js';
import { impoundStatus, patchableImpoundStatus, releaseKind } from './enums.js';
import { impoundFields } from './fields.js';

export { impoundStatus, patchableImpoundStatus, releaseKind };

export const impoundCreate = Joi.object(impoundFields.creation).meta({ className: 'ImpoundCreate' });

export const impoundPatch = Joi.object(impoundFields.change).meta({ className: 'ImpoundPatch' });

export const impoundAction = Joi.object({}).meta({ className: 'ImpoundAction' });

export const impoundHold = Joi.object({
  reason: text(500).required().example('Police hold, case 4711'),
}).meta({ className: 'ImpoundHold' });

export const impoundRelease = Joi.object({
  kind: releaseKind.required().description('no_charge: storage that is not invoiced yet is waived'),
  released_to: text(200).allow(null).example('Jane Roe'),
  at: dateTime().description('Default: now. Must not be in the future'),
}).meta({ className: 'ImpoundRelease' });

export const impound = impoundFields.response.meta({ className: 'Impound' });

export const impoundListQuery = Joi.object({
  status: impoundStatus,
  work_order_id: uuid(),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ImpoundListQuery' });
