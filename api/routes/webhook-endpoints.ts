import type Router from '@koa/router';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../shared/resources/webhook-endpoints/commands.js';
import { listWebhookEndpoints } from '../../shared/resources/webhook-endpoints/queries.js';
import { webhookEndpointListQuery } from '../../shared/resources/webhook-endpoints/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { createEndpointTransforms } from '../transforms/endpoint-transforms.js';

const admin = { permission: 'admin', agentScope: null } as const;
const label = 'webhook endpoint';

export function webhookEndpointRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  const {
    created,
    changed,
    rotated,
    reveal: transformResponse,
    concealed: bodyToHash,
  } = createEndpointTransforms(api);

  /**
   * @openapi
   * /webhook-endpoints:
   *   get:
   *     operationId: listWebhookEndpoints
   *     tags: [Webhooks]
   *     summary: List webhook endpoints
   *     description: Newest first, with the health of each. Needs the permission admin.
   *     x-query: WebhookEndpointListQuery
   *     responses:
   *       '200': { x-list: WebhookEndpoint }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get(
    '/webhook-endpoints',
    serveList(api, { access: admin, schema: webhookEndpointListQuery, buildQuery: listWebhookEndpoints }),
  );

  /**
   * @openapi
   * /webhook-endpoints:
   *   post:
   *     operationId: createWebhookEndpoint
   *     tags: [Webhooks]
   *     summary: Add a webhook endpoint
   *     description: >-
   *       The response shows, once, the secret that signs its deliveries. An account may have 50
   *       endpoints; another returns 409. Needs the permission admin.
   *     x-body: WebhookEndpointCreate
   *     x-callbacks: events
   *     responses:
   *       '201': { x-resource: WebhookEndpointWithSecret }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/webhook-endpoints',
    serveWrite(api, createWebhookEndpoint, {
      resourceLabel: label,
      prepareInput: created,
      transformResponse,
      bodyToHash,
    }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}:
   *   get:
   *     operationId: getWebhookEndpoint
   *     tags: [Webhooks]
   *     summary: Get one webhook endpoint
   *     description: >-
   *       Never shows its secrets or the values of its headers. Needs the permission admin.
   *     responses:
   *       '200': { x-resource: WebhookEndpoint }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/webhook-endpoints/:id',
    serveRecord(api, { access: admin, entityType: 'webhook_endpoint', resourceLabel: label }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}:
   *   patch:
   *     operationId: updateWebhookEndpoint
   *     tags: [Webhooks]
   *     summary: Change a webhook endpoint
   *     description: >-
   *       JSON merge: an absent member is kept; headers are replaced as a whole. A disabled
   *       endpoint gets no new deliveries, and its waiting deliveries are cancelled. Needs the
   *       permission admin.
   *     x-body: WebhookEndpointPatch
   *     responses:
   *       '200': { x-resource: WebhookEndpoint }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.patch(
    '/webhook-endpoints/:id',
    serveWrite(api, updateWebhookEndpoint, { resourceLabel: label, prepareInput: changed, bodyToHash }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}/rotate-secret:
   *   post:
   *     operationId: rotateWebhookSecret
   *     tags: [Webhooks]
   *     summary: Replace the secret of a webhook endpoint
   *     description: >-
   *       The response shows the new secret, once. The old secret also signs deliveries for
   *       overlap_hours. Five old secrets may sign at a time; another rotation with an overlap
   *       returns 409. The ed25519 key of an endpoint that has one is replaced too. Needs the
   *       permission admin.
   *     x-body: WebhookEndpointRotate
   *     responses:
   *       '200': { x-resource: WebhookEndpointWithSecret }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/webhook-endpoints/:id/rotate-secret',
    serveWrite(api, rotateWebhookSecret, { resourceLabel: label, prepareInput: rotated, transformResponse }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}:
   *   delete:
   *     operationId: deleteWebhookEndpoint
   *     tags: [Webhooks]
   *     summary: Delete a webhook endpoint
   *     description: >-
   *       Its waiting deliveries are cancelled; its secrets and header values are destroyed. Its
   *       past deliveries stay listed. Needs the permission admin.
   *     x-write: true
   *     responses:
   *       '200': { x-resource: WebhookEndpoint }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.delete('/webhook-endpoints/:id', serveWrite(api, deleteWebhookEndpoint, { resourceLabel: label }));
}
