import Joi from 'joi';
import {
  allRequired,
  cursor,
  dateTime,
  flag,
  integer,
  limit,
  text,
  uuid,
  webUrl,
} from '../../contracts/fields.js';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  DISABLED_REASONS,
  ENDPOINT_STATES,
  EVENT_TYPES,
  SIGNATURE_SCHEMES,
} from '../../contracts/vocabulary.js';
import { matchesType, TYPE_FILTER } from '../../events/event-types.js';

/** What a delivery says itself, and what would break its framing or its connection. */
const RESERVED_HEADER =
  /^(host|content-(length|type)|connection|transfer-encoding|upgrade|te|trailer|expect|keep-alive|http2-settings|user-agent|accept-encoding|(proxy|webhook)-.*)$/i;
/** A field name (RFC 9110, 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VISIBLE = /^[ -~]+$/;

const url = () =>
  webUrl()
    .example('https://example.com/hooks/tow', { override: true })
    .description('Where deliveries are POSTed. In production https, and no address inside our network');

/** A filter that nothing can ever match is a mistake that nobody would notice. */
const matchingSomething: Joi.CustomValidator<string> = (filter, helpers) =>
  !TYPE_FILTER.test(filter) || EVENT_TYPES.some((type) => matchesType(filter, type))
    ? filter
    : helpers.error('string.eventType');

const eventTypes = () =>
  Joi.array()
    .items(
      Joi.string()
        .max(100)
        .pattern(TYPE_FILTER, 'be an event type (invoice.paid), all of a kind (invoice.*) or *')
        .custom(matchingSomething),
    )
    .min(1)
    .max(50)
    .unique()
    .description('What is delivered: types (invoice.paid), all of a kind (invoice.*) or everything (*)')
    .example(['invoice.*', 'dispatch.assigned']);

const namedOnce: Joi.CustomValidator<Record<string, string>> = (headers, helpers) => {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const name = names.find((one, index) => names.indexOf(one) !== index);
  return name === undefined ? headers : helpers.error('object.repeated', { name });
};

const headers = () =>
  Joi.object()
    .pattern(RESERVED_HEADER, Joi.forbidden())
    .pattern(HEADER_NAME, Joi.string().trim().max(1024).pattern(VISIBLE, 'hold visible ASCII only'))
    .pattern(/^/, Joi.forbidden())
    .max(20)
    .custom(namedOnce)
    .allow(null)
    .description(
      'Sent with each delivery, such as credentials of the receiver. Encrypted; their values are never shown again. Names that the delivery sets itself are refused',
    )
    .example({ Authorization: 'Bearer of-the-receiver' });

const description = () => text(200).allow(null).example('Bookkeeping');
const rateLimit = () =>
  integer(1, 1000).allow(null).description('Deliveries a second at most; null: as fast as it answers');
const maxInFlight = () => integer(1, 100).description('Deliveries under way at once, at most');
const asymmetric = () => flag().description('Deliveries are signed with ed25519 (v1a) as well');

export const webhookEndpointCreate = Joi.object({
  url: url().required(),
  event_types: eventTypes().required(),
  description: description(),
  headers: headers(),
  rate_limit_per_second: rateLimit(),
  max_in_flight: maxInFlight().default(20),
  enabled: flag().default(true),
  asymmetric: asymmetric().default(false),
}).meta({ className: 'WebhookEndpointCreate' });

export const webhookEndpointPatch = Joi.object({
  url: url(),
  event_types: eventTypes(),
  description: description(),
  headers: headers().description('Replaces all of them; null removes them'),
  rate_limit_per_second: rateLimit(),
  max_in_flight: maxInFlight(),
  enabled: flag().description(
    'false stops deliveries and cancels those that wait; true starts afresh, also where failures or the receiver had put a pause: they are forgotten',
  ),
  asymmetric: asymmetric(),
}).meta({ className: 'WebhookEndpointPatch' });

export const webhookEndpointRotate = Joi.object({
  overlap_hours: integer(0, 168)
    .default(24)
    .description('How long the old secret signs beside the new one; 0 drops it at once'),
}).meta({ className: 'WebhookEndpointRotate' });

export const webhookEndpointDelete = Joi.object({}).meta({ className: 'WebhookEndpointRevoke' });

const secret = allRequired({
  id: uuid(),
  scheme: Joi.string()
    .valid(...SIGNATURE_SCHEMES)
    .description('v1: HMAC-SHA256, v1a: ed25519'),
  created_at: dateTime(),
  expires_at: dateTime().allow(null).description('It was rotated, and signs beside its successor until then'),
});

export const endpointState = namedEnum('EndpointState', ENDPOINT_STATES, {
  healthy: 'The last delivery succeeded',
  failing: 'The last delivery failed',
  paused: 'It failed again and again and is left alone for a while',
  throttled: 'It asked for a pause, or its host has had all that one account may send it in a minute',
  slow: 'It answers slowly, and gets its deliveries apart from fast endpoints',
  disabled: 'It gets nothing. `disabled_reason` says why',
  unknown: 'Nothing was sent yet',
});

export const disabledReason = namedEnum('DisabledReason', DISABLED_REASONS, {
  user: 'A person or a key disabled it',
  failing: 'It failed for five days',
  gone: 'It answered 410',
  receiver: 'It asked for it by a header',
});

const health = allRequired({
  state: endpointState,
  consecutive_failures: Joi.number().integer().example(0),
  failing_since: dateTime().allow(null).description('First failure since the last success'),
  last_success_at: dateTime().allow(null),
  last_failure_at: dateTime().allow(null),
  last_error: Joi.string()
    .allow(null)
    .example(null)
    .description(
      'Error class of the last failure; host_limit: deliveries waited for the next minute of their host',
    ),
  paused_until: dateTime().allow(null).description('Nothing is sent before'),
  disables_at: dateTime().allow(null).description('When it will be disabled if it goes on failing'),
});

const members = () => ({
  id: uuid(),
  url: url(),
  event_types: Joi.array().items(Joi.string()).example(['invoice.*', 'dispatch.assigned']),
  description: Joi.string().allow(null).example('Bookkeeping'),
  header_names: Joi.array().items(Joi.string()).example(['Authorization']),
  rate_limit_per_second: Joi.number().integer().allow(null),
  max_in_flight: Joi.number().integer().example(20),
  enabled: Joi.boolean(),
  disabled_reason: disabledReason.allow(null).example(null),
  disabled_at: dateTime().allow(null).example(null, { override: true }),
  asymmetric: Joi.boolean(),
  public_keys: Joi.array()
    .items(Joi.string().example('whpk_bWRZCsOXmw6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE='))
    .description('Of its ed25519 signatures, the newest first'),
  secrets: Joi.array().items(secret).description('What signs now, the newest first; never the secrets'),
  health,
  created_at: dateTime(),
  updated_at: dateTime(),
});

export const webhookEndpoint = allRequired(members()).meta({ className: 'WebhookEndpoint' });

export const webhookEndpointWithSecret = allRequired({
  ...members(),
  secret: Joi.string()
    .allow(null)
    .example('whsec_…')
    .description('What deliveries are signed with (v1), shown in this answer only; null in a dry run'),
}).meta({ className: 'WebhookEndpointWithSecret' });

export const webhookEndpointListQuery = Joi.object({ limit: limit(200), cursor: cursor() }).meta({
  className: 'WebhookEndpointListQuery',
});
