import Joi from 'joi';
import { environment, role } from '../../contracts/enums.js';
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

export { factorChallenge, factorKind, factorProof, factorSignIn } from './proof-schema.js';

const address = () => email().example('dana@hudson-towing.example', { override: true });

export const signIn = Joi.object({
  email: address().required(),
  password: password().required(),
  tenant_id: uuid().description('Selects the account when the same e-mail and password belong to several'),
}).meta({ className: 'SignIn' });

export const session = allRequired({
  id: uuid(),
  user: allRequired({
    id: uuid(),
    name: text(100).example('Dana Whitfield'),
    email: address(),
    role,
  }),
  tenant: allRequired({ id: uuid(), name: Joi.string().example('Hudson Towing') }).description(
    'The account, or its sandbox, that this request acts on',
  ),
  environment: environment.description('As sent in X-Environment; live by default'),
  created_at: dateTime(),
  expires_at: dateTime().description('At the latest; 12 hours without a request end it sooner'),
  ended_at: dateTime().allow(null).description('When the person signed out'),
  has_factor: Joi.boolean().description('Whether the person has a second factor'),
  factor_proved_at: dateTime()
    .allow(null)
    .description('When the person last proved a factor in this session'),
  is_factor_setup_required: Joi.boolean().description(
    'True if the account requires a factor and the person has none: only GET and DELETE /session, /me/sessions and /me/factors work',
  ),
}).meta({ className: 'Session' });

/** A session in the list that its own person sees. */
export const ownSession = allRequired({
  id: uuid(),
  user_agent: Joi.string()
    .allow(null)
    .description('The browser, as it described itself at sign-in')
    .example('Mozilla/5.0 (X11; Linux x86_64) Firefox/149.0'),
  network: Joi.string()
    .allow(null)
    .description('The network of the sign-in: 24 bits of an IPv4 address, or 48 of an IPv6 address')
    .example('203.0.113.0/24'),
  created_at: dateTime(),
  last_used_at: dateTime().allow(null).description('To the minute'),
  idle_expires_at: dateTime().description('The session ends then if it is not used again'),
  expires_at: dateTime().description('The session ends then at the latest'),
  is_current: Joi.boolean().description('True for the session of this request'),
}).meta({ className: 'OwnSession' });

export const ownSessionListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'OwnSessionListQuery',
});

export const sessionEnd = Joi.object({}).meta({ className: 'SessionRevoke' });
