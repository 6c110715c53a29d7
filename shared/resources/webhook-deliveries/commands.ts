import { defineCommand } from '../../contracts/command.js';
import type { WebhookDeliveryAction } from '../../contracts/generated.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { webhookDeliveryAction, webhookTest } from './schema.js';

/** The request path contains replay_of, the id of a delivery. */
export type DeliveryReplay = WebhookDeliveryAction & { replay_of: string };

export const replayDelivery = defineCommand<DeliveryReplay>({
  type: 'webhook_delivery.replay',
  action: 'webhook_delivery.replayed',
  permission: 'admin',
  creates: true,
  schema: webhookDeliveryAction,
});

export const cancelDelivery = defineCommand<WebhookDeliveryAction>({
  type: 'webhook_delivery.cancel',
  action: 'webhook_delivery.cancelled',
  permission: 'admin',
  schema: webhookDeliveryAction,
});

/** The request path contains endpoint_id. */
export type EndpointTest = { type: EventType; endpoint_id: string };

export const testEndpoint = defineCommand<EndpointTest>({
  type: 'webhook_delivery.test',
  action: 'webhook_delivery.test_requested',
  permission: 'admin',
  creates: true,
  schema: webhookTest,
});
