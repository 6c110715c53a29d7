import { assertAccess } from '../../shared/contracts/access.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { ADMIN } from '../../shared/records/resource-table.js';
import { previewBooking, readBookingConnection } from '../../shared/resources/books/preview.js';
import { bookingPreviewQuery } from '../../shared/resources/books/preview-schema.js';
import { readQuery } from '../middleware/query.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';

/** The period of a preview that names none. */
const DEFAULT_DAYS = 90;

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

export const bookingPreviewRoutes = defineRoutes('Integrations', (router, api) => {
  /**
   * @openapi
   * /connections/{id}/booking-preview:
   *   get:
   *     operationId: previewBooking
   *     summary: Count what a sync would write in the books
   *     description: >-
   *       Counts what POST /connections/{id}/sync with the same since would write, without void
   *       invoices, and names what would stop it. It asks the vendor nothing, so it does not know
   *       which customers and invoices the bookkeeper has entered there. Connections that keep no
   *       books write nothing.
   *     x-resource: BookingPreview
   */
  router.get(
    '/connections/:id/booking-preview',
    declareFacts({ access: ADMIN, query: bookingPreviewQuery }, async (ctx: ApiContext) => {
      const { key } = ctx.state;
      assertAccess(key, ADMIN);
      const { since = daysAgo(DEFAULT_DAYS) } = readQuery(ctx, bookingPreviewQuery);
      const connectionId = String(ctx.params.id).toLowerCase();
      const account = { tenantId: key.tenantId, connectionId };
      const connection = isUuid(connectionId) ? await readBookingConnection(api.db, account) : undefined;
      if (!connection) throw notFound('connection');
      const limits = api.vendors.find(connection.vendor)?.manifest.bookLimits ?? {};
      ctx.body = await previewBooking(api.db, account, { connection, since, limits });
    }),
  );
});
