import type { Access } from '../../shared/contracts/access.js';
import { EVENT_TYPES } from '../../shared/contracts/vocabulary.js';
import { notFound } from '../../shared/platform/errors.js';
import { describeEventType } from '../../shared/resources/event-types/bodies.js';
import { requireAccess } from '../middleware/access.js';
import { defineRoutes } from '../runtime/define-routes.js';

/**
 * Agent keys have no access: event types show every kind of record, and no agent scope covers all
 * kinds.
 */
const read: Access = { permission: 'read', agentScope: null };

export const eventTypeRoutes = defineRoutes('Events', (router) => {
  /**
   * @openapi
   * /event-types:
   *   get:
   *     operationId: listEventTypes
   *     summary: List event types
   *     description: >-
   *       Returns all types at once, each with the JSON Schema of its delivered body and an
   *       example.
   *     x-list: EventType
   */
  router.get('/event-types', requireAccess(read), (ctx) => {
    const items = EVENT_TYPES.map(describeEventType);
    ctx.body = { ok: true, data: { items, cursor: null, count: items.length } };
  });

  /**
   * @openapi
   * /event-types/{type}:
   *   get:
   *     operationId: getEventType
   *     summary: Get one event type
   *     x-resource: EventType
   */
  router.get('/event-types/:type', requireAccess(read), (ctx) => {
    const type = EVENT_TYPES.find((one) => one === ctx.params.type);
    if (!type) throw notFound('event type');
    ctx.body = describeEventType(type);
  });
});
