import {
  createClubEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  rotateWebhookSecret,
  updateWebhookEndpoint,
} from '../../shared/resources/webhook-endpoints/commands.js';
import { listWebhookEndpoints } from '../../shared/resources/webhook-endpoints/queries.js';
import { webhookEndpointListQuery } from '../../shared/resources/webhook-endpoints/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { createEndpointTransforms } from '../transforms/endpoint-transforms.js';

const admin = { permission: 'admin', agentScope: null } as const;

export const webhookEndpointRoutes = defineRoutes('Webhooks', (router, api) => {
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
   *     summary: List webhook endpoints
   *     description: Newest first, with the health of each.
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
   *     summary: Add a webhook endpoint
   *     description: >-
   *       The response shows, once, the secret that signs its deliveries. An account may have 50
   *       endpoints; another returns 409.
   *     x-resource: WebhookEndpointWithSecret
   *     x-callbacks: events
   */
  router.post(
    '/webhook-endpoints',
    serveWrite(api, createWebhookEndpoint, {
      chooseCommand: ({ club_id }) => (club_id ? createClubEndpoint : createWebhookEndpoint),
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
   *     summary: Get one webhook endpoint
   *     description: Never shows its secrets or the values of its headers.
   */
  router.get('/webhook-endpoints/:id', serveRecord(api, 'webhook_endpoint'));

  /**
   * @openapi
   * /webhook-endpoints/{id}:
   *   patch:
   *     operationId: updateWebhookEndpoint
   *     summary: Change a webhook endpoint
   *     description: >-
   *       JSON merge: an absent member is kept; headers are replaced as a whole. A disabled
   *       endpoint gets no new deliveries, and its waiting deliveries are cancelled.
   */
  router.patch(
    '/webhook-endpoints/:id',
    serveWrite(api, updateWebhookEndpoint, { prepareInput: changed, bodyToHash }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}/rotate-secret:
   *   post:
   *     operationId: rotateWebhookSecret
   *     summary: Replace the secret of a webhook endpoint
   *     description: >-
   *       The response shows the new secret, once. The old secret also signs deliveries for
   *       overlap_hours. Five old secrets may sign at a time; another rotation with an overlap
   *       returns 409. The ed25519 key of an endpoint that has one is replaced too.
   *     x-resource: WebhookEndpointWithSecret
   */
  router.post(
    '/webhook-endpoints/:id/rotate-secret',
    serveWrite(api, rotateWebhookSecret, { prepareInput: rotated, transformResponse }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}:
   *   delete:
   *     operationId: deleteWebhookEndpoint
   *     summary: Delete a webhook endpoint
   *     description: >-
   *       Its waiting deliveries are cancelled; its secrets and header values are destroyed. Its
   *       past deliveries stay listed.
   */
  router.delete('/webhook-endpoints/:id', serveWrite(api, deleteWebhookEndpoint));
});
