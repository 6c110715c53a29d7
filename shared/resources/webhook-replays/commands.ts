import { defineCommand } from '../../contracts/command.js';
import type { WebhookRecover, WebhookReplayAction, WebhookReplayCreate } from '../../contracts/generated.js';
import type { PlannedReplay } from './plan.js';
import { webhookRecover, webhookReplayAction, webhookReplayCreate } from './schema.js';

const shared = { entityType: 'webhook_replay', permission: 'admin', agentScope: null } as const;

/** The api counts before it submits, so that no batch of writes waits for it. */
interface Planned {
  plan: PlannedReplay;
}

/** Repeats deliveries that a filter finds. */
export const createReplay = defineCommand<WebhookReplayCreate & Planned>({
  ...shared,
  type: 'webhook_replay.create',
  action: 'webhook_replay.created',
  creates: true,
  schema: webhookReplayCreate,
});

/** Delivers to an endpoint what it missed. */
export const recoverEndpoint = defineCommand<WebhookRecover & Planned>({
  ...shared,
  type: 'webhook_replay.recover',
  action: 'webhook_replay.recovery_started',
  creates: true,
  schema: webhookRecover,
});

export const cancelReplay = defineCommand<WebhookReplayAction>({
  ...shared,
  type: 'webhook_replay.cancel',
  action: 'webhook_replay.cancelled',
  creates: false,
  schema: webhookReplayAction,
});
