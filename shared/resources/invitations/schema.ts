import Joi from 'joi';
import { role } from '../../contracts/enums.js';
import { allRequired, cursor, dateTime, email, limit, text } from '../../contracts/schemas/fields.js';
import { newPassword } from '../users/fields.js';
import { invitationFields, invitationStatus } from './fields.js';

export { invitationStatus };

export const invitationCreate = Joi.object(invitationFields.creation).meta({ className: 'InvitationCreate' });

export const invitationAccept = Joi.object({
  name: text(100).required().example('Sam Rivera'),
  password: newPassword().required(),
}).meta({ className: 'InvitationAccept' });

export const invitationRevoke = Joi.object({}).meta({ className: 'InvitationRevoke' });

export const invitation = invitationFields.response.meta({ className: 'Invitation' });

export const invitationWithLink = invitationFields.response
  .keys({
    accept_url: Joi.string()
      .required()
      .allow(null)
      .example(null)
      .description(
        'The link to pass on, only if this deployment has no mail server and a signed-in person invites; else null',
      ),
  })
  .meta({ className: 'InvitationWithLink' });

export const invitationOffer = allRequired({
  account: Joi.string().example('Hudson Towing').description('The name of the account'),
  email: email().example('sam@hudson-towing.example', { override: true }),
  role,
  expires_at: dateTime(),
}).meta({ className: 'InvitationOffer' });

export const invitationListQuery = Joi.object({
  status: invitationStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'InvitationListQuery' });
