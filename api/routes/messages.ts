import { createMessage, retryMessage, revokeMessageLink } from '../../shared/resources/messages/commands.js';
import { listMessages } from '../../shared/resources/messages/queries.js';
import { messageListQuery } from '../../shared/resources/messages/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import { defineRoutes } from '../runtime/define-routes.js';

const read = { permission: 'read', agentScope: null } as const;

export const messageRoutes = defineRoutes('Invoices', (router, api) => {
  /**
   * @openapi
   * /messages:
   *   get:
   *     operationId: listMessages
   *     summary: List messages to and from customers
   *     description: >-
   *       Newest first, without their content. A message whose provider is outbox was stored but
   *       not sent: no mail server is configured, text messages have no provider yet, or the
   *       account is a sandbox.
   *     x-list: MessageListItem
   *   post:
   *     operationId: createMessage
   *     summary: Send a text
   *     description: >-
   *       Sends a text through the connected vendor, to the contact of a job or to another number.
   *       A number that asked for no more texts gets none: the message then fails.
   */
  router.get(
    '/messages',
    serveList(api, { access: read, schema: messageListQuery, buildQuery: listMessages }),
  );
  router.post('/messages', serveWrite(api, createMessage));

  /**
   * @openapi
   * /messages/{id}:
   *   get:
   *     operationId: getMessage
   *     summary: Get one message with its content
   *     description: Includes the link that opens the invoice for its customer.
   */
  router.get('/messages/:id', serveRecord(api, 'message'));

  /**
   * @openapi
   * /messages/{id}/retry:
   *   post:
   *     operationId: retryMessage
   *     summary: Send a failed message again
   *     description: >-
   *       The message is written again from the current state of the invoice, with a new link. A
   *       message that has not failed stays as it is.
   */
  router.post('/messages/:id/retry', serveWrite(api, retryMessage));

  /**
   * @openapi
   * /messages/{id}/revoke-link:
   *   post:
   *     operationId: revokeMessageLink
   *     summary: Revoke the link in a message
   *     description: >-
   *       For a message that went to the wrong person: the link no longer opens the invoice.
   */
  router.post('/messages/:id/revoke-link', serveWrite(api, revokeMessageLink));
});
