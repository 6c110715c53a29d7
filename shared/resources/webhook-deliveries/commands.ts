import { defineCommand } from '../../contracts/command.js';
import type { WebhookDeliveryAction } from '../../contracts/generated.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { webhookDeliveryAction, webhookTest } from './schema.js';

const shared = { entityType: 'webhook_delivery', permission: 'admin', agentScope: null } as const;

/** The request path contains replay_of, the id of a delivery. */
export type DeliveryReplay = WebhookDeliveryAction & { replay_of: string };

export const replayDelivery = defineCommand<DeliveryReplay>({
  ...shared,
  type: 'webhook_delivery.replay',
  action: 'webhook_delivery.replayed',
  creates: true,
  schema: webhookDeliveryAction,
});

export const cancelDelivery = defineCommand<WebhookDeliveryAction>({
  ...shared,
  type: 'webhook_delivery.cancel',
  action: 'webhook_delivery.cancelled',
  creates: false,
  schema: webhookDeliveryAction,
});

/** The request path contains endpoint_id. */
export type EndpointTest = { type: EventType; endpoint_id: string };

export const testEndpoint = defineCommand<EndpointTest>({
  ...shared,
  type: 'webhook_delivery.test',
  action: 'webhook_delivery.test_requested',
  creates: true,
  schema: webhookTest,
});
