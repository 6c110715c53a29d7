import type Joi from 'joi';
import type { WorkOrderPhotoListQuery } from '../../shared/contracts/generated.js';
import { AppError, notFound, serviceUnavailable } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import {
  createWorkOrderPhoto,
  deleteWorkOrderPhoto,
  type WorkOrderPhotoInput,
} from '../../shared/resources/work-order-photos/commands.js';
import { listWorkOrderPhotos, readPhotoObject } from '../../shared/resources/work-order-photos/queries.js';
import {
  workOrderPhotoListQuery,
  workOrderPhotosQuery,
} from '../../shared/resources/work-order-photos/schema.js';
import { StorageError } from '../../shared/storage/storage.js';
import { requireAccess } from '../middleware/access.js';
import type { ParsedBody } from '../middleware/body.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { readWriteHeaders, serveWrite } from '../middleware/write.js';
import { receivePhoto } from '../photos/receive-photo.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export const workOrderPhotoRoutes = defineRoutes('Work orders', (router, api) => {
  /**
   * @openapi
   * /work-orders/{id}/photos:
   *   get:
   *     operationId: listWorkOrderPhotos
   *     summary: List the photos of a work order
   *     description: Newest first.
   *     x-list: WorkOrderPhoto
   */
  router.get(
    '/work-orders/:id/photos',
    serveList(api, {
      access: read,
      schema: workOrderPhotosQuery as Joi.ObjectSchema<WorkOrderPhotoListQuery>,
      parent: { entityType: 'work_order', member: 'work_order_id' },
      buildQuery: listWorkOrderPhotos,
    }),
  );

  /**
   * @openapi
   * /work-orders/{id}/photos:
   *   post:
   *     operationId: addWorkOrderPhoto
   *     summary: Add a photo to a work order
   *     description: >-
   *       The body is the photo itself, a JPEG, PNG or WebP of at most 10 MiB and 50 million
   *       pixels. It is stored as a JPEG of at most 2048 pixels a side, without metadata such as
   *       the place. A work order has at most 50 photos; the same photo again is 409 conflict.
   *     requestBody:
   *       required: true
   *       content:
   *         image/jpeg:
   *           schema: { type: string, format: binary }
   *         image/png:
   *           schema: { type: string, format: binary }
   *         image/webp:
   *           schema: { type: string, format: binary }
   */
  const readBody = (ctx: ApiContext) => readPhotoBody(api, ctx);
  const bodyToHash = (body: unknown) => ({ ...(body as WorkOrderPhotoInput), object_key: '' });
  router.post(
    '/work-orders/:id/photos',
    serveWrite(api, createWorkOrderPhoto, { readBody, bodyToHash, resourceLabel: 'work order' }),
  );

  /**
   * @openapi
   * /photos/{id}/picture:
   *   get:
   *     operationId: getWorkOrderPhoto
   *     summary: Get the picture of a photo
   *     responses:
   *       '200':
   *         description: The picture
   *         content:
   *           image/jpeg:
   *             schema: { type: string, format: binary }
   */
  router.get('/photos/:id/picture', requireAccess(read), (ctx) => sendPhoto(api, ctx));

  /**
   * @openapi
   * /photos/{id}:
   *   delete:
   *     operationId: deleteWorkOrderPhoto
   *     summary: Delete a photo
   *     description: The picture is deleted from storage within two days.
   */
  router.delete('/photos/:id', serveWrite(api, deleteWorkOrderPhoto));

  /**
   * @openapi
   * /photos:
   *   get:
   *     operationId: listPhotos
   *     summary: List the photos of all work orders
   *     description: Newest first.
   */
  router.get(
    '/photos',
    serveList(api, { access: read, schema: workOrderPhotoListQuery, buildQuery: listWorkOrderPhotos }),
  );

  /**
   * @openapi
   * /photos/{id}:
   *   get:
   *     operationId: getPhoto
   *     summary: Get the facts about one photo
   *     description: The picture itself is at /photos/{id}/picture.
   */
  router.get('/photos/:id', serveRecord(api, 'work_order_photo'));
});

async function readPhotoBody(api: ApiRuntime, ctx: ApiContext): Promise<ParsedBody> {
  const { tenantId } = ctx.state.key;
  const { key, dryRun: isDryRun } = readWriteHeaders(ctx);
  const workOrderId = String(ctx.params.id).toLowerCase();
  const target = { tenantId, workOrderId, takenAt: null, isDryRun, hasKey: key !== undefined };
  const value = await receivePhoto(api, ctx, target);
  return { value, bytes: 0 };
}

async function sendPhoto({ db, storage, downloads }: ApiRuntime, ctx: ApiContext): Promise<void> {
  const { tenantId } = ctx.state.key;
  const { id } = ctx.params;
  const photo = isUuid(id) ? await readPhotoObject(db, { tenantId, photoId: id }) : undefined;
  if (!photo) throw notFound('photo');
  if (ctx.method === 'GET') downloads.track(ctx.res, tenantId);
  const found = await storage.open(photo.object_key).catch((error: unknown) => {
    if (!(error instanceof StorageError)) throw error;
    throw serviceUnavailable('The photo cannot be read right now. Try again shortly.', error);
  });
  if (!found) throw new AppError('not_found', 'The picture of this photo is gone.');
  ctx.type = photo.content_type;
  // With nosniff and this policy, a browser shows the file as a picture and never runs it.
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
  ctx.set('Content-Disposition', 'inline; filename="photo.jpg"');
  ctx.set('ETag', `"${photo.sha256}"`);
  // Browsers must ask again each time. After a sign-out, another person at this browser must not
  // see the picture.
  ctx.set('Cache-Control', 'private, no-cache');
  if (ctx.method === 'GET' && !ctx.res.destroyed) ctx.body = found.stream;
  else found.stream.destroy();
  ctx.length = photo.bytes;
}
