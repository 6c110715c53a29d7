import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cursor,
  dateOrDateTime,
  dateTime,
  limit,
  strictBoolean,
  uuid,
} from '../../contracts/schemas/fields.js';
import { EVENT_TYPES } from '../../contracts/vocabulary.js';
import { DELIVERY_STATUSES, DELIVERY_TRIGGERS } from '../../contracts/webhook-vocabulary.js';
import { typeFilter } from '../../events/type-filter.js';

export const webhookDeliveryStatus = namedEnum('WebhookDeliveryStatus', DELIVERY_STATUSES, {
  pending: 'Waits for its first attempt',
  delivering: 'An attempt is under way',
  succeeded: 'The endpoint answered 2xx',
  failed: 'The last attempt failed, and another will follow',
  exhausted: 'All attempts failed, and no other will follow',
  cancelled: 'A client cancelled it, or its endpoint was disabled or deleted',
});

export const deliveryTrigger = namedEnum('DeliveryTrigger', DELIVERY_TRIGGERS, {
  event: 'The event itself',
  replay: 'A replay of an earlier delivery',
  recover: 'A recovery of events that were not delivered',
  test: 'POST /webhook-endpoints/{id}/test',
  probe: 'A check whether a disabled endpoint works again',
});

const count = () => Joi.number().integer().min(0);

export const webhookDelivery = allRequired({
  id: uuid(),
  endpoint_id: uuid(),
  event_id: uuid().description('Also the webhook-id, the same on every attempt and replay'),
  event_type: Joi.string().example('invoice.created'),
  trigger: deliveryTrigger.description('Why it was created'),
  replay_id: uuid().allow(null).description('The replay or recovery that created it'),
  replay_of: uuid().allow(null).description('The delivery that it repeats'),
  status: webhookDeliveryStatus,
  attempts: count().example(1),
  next_attempt_at: dateTime().allow(null).description('null once it has ended'),
  last_attempt_at: dateTime().allow(null),
  last_response_status: Joi.number().integer().allow(null).example(200),
  last_error: Joi.string().allow(null).example('timeout'),
  completed_at: dateTime().allow(null),
  created_at: dateTime(),
}).meta({ className: 'WebhookDelivery' });

const headers = () => Joi.object().unknown().example({ 'content-type': 'application/json' });
const milliseconds = () => count().allow(null).example(41);

export const webhookAttempt = allRequired({
  id: uuid(),
  delivery_id: uuid(),
  endpoint_id: uuid(),
  attempt: Joi.number().integer().min(1).example(1).description('The first is 1'),
  started_at: dateTime(),
  url: Joi.string().example('https://example.com/hooks'),
  request_headers: headers(),
  response_status: Joi.number().integer().allow(null).example(200).description('null: there was no response'),
  response_headers: headers().allow(null),
  response_body: Joi.string().allow(null, '').example('ok').description('Its first 16 KiB'),
  response_truncated: strictBoolean().description('The body was longer than that'),
  error_class: Joi.string().allow(null).example('timeout'),
  error_message: Joi.string().allow(null).example('No answer within 15 seconds'),
  remote_address: Joi.string().allow(null).example('203.0.113.7'),
  connect_ms: milliseconds(),
  first_byte_ms: milliseconds(),
  total_ms: count().example(63),
}).meta({ className: 'WebhookAttempt' });

export const webhookDeliveryListQuery = Joi.object({
  endpoint_id: uuid(),
  event_type: typeFilter(),
  event_id: uuid(),
  status: webhookDeliveryStatus,
  trigger: deliveryTrigger,
  replay_id: uuid(),
  since: dateOrDateTime().description('Inclusive; by created_at'),
  until: dateOrDateTime().description('Exclusive; by created_at'),
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WebhookDeliveryListQuery' });

/**
 * The query parameters for listing one delivery's attempts. The request path names the delivery.
 */
export const webhookAttemptListQuery = Joi.object({
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WebhookAttemptListQuery' });

export const webhookDeliveryAction = Joi.object({}).meta({ className: 'WebhookDeliveryAction' });

export const webhookTest = Joi.object({
  type: Joi.string()
    .valid(...EVENT_TYPES)
    .default('invoice.created')
    .description('The type of the example event'),
}).meta({ className: 'WebhookTest' });
