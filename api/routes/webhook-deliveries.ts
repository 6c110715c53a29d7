import type Router from '@koa/router';
import { assertAccess } from '../../shared/contracts/access.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import {
  cancelDelivery,
  replayDelivery,
  testEndpoint,
} from '../../shared/resources/webhook-deliveries/commands.js';
import {
  listAttempts,
  listDeliveries,
  readDeliveryBody,
} from '../../shared/resources/webhook-deliveries/queries.js';
import {
  webhookAttemptListQuery,
  webhookDeliveryListQuery,
} from '../../shared/resources/webhook-deliveries/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiMiddleware, RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export const webhookDeliveryRoutes = defineRoutes('Webhooks', (router, api) => {
  /**
   * @openapi
   * /webhook-deliveries:
   *   get:
   *     operationId: listWebhookDeliveries
   *     summary: List deliveries
   *     description: Newest first, of the last 30 days.
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
   *     summary: Get one delivery
   */
  router.get('/webhook-deliveries/:id', serveRecord(api, 'webhook_delivery'));

  /**
   * @openapi
   * /webhook-deliveries/{id}/attempts:
   *   get:
   *     operationId: listWebhookAttempts
   *     summary: List the attempts of a delivery
   *     description: Newest first, each with its request and response.
   *     x-list: WebhookAttempt
   */
  router.get(
    '/webhook-deliveries/:id/attempts',
    serveList(api, {
      access: read,
      schema: webhookAttemptListQuery,
      parent: { entityType: 'webhook_delivery', member: 'delivery_id' },
      buildQuery: listAttempts,
    }),
  );

  /**
   * @openapi
   * /webhook-deliveries/{id}/body:
   *   get:
   *     operationId: getWebhookDeliveryBody
   *     summary: Get the body that a delivery sends
   *     description: >-
   *       Exactly the bytes that all attempts send and sign, also of a made-up event, which /events
   *       does not list. 404 when the event is no longer kept.
   *     x-resource: Event
   */
  router.get('/webhook-deliveries/:id/body', serveDeliveryBody(api));
  deliveryActionRoutes(router, api);
});

function serveDeliveryBody(api: ApiRuntime): ApiMiddleware {
  return declareFacts({ access: read, entityType: 'webhook_delivery' }, async (ctx) => {
    const { tenantId } = ctx.state.key;
    assertAccess(ctx.state.key, read);
    const { id } = ctx.params;
    const query = isUuid(id) ? readDeliveryBody(tenantId, id) : undefined;
    const [row] = query ? await api.db.read<{ body: string | null }>(tenantId, query) : [];
    if (!row?.body) throw notFound('delivery');
    ctx.type = 'application/json';
    ctx.body = row.body;
  });
}

function deliveryActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /webhook-deliveries/{id}/replay:
   *   post:
   *     operationId: replayWebhookDelivery
   *     summary: Replay a delivery
   *     description: >-
   *       Creates a new delivery to the same endpoint with the same webhook-id and the same bytes,
   *       whatever the status of the first delivery. 409 when the endpoint is disabled or deleted,
   *       or the event is no longer kept.
   */
  router.post(
    '/webhook-deliveries/:id/replay',
    serveWrite(api, replayDelivery, {
      prepareInput: (input, ctx) => ({ ...input, replay_of: String(ctx.params.id).toLowerCase() }),
    }),
  );

  /**
   * @openapi
   * /webhook-deliveries/{id}/cancel:
   *   post:
   *     operationId: cancelWebhookDelivery
   *     summary: Cancel a delivery
   *     description: >-
   *       The delivery is not attempted again. 409 when it has succeeded or is exhausted; a
   *       cancelled delivery stays cancelled.
   */
  router.post('/webhook-deliveries/:id/cancel', serveWrite(api, cancelDelivery));

  /**
   * @openapi
   * /webhook-endpoints/{id}/test:
   *   post:
   *     operationId: testWebhookEndpoint
   *     summary: Send a test event
   *     description: >-
   *       The event is made up, and data.test marks it. It is sent whatever the endpoint's filters,
   *       and is listed among the deliveries but not among the events. 409 when the endpoint is
   *       disabled.
   */
  router.post(
    '/webhook-endpoints/:id/test',
    serveWrite(api, testEndpoint, {
      resourceLabel: 'endpoint',
      prepareInput: (input, ctx) => ({ ...input, endpoint_id: String(ctx.params.id).toLowerCase() }),
    }),
  );
}
