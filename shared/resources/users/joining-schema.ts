import Joi from 'joi';
import { allRequired, dateTime, email, password, text, uuid } from '../../contracts/schemas/fields.js';
import { newPassword } from './fields.js';

const address = () => email().example('dana@hudson-towing.example', { override: true });

export const passwordResetRequest = Joi.object({
  email: address().required(),
}).meta({ className: 'PasswordResetRequest' });

export const passwordResetUse = Joi.object({ password: newPassword().required() }).meta({
  className: 'PasswordResetUse',
});

export const acknowledgement = allRequired({
  ok: Joi.boolean().valid(true),
  message: Joi.string().example('If this address can sign in, a mail with a link is on its way.'),
}).meta({ className: 'Acknowledgement' });

/**
 * Matches text that looks like a link. In a mail, a name with such text could advertise a page, or
 * look like a link of this service.
 */
const LINK_IN_NAME = /:\/\/|www\.|\{link\}/i;

/**
 * The name of a stranger or of the stranger's company. Mails to other people later contain this
 * name.
 */
const strangerName = (max: number) =>
  text(max)
    .custom((value: string, helpers) => (LINK_IN_NAME.test(value) ? helpers.error('string.link') : value))
    .messages({ 'string.link': '{{#label}} must contain no link: leave out ://, www. and {link}' });

const SIGN_UP_MODES = ['closed', 'invite', 'open'] as const;

export const signUpMode = allRequired({
  mode: Joi.string()
    .valid(...SIGN_UP_MODES)
    .example('open')
    .description('closed: nobody; invite: whoever has a token of the operator; open: everybody'),
}).meta({ className: 'SignUpMode' });

export const signUp = Joi.object({
  company: strangerName(200).required().example('Hudson Towing'),
  name: strangerName(100).required().example('Dana Whitfield'),
  email: address().required(),
  password: newPassword().required(),
  signup_token: text(64).description('The token of the operator; required if the mode is invite'),
}).meta({ className: 'SignUp' });

export const signUpResend = Joi.object({ email: address().required() }).meta({ className: 'SignUpResend' });

export const signUpOffer = allRequired({
  company: Joi.string().example('Hudson Towing'),
  email: address(),
  expires_at: dateTime(),
}).meta({ className: 'SignUpOffer' });

export const signUpVerify = Joi.object({
  password: password().required().description('The one that was chosen at sign-up'),
}).meta({ className: 'SignUpVerify' });

export const signUpCompleted = allRequired({
  account: allRequired({ id: uuid(), name: Joi.string().example('Hudson Towing') }),
  sandbox: allRequired({ id: uuid() }),
  user: allRequired({ id: uuid(), name: Joi.string().example('Dana Whitfield'), email: address() }),
  api_key: Joi.string()
    .example('tk_live_…')
    .description('With every permission; returned only in this response'),
  sandbox_key: Joi.string().example('tk_test_…').description('The same for the sandbox'),
}).meta({ className: 'SignUpCompleted' });
