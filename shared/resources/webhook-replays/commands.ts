import { defineCommand } from '../../contracts/command.js';
import type { WebhookRecover, WebhookReplayAction, WebhookReplayCreate } from '../../contracts/generated.js';
import type { PlannedReplay } from './plan.js';
import { webhookRecover, webhookReplayAction, webhookReplayCreate } from './schema.js';

/**
 * The plan of a replay. The api counts the deliveries before it submits the command, because a
 * count in the worker would delay the whole batch of commands.
 */
interface Planned {
  plan: PlannedReplay;
}

/** Repeats the deliveries that match a filter. */
export const createReplay = defineCommand<WebhookReplayCreate & Planned>({
  type: 'webhook_replay.create',
  action: 'webhook_replay.created',
  permission: 'admin',
  creates: true,
  schema: webhookReplayCreate,
});

/** Delivers the events that an endpoint missed. */
export const recoverEndpoint = defineCommand<WebhookRecover & Planned>({
  type: 'webhook_replay.recover',
  action: 'webhook_replay.recovery_started',
  permission: 'admin',
  creates: true,
  schema: webhookRecover,
});

export const cancelReplay = defineCommand<WebhookReplayAction>({
  type: 'webhook_replay.cancel',
  action: 'webhook_replay.cancelled',
  permission: 'admin',
  schema: webhookReplayAction,
});
