import Joi from 'joi';
import { cursor, limit } from '../../contracts/schemas/fields.js';
import { yardFields } from './fields.js';

export const yardCreate = Joi.object(yardFields.creation).meta({ className: 'YardCreate' });

export const yardPatch = Joi.object(yardFields.change).meta({ className: 'YardPatch' });

export const yard = yardFields.response.meta({ className: 'Yard' });

export const yardListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'YardListQuery',
});
