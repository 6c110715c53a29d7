import Joi from 'joi';
import { environment, role } from '../../contracts/enums.js';
import { allRequired, dateTime, email, password, text, uuid } from '../../contracts/schemas/fields.js';

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
}).meta({ className: 'Session' });

export const sessionEnd = Joi.object({}).meta({ className: 'SessionRevoke' });
