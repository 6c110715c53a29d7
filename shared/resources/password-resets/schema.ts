import Joi from 'joi';
import { allRequired, email } from '../../contracts/schemas/fields.js';
import { newPassword } from '../users/fields.js';

export const passwordResetRequest = Joi.object({
  email: email().required().example('dana@hudson-towing.example', { override: true }),
}).meta({ className: 'PasswordResetRequest' });

export const passwordResetUse = Joi.object({ password: newPassword().required() }).meta({
  className: 'PasswordResetUse',
});

export const acknowledgement = allRequired({
  ok: Joi.boolean().valid(true),
  message: Joi.string().example('If this address can sign in, a mail with a link is on its way.'),
}).meta({ className: 'Acknowledgement' });
