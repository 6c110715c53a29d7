import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  dateTime,
  integer,
  strictBoolean,
  text,
  uuid,
  webUrl,
} from '../../contracts/schemas/fields.js';
import { EVENT_TYPES } from '../../contracts/vocabulary.js';
import { DISABLED_REASONS, ENDPOINT_STATES, SIGNATURE_SCHEMES } from '../../contracts/webhook-vocabulary.js';
import { matchesType, TYPE_FILTER } from '../../events/event-types.js';
import { optionalText, recordId, time } from '../../records/fields/field.js';
import { defineFields } from '../../records/fields/record-fields.js';
import { renderHealth, renderPublicKeys, renderSecrets } from './representation.js';

/**
 * Matches headers that the service sets itself, and headers that would break the framing or the
 * connection.
 */
const RESERVED_HEADER =
  /^(host|content-(length|type)|connection|transfer-encoding|upgrade|te|trailer|expect|keep-alive|http2-settings|user-agent|accept-encoding|(proxy|webhook)-.*)$/i;
/** A field name (RFC 9110, section 5.6.2). */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/;
const VISIBLE_ASCII = /^[ -~]+$/;

const url = () =>
  webUrl()
    .example('https://example.com/hooks/tow', { override: true })
    .description('Where deliveries are POSTed. In production https, and no address inside our network');

/**
 * Rejects a filter that matches no event type, because the endpoint would silently receive nothing.
 */
const rejectUnmatchableFilter: Joi.CustomValidator<string> = (filter, helpers) =>
  !TYPE_FILTER.test(filter) || EVENT_TYPES.some((type) => matchesType(filter, type))
    ? filter
    : helpers.error('string.eventType');

const eventTypes = () =>
  Joi.array()
    .items(
      Joi.string()
        .max(100)
        .pattern(TYPE_FILTER, 'be an event type (invoice.paid), all of a kind (invoice.*) or *')
        .custom(rejectUnmatchableFilter),
    )
    .min(1)
    .max(50)
    .unique()
    .description(
      'Event types to deliver: one type (invoice.paid), all types of a kind (invoice.*) or all types (*)',
    )
    .example(['invoice.*', 'dispatch.assigned']);

const rejectRepeatedName: Joi.CustomValidator<Record<string, string>> = (headers, helpers) => {
  const names = Object.keys(headers).map((name) => name.toLowerCase());
  const name = names.find((one, index) => names.indexOf(one) !== index);
  return name === undefined ? headers : helpers.error('object.repeated', { name });
};

const headers = () =>
  Joi.object()
    .pattern(RESERVED_HEADER, Joi.forbidden())
    .pattern(HEADER_NAME, Joi.string().trim().max(1024).pattern(VISIBLE_ASCII, 'hold visible ASCII only'))
    .pattern(/^/, Joi.forbidden())
    .max(20)
    .custom(rejectRepeatedName)
    .allow(null)
    .description(
      'Sent with each delivery, such as credentials of the receiver. Encrypted; their values are never shown again. Names that the delivery sets itself are refused',
    )
    .example({ Authorization: 'Bearer of-the-receiver' });

const maxInFlight = () => integer(1, 100).description('Maximum concurrent deliveries');
const asymmetric = () => strictBoolean().description('Deliveries are signed with ed25519 (v1a) as well');

const secret = allRequired({
  id: uuid(),
  scheme: Joi.string()
    .valid(...SIGNATURE_SCHEMES)
    .description('v1: HMAC-SHA256, v1a: ed25519'),
  created_at: dateTime(),
  expires_at: dateTime()
    .allow(null)
    .description('Set by a rotation: the secret signs beside its successor until then'),
});

export const endpointState = namedEnum('EndpointState', ENDPOINT_STATES, {
  healthy: 'The last delivery succeeded',
  failing: 'The last delivery failed',
  paused: 'It failed repeatedly, so deliveries pause for a while',
  throttled: 'Its receiver asked for a pause, or the account reached the limit per minute for its host',
  slow: 'It answers slowly, so its deliveries run apart from those of fast endpoints',
  disabled: 'It receives nothing. `disabled_reason` says why',
  unknown: 'Nothing was sent yet',
});

export const disabledReason = namedEnum('DisabledReason', DISABLED_REASONS, {
  user: 'A person or a key disabled it',
  failing: 'It failed for five days',
  gone: 'It answered 410',
  receiver: 'Its receiver asked for it by a header',
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
      'Error class of the last failure; host_limit: the account reached the limit per minute for this host',
    ),
  paused_until: dateTime().allow(null).description('Deliveries resume then'),
  disables_at: dateTime().allow(null).description('When it will be disabled if it keeps failing'),
});

/** The fields of a webhook endpoint. Responses contain no secret and no value of a header. */
export const webhookEndpointFields = defineFields({
  id: recordId(),
  url: { input: url(), isRequired: true, columns: 'text' },
  event_types: {
    input: eventTypes(),
    isRequired: true,
    output: Joi.array().items(Joi.string()).example(['invoice.*', 'dispatch.assigned']),
    columns: 'text[]',
  },
  description: optionalText(200, {
    input: text(200).allow(null).example('Bookkeeping'),
    output: Joi.string().allow(null).example('Bookkeeping'),
  }),
  headers: {
    input: headers(),
    changeInput: headers().description('Replaces all of them; null removes them'),
    output: null,
    // The api encrypts the header values before it submits the command.
    columns: { headers_sealed: 'text', header_names: 'text[]' },
  },
  // The field `headers` sets the column `header_names`.
  header_names: { output: Joi.array().items(Joi.string()).example(['Authorization']) },
  rate_limit_per_second: {
    input: integer(1, 1000).allow(null).description('Maximum deliveries per second; null: no such limit'),
    output: Joi.number().integer().allow(null),
    columns: 'integer',
  },
  max_in_flight: {
    input: maxInFlight().default(20),
    changeInput: maxInFlight(),
    output: Joi.number().integer().example(20),
    columns: 'integer',
  },
  enabled: {
    input: strictBoolean().default(true),
    changeInput: strictBoolean().description(
      'false stops deliveries and cancels waiting ones. true starts deliveries and clears earlier failures and pauses',
    ),
    output: Joi.boolean(),
    columns: 'boolean',
  },
  disabled_reason: { output: disabledReason.allow(null).example(null) },
  disabled_at: time(dateTime().allow(null).example(null, { override: true })),
  asymmetric: {
    input: asymmetric().default(false),
    changeInput: asymmetric(),
    output: Joi.boolean(),
    sql: (alias) => `cardinality(${renderPublicKeys(alias)}) > 0`,
    columns: null,
  },
  public_keys: {
    output: Joi.array()
      .items(Joi.string().example('whpk_bWRZCsOXmw6FQbrBZ9w7lshQhqowtrbLDFw4rXAxZuE='))
      .description('Keys that verify its ed25519 signatures, newest first'),
    sql: renderPublicKeys,
    columns: null,
  },
  secrets: {
    output: Joi.array()
      .items(secret)
      .description('The secrets that sign now, newest first, without their values'),
    sql: renderSecrets,
    columns: null,
  },
  health: { output: health, sql: renderHealth, columns: null },
  created_at: time(),
  updated_at: time(),
  club_id: {
    input: uuid()
      .allow(null)
      .example(null)
      .description(
        "The club_id of a motor club's key. The endpoint then gets only events about the offers of this club, nothing while the club has no live key, and its event_types begin with club_offer",
      ),
    output: uuid().allow(null).example(null),
    setBy: 'create',
    columns: 'uuid',
  },
});
