import Joi from 'joi';
import { cursor, limit } from '../../contracts/schemas/fields.js';
import { userFields } from './fields.js';

export const userCreate = Joi.object(userFields.creation).meta({ className: 'UserCreate' });

export const userPatch = Joi.object(userFields.change).meta({ className: 'UserPatch' });

export const userDeactivate = Joi.object({}).meta({ className: 'UserRevoke' });

export const user = userFields.response.meta({ className: 'User' });

export const userListQuery = Joi.object({
  is_active: Joi.boolean().description('true: only people who can sign in; false: only deactivated people'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'UserListQuery' });
