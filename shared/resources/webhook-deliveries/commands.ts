import { defineCommand } from '../../contracts/command.js';
import type { WebhookDeliveryAction } from '../../contracts/generated.js';
import type { EventType } from '../../contracts/vocabulary.js';
import { webhookDeliveryAction, webhookTest } from './schema.js';

/**
 * The input of a replay. `replay_of` is the id of the delivery to replay, from the request path.
 */
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

/** The input of a test. `endpoint_id` comes from the request path. */
export type EndpointTest = { type: EventType; endpoint_id: string };

export const testEndpoint = defineCommand<EndpointTest>({
  type: 'webhook_delivery.test',
  action: 'webhook_delivery.test_requested',
  permission: 'admin',
  creates: true,
  schema: webhookTest,
});
