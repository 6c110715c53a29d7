import Joi from 'joi';
import {
  allRequired,
  cursor,
  dateTime,
  email,
  limit,
  password,
  text,
  uuid,
} from '../../contracts/schemas/fields.js';

const name = () => text(100).example('Dana Whitfield');
const address = (example = 'dana@hudson-towing.example') => email().example(example, { override: true });
const MIN_PASSWORD = 12;

/** Length matters more than character classes (NIST SP 800-63B, 3.1.1.2). */
const newPassword = () =>
  password()
    .min(MIN_PASSWORD)
    // Joi counts an emoji as two characters; the OpenAPI document's minLength counts it as one.
    .custom((value: string, helpers) =>
      value.length >= MIN_PASSWORD && [...value].length < MIN_PASSWORD
        ? helpers.error('string.min', { limit: MIN_PASSWORD })
        : value,
    );

export const userCreate = Joi.object({
  name: name().required(),
  email: address().required(),
  password: newPassword().description('Omitted: the person cannot sign in until one is set'),
}).meta({ className: 'UserCreate' });

export const userPatch = Joi.object({
  name: name(),
  email: address('dana.whitfield@hudson-towing.example'),
  password: newPassword().description('A new password ends all sessions of the person'),
}).meta({ className: 'UserPatch' });

export const userDeactivate = Joi.object({}).meta({ className: 'UserRevoke' });

export const user = allRequired({
  id: uuid(),
  name: name(),
  email: address(),
  created_at: dateTime(),
  updated_at: dateTime(),
  deactivated_at: dateTime().allow(null).description('From then on the person cannot sign in'),
}).meta({ className: 'User' });

export const userListQuery = Joi.object({
  is_active: Joi.boolean().description('true: only people who can sign in; false: only deactivated people'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'UserListQuery' });
