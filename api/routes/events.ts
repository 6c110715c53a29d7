import type { Access } from '../../shared/contracts/access.js';
import type { EventStreamQuery } from '../../shared/contracts/generated.js';
import { comparePositions, type EventPosition, parsePosition } from '../../shared/events/event-position.js';
import { readCurrentPosition } from '../../shared/events/read-events.js';
import { AppError } from '../../shared/platform/errors.js';
import { listEvents } from '../../shared/resources/events/queries.js';
import { eventListQuery, eventStreamQuery } from '../../shared/resources/events/schema.js';
import { requireAccess } from '../middleware/access.js';
import { readQuery } from '../middleware/query.js';
import { serveList, serveRecord } from '../middleware/read.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * Agent keys have no access: events show every kind of record, and no agent scope covers all kinds.
 */
const read: Access = { permission: 'read', agentScope: null };

export const eventRoutes = defineRoutes('Events', (router, api) => {
  /**
   * @openapi
   * /events:
   *   get:
   *     operationId: listEvents
   *     summary: List events
   *     description: Newest first. Each is the body that webhooks deliver.
   */
  router.get('/events', serveList(api, { access: read, schema: eventListQuery, buildQuery: listEvents }));

  /**
   * @openapi
   * /events/{id}:
   *   get:
   *     operationId: getEvent
   *     summary: Get one event
   */
  router.get('/events/:id', serveRecord(api, 'event'));

  /**
   * @openapi
   * /stream:
   *   get:
   *     operationId: streamEvents
   *     summary: Stream events as they happen
   *     description: >-
   *       Server-sent events; the data of each is an Event on one line. The response does not end
   *       by itself. A client that reconnects with the last id it received misses no event and
   *       receives none twice; without an id the stream starts with the events from now on. Ids are
   *       opaque and are not event ids. A comment every 15 seconds keeps the connection open. The
   *       stream ends within 5 seconds after its key is revoked or expires, or its session is
   *       signed out. It counts as one request, and a key or person may have 20 streams open.
   *     parameters:
   *       - name: Last-Event-ID
   *         in: header
   *         description: >-
   *           The last id that the client received; browsers send it automatically when they
   *           reconnect
   *         schema: { type: string }
   *         example: 48151-0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e
   *     responses:
   *       '200':
   *         description: Events, until either side closes the connection
   *         content:
   *           text/event-stream:
   *             schema: { type: string }
   *             example: |
   *               id: 48151-0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e
   *               event: invoice.created
   *               data: {"id":"0192f1c2-7d3c-7a52-b0a1-0d8a5b6c7d8e","type":"invoice.created"}
   */
  router.get('/stream', requireAccess(read), serveStream(api));
});

/**
 * Responds with a stream of server-sent events. The stream stays open until the client disconnects
 * or the client's credential is no longer valid.
 */
function serveStream(api: ApiRuntime): ApiMiddleware {
  return declareFacts({ query: eventStreamQuery }, async (ctx) => {
    const { key, findCurrentPrincipal } = ctx.state;
    const query = readQuery<EventStreamQuery>(ctx, eventStreamQuery);
    const position = await resolveStart(api, key.tenantId, lastEventId(ctx, query));
    api.streams.assertCapacity(key.id);
    ctx.status = 200;
    ctx.set({ 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-store', 'X-Accel-Buffering': 'no' });
    if (ctx.method === 'HEAD') {
      ctx.body = '';
      return;
    }
    // From here on, the stream writes the response. With `respond = false`, Koa does not end the
    // response.
    ctx.respond = false;
    api.streams.open({
      tenantId: key.tenantId,
      keyId: key.id,
      credentialId: key.session?.id ?? key.id,
      position,
      types: query.types?.split(',') ?? [],
      announcesChanges: query.changes === true,
      isAllowed: async () => (await findCurrentPrincipal()) !== undefined,
      response: ctx.res,
    });
  });
}

/**
 * Returns the id of the last event that the client received. The header takes precedence: a browser
 * that reconnects sends the newest id in the header, but its URL still contains an older id.
 */
function lastEventId(ctx: ApiContext, query: EventStreamQuery): { field: string; value: string } | undefined {
  const header = ctx.get('Last-Event-ID');
  if (header) return { field: 'Last-Event-ID', value: header };
  return query.last_event_id ? { field: 'last_event_id', value: query.last_event_id } : undefined;
}

/**
 * Returns the position after which the stream starts: the client's last event, or now if the client
 * names no event.
 * @throws {AppError} 400 for an id that no stream of this service can have sent
 */
async function resolveStart(
  api: ApiRuntime,
  tenantId: string,
  last: { field: string; value: string } | undefined,
): Promise<EventPosition> {
  const now = await readCurrentPosition(api.db, tenantId);
  if (!last) return now;
  const position = parsePosition(last.value);
  // A position after `now` comes from another database. A stream from that position would send
  // nothing.
  if (position && comparePositions(position, now) <= 0) return position;
  const { field } = last;
  throw new AppError(
    'validation_error',
    `${field} is not an id of this stream. Connect without it, and read GET /events for what you missed.`,
    { details: [{ field, code: 'invalid', message: `${field} is not an id of this stream` }] },
  );
}
