import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import { jsonObject, jsonTime, lookUpWords } from '../../contracts/resource.js';
import { allRequired, dateTime, text, uuid } from '../../contracts/schemas/fields.js';
import { ENVIRONMENTS } from '../../contracts/vocabulary.js';
import { VENDOR_KINDS } from '../../integrations/contract/vendor.js';
import { recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { CONNECTION_ACTIONS, isActionAllowed } from './transitions.js';
import { CONNECTION_STATUSES } from './vocabulary.js';

export const vendorKind = namedEnum('VendorKind', VENDOR_KINDS, {
  accounting: 'Books',
  payments: 'Online and card payments',
  motor_club: 'Billing of motor clubs',
  messaging: 'Texts and voice',
  telematics: 'Positions of trucks',
});

export const connectionStatus = namedEnum('ConnectionStatus', CONNECTION_STATUSES, {
  pending: 'Waits for the sign-in at the vendor, or for its first answer',
  active: 'Works',
  paused: 'Paused by a client: nothing is sent or read',
  needs_reauth: 'The vendor does not accept the credentials any more. Enter them or sign in again',
  failing: 'The vendor has not answered for a while. The service keeps trying',
  revoked: 'Disconnected. Its history stays',
});

export const connectionActionName = namedEnum('ConnectionActionName', CONNECTION_ACTIONS, {
  test: 'Ask the vendor for its description of the account',
  sync: 'Read changes now',
  pause: 'Send and read nothing until it is resumed',
  resume: 'End the pause',
  reconnect: 'Sign in at the vendor again',
  disconnect: 'End it for good',
});

const ACTIONS_BY_STATUS = Object.fromEntries(
  CONNECTION_STATUSES.map((status) => [
    status,
    CONNECTION_ACTIONS.filter((action) => isActionAllowed(action, status)),
  ]),
);

const health = allRequired({
  last_success_at: dateTime().allow(null),
  oldest_due_at: dateTime()
    .allow(null)
    .description('Since when the oldest write waits, among the 10,000 that are next'),
  backlog: Joi.number().integer().min(0).example(0).description('Writes that wait; counted up to 10,000'),
  error_rate: Joi.number()
    .min(0)
    .max(1)
    .allow(null)
    .example(0.02)
    .description('Share of failed calls within the last hour; null without calls'),
  last_error: Joi.string().allow(null),
  token_expires_at: dateTime().allow(null),
  last_webhook_at: dateTime().allow(null),
});

/** The health counts the writes that are next, and finds the oldest of them. */
const MAX_COUNTED = 10_000;

/**
 * Returns SQL for the health of a connection as JSON. The value is never null, because every
 * connection has a row in connection_queues.
 */
function renderHealth(alias: string): string {
  const ofConnection = (row: string) =>
    `${row}.tenant_id = ${alias}.tenant_id and ${row}.connection_id = ${alias}.id`;
  const members = jsonObject('h', [
    jsonTime('h', 'last_success_at'),
    jsonTime('h', 'oldest_due_at'),
    'backlog',
    'error_rate',
    'last_error',
    jsonTime('h', 'token_expires_at'),
    jsonTime('h', 'last_webhook_at'),
  ]);
  return `(select ${members} from (
    select l.last_success_at, l.last_error, l.last_webhook_at, w.oldest_due_at, w.backlog,
      case when l.window_calls > 0 and l.window_started_at > now() - interval '1 hour'
           then round(l.window_failures::numeric / l.window_calls, 3) end as error_rate,
      (select k.access_expires_at from connection_secrets k where ${ofConnection('k')}) as token_expires_at
    from connection_queues l cross join lateral (
      select min(n.created_at) as oldest_due_at, count(*)::int as backlog from (
        select o.created_at from outbound_operations o where ${ofConnection('o')} and o.next_at is not null
        order by o.next_at limit ${MAX_COUNTED}) n) w
    where ${ofConnection('l')}) h)`;
}

/** The fields of a connection. None of them is secret. */
export const connectionFields = defineFields({
  id: recordId(),
  vendor: { output: Joi.string().example('twilio') },
  kind: { output: vendorKind },
  label: {
    input: text(100).allow(null),
    output: Joi.string().allow(null).example('Main number'),
    columns: 'text',
  },
  status: { output: connectionStatus },
  status_reason: { output: Joi.string().allow(null) },
  environment: { output: Joi.string().valid(...ENVIRONMENTS) },
  external_account: {
    output: Joi.string().allow(null).example('AC123').description("The vendor's name of the account"),
  },
  scopes: { output: Joi.array().items(Joi.string()) },
  settings: {
    input: Joi.object().unknown(),
    output: Joi.object().unknown(),
    columns: 'jsonb',
  },
  webhook_url: {
    output: Joi.string()
      .example('https://api.example.com/hooks/twilio/abc')
      .description('Enter it at the vendor, unless the vendor calls one address for all its customers'),
  },
  health: { output: health, sql: renderHealth, columns: null, csv: null },
  created_at: time(),
  updated_at: time(),
  allowed_actions: {
    output: Joi.array()
      .items(connectionActionName)
      .description('Actions that its status allows now. reconnect is for vendors with a sign-in'),
    sql: (alias) => lookUpWords(ACTIONS_BY_STATUS, `${alias}.status`),
    columns: null,
    csv: null,
  },
  inbound_urls: {
    output: allRequired({
      messages: Joi.string().example('https://api.example.com/hooks/twilio/abc/messages'),
      voice: Joi.string().example('https://api.example.com/hooks/twilio/abc/voice'),
      status: Joi.string().example('https://api.example.com/hooks/twilio/abc/status'),
    })
      .allow(null)
      .description('Where a vendor of texts brings texts, calls and delivery states; null for other vendors'),
    sql: (alias) =>
      `case when ${alias}.kind = 'messaging' then ${jsonObject(
        alias,
        ['messages', 'voice', 'status'].map((name) => ({ name, sql: `${alias}.webhook_url || '/${name}'` })),
      )} end`,
    columns: null,
    csv: null,
  },
});

export const syncRunState = namedEnum('SyncRunState', ['succeeded', 'failed'], {
  succeeded: 'A page was read and stored',
  failed: 'It could not be read',
});

export const syncRunFields = defineFields({
  id: recordId(),
  connection_id: { output: uuid() },
  stream: { output: Joi.string().example('messages') },
  state: { output: syncRunState },
  changes: { output: Joi.number().integer().min(0).example(3) },
  dropped: {
    output: Joi.number().integer().min(0).example(1).description('Changes that were known already'),
  },
  error: { output: Joi.string().allow(null) },
  started_at: time(),
  ended_at: time(dateTime().allow(null)),
});

export const operationState = namedEnum(
  'OutboundOperationState',
  ['due', 'doing', 'done', 'waiting', 'dead'],
  {
    due: 'Waits for its attempt',
    doing: 'A worker attempts it',
    done: 'The vendor has accepted it',
    waiting: 'Waits for a record that it depends on',
    dead: 'Given up: a sync issue says why',
  },
);

export const outboundOperationFields = defineFields({
  id: recordId(),
  connection_id: { output: uuid() },
  kind: { output: Joi.string().example('message') },
  record_id: { output: uuid(), sql: (alias) => `${alias}.local_id`, columns: null },
  verb: { output: Joi.string().example('send') },
  state: { output: operationState },
  attempts: { output: Joi.number().integer().min(0).example(1) },
  next_at: time(dateTime().allow(null)),
  last_error: { output: Joi.string().allow(null) },
  external_id: {
    output: Joi.string().allow(null).example('SM123').description("The vendor's id of the record"),
    sql: (alias) => `(select x.external_id from external_ids x where x.tenant_id = ${alias}.tenant_id
      and x.connection_id = ${alias}.connection_id and x.kind = ${alias}.kind and x.local_id = ${alias}.local_id)`,
    columns: null,
  },
  created_at: time(),
  updated_at: time(),
});

const fieldNames = () => Joi.array().items(Joi.string()).description('Names of fields, never values');

export const connectionCallFields = defineFields({
  id: recordId(),
  connection_id: { output: uuid() },
  method: { output: Joi.string().example('POST') },
  path: { output: Joi.string().example('/messages').description('Without its query') },
  response_status: { output: Joi.number().integer().allow(null).example(201) },
  error: { output: Joi.string().allow(null) },
  total_ms: { output: Joi.number().integer().min(0).example(84) },
  vendor_request_id: { output: Joi.string().allow(null) },
  request_fields: { output: fieldNames() },
  response_fields: { output: fieldNames() },
  created_at: time(),
});
