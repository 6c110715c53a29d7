import type Router from '@koa/router';
import { retryMessage, revokeMessageLink } from '../../shared/resources/messages/commands.js';
import { listMessages } from '../../shared/resources/messages/queries.js';
import { messageListQuery } from '../../shared/resources/messages/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export function messageRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /messages:
   *   get:
   *     operationId: listMessages
   *     tags: [Invoices]
   *     summary: List messages to customers
   *     description: >-
   *       Newest first, without their content. A message whose provider is outbox was stored but
   *       not sent: no mail server is configured, text messages have no provider yet, or the
   *       account is a sandbox. Not for agent keys.
   *     x-query: MessageListQuery
   *     responses:
   *       '200': { x-list: MessageListItem }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get(
    '/messages',
    serveList(api, { access: read, schema: messageListQuery, buildQuery: listMessages }),
  );

  /**
   * @openapi
   * /messages/{id}:
   *   get:
   *     operationId: getMessage
   *     tags: [Invoices]
   *     summary: Get one message with its content
   *     description: Includes the link that opens the invoice for its customer. Not for agent keys.
   *     responses:
   *       '200': { x-resource: Message }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/messages/:id',
    serveRecord(api, { access: read, entityType: 'message', resourceLabel: 'message' }),
  );

  /**
   * @openapi
   * /messages/{id}/retry:
   *   post:
   *     operationId: retryMessage
   *     tags: [Invoices]
   *     summary: Send a failed message again
   *     description: >-
   *       The message is written again from the current state of the invoice, with a new link. A
   *       message that has not failed stays as it is. Needs the permission approve.
   *     x-body: MessageAction
   *     responses:
   *       '200': { x-resource: Message }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/messages/:id/retry', serveWrite(api, retryMessage, { resourceLabel: 'message' }));

  /**
   * @openapi
   * /messages/{id}/revoke-link:
   *   post:
   *     operationId: revokeMessageLink
   *     tags: [Invoices]
   *     summary: Revoke the link in a message
   *     description: >-
   *       For a message that went to the wrong person: the link no longer opens the invoice. Needs
   *       the permission approve.
   *     x-body: MessageAction
   *     responses:
   *       '200': { x-resource: Message }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post('/messages/:id/revoke-link', serveWrite(api, revokeMessageLink, { resourceLabel: 'message' }));
}
