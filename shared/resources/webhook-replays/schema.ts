import Joi from 'joi';
import { allRequired, cursor, dateTime, flag, instantOf, limit, uuid } from '../../contracts/fields.js';
import { namedEnum } from '../../contracts/named-enum.js';
import { REPLAY_STATUSES } from '../../contracts/vocabulary.js';
import { typeFilter } from '../../events/type-filter.js';
import { REPLAYABLE } from './limits.js';

const since = () => dateTime().description('Inclusive');
const until = () => dateTime().custom(checkSpan).description('Exclusive; default now');

function checkSpan(until: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const { since } = helpers.state.ancestors[0];
  const isBackwards = typeof since === 'string' && instantOf(since) > instantOf(until);
  return isBackwards ? helpers.error('string.beforeSince') : until;
}

export const replayableStatus = namedEnum('ReplayableStatus', REPLAYABLE, {
  succeeded: 'The endpoint took it',
  failed: 'The last attempt failed, and another will follow',
  exhausted: 'All attempts failed',
  cancelled: 'Given up on request, or because its endpoint was disabled or deleted',
});

export const webhookReplayStatus = namedEnum('WebhookReplayStatus', REPLAY_STATUSES, {
  running: 'Deliveries are still being made',
  completed: 'All deliveries are made. Some may not have arrived yet',
  cancelled: 'Cancelled. Deliveries that were made by then are kept',
});

export const webhookReplay = allRequired({
  id: uuid(),
  kind: Joi.string()
    .valid('replay', 'recover')
    .description('replay: what was delivered before; recover: what was not delivered'),
  endpoint_id: uuid().allow(null).description('null: all endpoints'),
  filter: allRequired({
    event_type: Joi.string().allow(null).example('invoice.*'),
    status: replayableStatus.allow(null),
    since: dateTime().allow(null),
    until: dateTime().allow(null),
  }),
  status: webhookReplayStatus,
  total: Joi.number()
    .integer()
    .min(0)
    .allow(null)
    .example(120)
    .description('Deliveries to be made, counted beforehand; null when there is too much to look through'),
  created_count: Joi.number().integer().min(0).example(40).description('Deliveries made so far'),
  created_at: dateTime(),
  updated_at: dateTime(),
  completed_at: dateTime().allow(null),
}).meta({ className: 'WebhookReplay' });

export const webhookReplayCreate = Joi.object({
  endpoint_id: uuid().description('All endpoints unless given'),
  event_type: typeFilter(),
  status: replayableStatus
    .default('exhausted')
    .description('What became of the deliveries that are repeated'),
  since: since(),
  until: until(),
}).meta({ className: 'WebhookReplayCreate' });

export const webhookRecover = Joi.object({
  since: since().required(),
  until: until(),
  dry_run: flag().description('As the header X-Service-Dry-Run: only count'),
}).meta({ className: 'WebhookRecover' });

/** An action that needs no more than its path. */
export const webhookReplayAction = Joi.object({}).meta({ className: 'WebhookReplayAction' });

export const webhookReplayListQuery = Joi.object({
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WebhookReplayListQuery' });
