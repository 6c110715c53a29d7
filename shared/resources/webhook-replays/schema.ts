import Joi from 'joi';
import { namedEnum } from '../../contracts/named-enum.js';
import {
  allRequired,
  cursor,
  dateTime,
  limit,
  parseDateTimeMs,
  strictBoolean,
  uuid,
} from '../../contracts/schemas/fields.js';
import { REPLAY_STATUSES } from '../../contracts/webhook-vocabulary.js';
import { typeFilter } from '../../events/type-filter.js';
import { REPLAYABLE_STATUSES } from './limits.js';

const since = () => dateTime().description('Inclusive');
const until = () => dateTime().custom(rejectUntilBeforeSince).description('Exclusive; default now');

function rejectUntilBeforeSince(until: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const { since } = helpers.state.ancestors[0];
  const isBackwards = typeof since === 'string' && parseDateTimeMs(since) > parseDateTimeMs(until);
  return isBackwards ? helpers.error('string.beforeSince') : until;
}

export const replayableStatus = namedEnum('ReplayableStatus', REPLAYABLE_STATUSES, {
  succeeded: 'The endpoint answered 2xx',
  failed: 'The last attempt failed, and another will follow',
  exhausted: 'All attempts failed',
  cancelled: 'A client cancelled it, or its endpoint was disabled or deleted',
});

export const webhookReplayStatus = namedEnum('WebhookReplayStatus', REPLAY_STATUSES, {
  running: 'The service is still creating deliveries',
  completed: 'All deliveries are created. Some may not have arrived yet',
  cancelled: 'Cancelled, with the deliveries that were still open',
});

export const webhookReplay = allRequired({
  id: uuid(),
  kind: Joi.string()
    .valid('replay', 'recover')
    .description('replay: repeats earlier deliveries; recover: delivers missed events'),
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
    .description('Deliveries to create, counted beforehand; null: too many rows to count'),
  created_count: Joi.number().integer().min(0).example(40).description('Deliveries created so far'),
  created_at: dateTime(),
  updated_at: dateTime(),
  completed_at: dateTime().allow(null),
}).meta({ className: 'WebhookReplay' });

export const webhookReplayCreate = Joi.object({
  endpoint_id: uuid().description('Default: all endpoints'),
  event_type: typeFilter(),
  status: replayableStatus.default('exhausted').description('Status of the deliveries to repeat'),
  since: since(),
  until: until(),
}).meta({ className: 'WebhookReplayCreate' });

export const webhookRecover = Joi.object({
  since: since().required(),
  until: until(),
  dry_run: strictBoolean().description('Only count, like the header X-Service-Dry-Run'),
}).meta({ className: 'WebhookRecover' });

export const webhookReplayAction = Joi.object({}).meta({ className: 'WebhookReplayAction' });

export const webhookReplayListQuery = Joi.object({
  limit: limit(200),
  cursor: cursor(),
}).meta({ className: 'WebhookReplayListQuery' });
