import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cursor,
  dateOrDateTime,
  dateTime,
  limit,
  slug,
  strictBoolean,
} from '../../contracts/schemas/fields.js';
import { month } from '../books/reconciliation/fields.js';
import {
  connectionActionName,
  connectionCallFields,
  connectionFields,
  connectionStatus,
  operationState,
  outboundOperationFields,
  syncRunFields,
  syncRunState,
  vendorKind,
} from './fields.js';

export { connectionActionName, connectionStatus, operationState, syncRunState, vendorKind };

export const connection = connectionFields.response.meta({ className: 'Connection' });
export const syncRun = syncRunFields.response.meta({ className: 'SyncRun' });
export const outboundOperation = outboundOperationFields.response.meta({ className: 'OutboundOperation' });
export const connectionCall = connectionCallFields.response.meta({ className: 'ConnectionCall' });

/** A connection, with the address where a person must sign in at the vendor. */
export const connectionWithSignIn = connectionFields.response
  .append({
    authorize_url: Joi.string()
      .allow(null)
      .required()
      .description('Where a person signs in at the vendor; null for a vendor with keys, and in a dry run'),
  })
  .meta({ className: 'ConnectionWithSignIn' });

export const connectionReplay = connectionFields.response
  .append({ replayed: Joi.number().integer().min(0).required().description('Operations that are due again') })
  .meta({ className: 'ConnectionReplay' });

export const connectionPush = connectionFields.response
  .append({
    pushed: Joi.number()
      .integer()
      .min(0)
      .required()
      .description('Invoices and payments that are written in the books again; 0 for other vendors'),
    next_since: dateTime()
      .allow(null)
      .required()
      .description('Send it as since to write the rest; null if everything was written'),
  })
  .meta({ className: 'ConnectionPush' });

/**
 * The names of the vendors that docs/decisions.md §11 plans. GET /integrations lists the available
 * vendors.
 */
const vendorName = () => slug(['quickbooks', 'xero', 'stripe', 'roadsync', 'twilio', 'samsara', 'motive']);

const credentials = () =>
  Joi.object()
    .pattern(Joi.string().allow(''), Joi.string().max(4000))
    .description('As credentials_schema of the vendor in GET /integrations says. No response shows them');

export const connectionCreate = Joi.object({
  vendor: vendorName().required(),
  label: connectionFields.creation.label as Joi.Schema,
  credentials: credentials(),
  settings: Joi.object().unknown().description('As settings_schema of the vendor says'),
}).meta({ className: 'ConnectionCreate' });

export const connectionPatch = Joi.object({
  label: connectionFields.change.label as Joi.Schema,
  settings: Joi.object().unknown().description('Replaces all settings'),
  credentials: credentials(),
}).meta({ className: 'ConnectionPatch' });

export const connectionAction = Joi.object({}).meta({ className: 'ConnectionAction' });

export const connectionSync = Joi.object({
  stream: slug(['messages']).description('Default: all streams of the vendor'),
  since: dateTime().description('Read again what changed since then'),
}).meta({ className: 'ConnectionSync' });

export const bookReconciliationStart = Joi.object({
  from: month().required().description('The first month, YYYY-MM'),
  to: month().required().description('The last month, at most 24 months in all'),
}).meta({ className: 'BookReconciliationStart' });

export const operationReplay = Joi.object({
  since: dateTime().required().description('Inclusive; by created_at'),
  until: dateTime().description('Exclusive; by created_at'),
  dry_run: strictBoolean().description('true: only count'),
}).meta({ className: 'OperationReplay' });

export const choiceSubject = namedEnum('ChoiceSubject', ['account', 'tax'], {
  account: 'Income accounts, and accounts that payments can go to',
  tax: 'Tax codes',
});

export const choiceQuery = Joi.object({
  of: choiceSubject.default('account'),
}).meta({ className: 'ChoiceQuery' });

export const choice = allRequired({
  id: Joi.string().example('79').description('What the settings of the connection name'),
  name: Joi.string().example('Towing income'),
  use: Joi.string()
    .valid('income', 'deposit')
    .allow(null)
    .description('What an account can be chosen for; null for tax codes'),
}).meta({ className: 'Choice' });

export const connectionListQuery = Joi.object({
  vendor: vendorName(),
  status: connectionStatus,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ConnectionListQuery' });

export const syncRunListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'SyncRunListQuery',
});

export const outboundOperationListQuery = Joi.object({
  state: operationState,
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'OutboundOperationListQuery' });

export const connectionCallListQuery = Joi.object({
  since: dateOrDateTime().description('Inclusive; by created_at'),
  until: dateOrDateTime().description('Exclusive; by created_at'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'ConnectionCallListQuery' });

const jsonSchema = () => Joi.object().unknown().description('A JSON Schema');

export const integration = allRequired({
  vendor: Joi.string().example('twilio'),
  kind: vendorKind,
  label: Joi.string().example('Twilio'),
  auth: Joi.string().valid('oauth2', 'api_key'),
  sign_in: Joi.boolean().description(
    'True if a POST /connections without credentials begins a sign-in at the vendor',
  ),
  credentials_schema: jsonSchema(),
  settings_schema: jsonSchema(),
  docs_url: Joi.string().example('https://www.twilio.com/docs'),
}).meta({ className: 'Integration' });
