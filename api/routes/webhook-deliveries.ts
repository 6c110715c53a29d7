import type Router from '@koa/router';
import {
  cancelDelivery,
  replayDelivery,
  testEndpoint,
} from '../../shared/resources/webhook-deliveries/commands.js';
import { listAttempts, listDeliveries } from '../../shared/resources/webhook-deliveries/queries.js';
import {
  webhookAttemptListQuery,
  webhookDeliveryListQuery,
} from '../../shared/resources/webhook-deliveries/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export function webhookDeliveryRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /webhook-deliveries:
   *   get:
   *     operationId: listWebhookDeliveries
   *     tags: [Webhooks]
   *     summary: List deliveries
   *     description: Newest first, of the last 30 days. Not for agent keys.
   *     x-query: WebhookDeliveryListQuery
   *     responses:
   *       '200': { x-list: WebhookDelivery }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get(
    '/webhook-deliveries',
    serveList(api, { access: read, schema: webhookDeliveryListQuery, buildQuery: listDeliveries }),
  );

  /**
   * @openapi
   * /webhook-deliveries/{id}:
   *   get:
   *     operationId: getWebhookDelivery
   *     tags: [Webhooks]
   *     summary: Get one delivery
   *     description: Not for agent keys.
   *     responses:
   *       '200': { x-resource: WebhookDelivery }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/webhook-deliveries/:id',
    serveRecord(api, { access: read, entityType: 'webhook_delivery', resourceLabel: 'delivery' }),
  );

  /**
   * @openapi
   * /webhook-deliveries/{id}/attempts:
   *   get:
   *     operationId: listWebhookAttempts
   *     tags: [Webhooks]
   *     summary: List the attempts of a delivery
   *     description: Newest first, each with its request and response. Not for agent keys.
   *     x-query: WebhookAttemptListQuery
   *     responses:
   *       '200': { x-list: WebhookAttempt }
   *       x-errors: [400, 401, 403, 404, 429, 503]
   */
  router.get(
    '/webhook-deliveries/:id/attempts',
    serveList(api, {
      access: read,
      schema: webhookAttemptListQuery,
      parent: { entityType: 'webhook_delivery', resourceLabel: 'delivery', member: 'delivery_id' },
      buildQuery: listAttempts,
    }),
  );
  deliveryActionRoutes(router, api);
}

function deliveryActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /webhook-deliveries/{id}/replay:
   *   post:
   *     operationId: replayWebhookDelivery
   *     tags: [Webhooks]
   *     summary: Replay a delivery
   *     description: >-
   *       Creates a new delivery to the same endpoint with the same webhook-id and the same bytes,
   *       whatever the status of the first delivery. 409 when the endpoint is disabled or deleted,
   *       or the event is no longer kept. Needs the permission admin.
   *     x-body: WebhookDeliveryAction
   *     responses:
   *       '201': { x-resource: WebhookDelivery }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/webhook-deliveries/:id/replay',
    serveWrite(api, replayDelivery, {
      resourceLabel: 'delivery',
      prepareInput: (input, ctx) => ({ ...input, replay_of: String(ctx.params.id).toLowerCase() }),
    }),
  );

  /**
   * @openapi
   * /webhook-deliveries/{id}/cancel:
   *   post:
   *     operationId: cancelWebhookDelivery
   *     tags: [Webhooks]
   *     summary: Cancel a delivery
   *     description: >-
   *       The delivery is not attempted again. 409 when it has succeeded or is exhausted; a
   *       cancelled delivery stays cancelled. Needs the permission admin.
   *     x-body: WebhookDeliveryAction
   *     responses:
   *       '200': { x-resource: WebhookDelivery }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/webhook-deliveries/:id/cancel',
    serveWrite(api, cancelDelivery, { resourceLabel: 'delivery' }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}/test:
   *   post:
   *     operationId: testWebhookEndpoint
   *     tags: [Webhooks]
   *     summary: Send a test event
   *     description: >-
   *       The event is made up, and data.test marks it. It is sent whatever the endpoint's filters,
   *       and is listed among the deliveries but not among the events. 409 when the endpoint is
   *       disabled. Needs the permission admin.
   *     x-body: WebhookTest
   *     responses:
   *       '201': { x-resource: WebhookDelivery }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/webhook-endpoints/:id/test',
    serveWrite(api, testEndpoint, {
      resourceLabel: 'endpoint',
      prepareInput: (input, ctx) => ({ ...input, endpoint_id: String(ctx.params.id).toLowerCase() }),
    }),
  );
}
