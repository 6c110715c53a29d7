import type Router from '@koa/router';
import { assertAccess } from '../../shared/contracts/access.js';
import {
  InvalidLogoError,
  LOGO_TYPES,
  type LogoType,
  MAX_LOGO_BYTES,
  readLogoImage,
} from '../../shared/documents/logo-image.js';
import { readLogo, type StoredLogo } from '../../shared/documents/logo-queries.js';
import { AppError, notFound } from '../../shared/platform/errors.js';
import { type LogoInput, removeLogo, setLogo } from '../../shared/resources/settings/commands.js';
import { createRawBodyReader, type ParsedBody } from '../middleware/body.js';
import { serveWrite } from '../middleware/write.js';
import type { AnyContext, ApiContext, RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';

export function logoRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  const account = { resourceLabel: 'account', getTargetId: (ctx: ApiContext) => ctx.state.key.tenantId };

  /**
   * @openapi
   * /settings/logo:
   *   get:
   *     operationId: getLogo
   *     tags: [Access]
   *     summary: Get the logo of this account
   *     description: The image that invoices show. 404 while none is set.
   *     responses:
   *       '200':
   *         description: The image
   *         headers:
   *           X-Request-Id: { $ref: '#/components/headers/XRequestId' }
   *           X-RateLimit-Remaining: { $ref: '#/components/headers/XRateLimitRemaining' }
   *           RateLimit: { $ref: '#/components/headers/RateLimit' }
   *           RateLimit-Policy: { $ref: '#/components/headers/RateLimitPolicy' }
   *         content:
   *           image/png:
   *             schema: { type: string, format: binary }
   *           image/jpeg:
   *             schema: { type: string, format: binary }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get('/settings/logo', async (context) => {
    const ctx = context as unknown as ApiContext;
    const { key } = ctx.state;
    assertAccess(key, { permission: 'read', agentScope: null });
    const logo = await readLogo(api.db, key.tenantId);
    if (!logo) throw notFound('logo');
    respondWithLogo(ctx, logo);
  });

  /**
   * @openapi
   * /settings/logo:
   *   put:
   *     operationId: setLogo
   *     tags: [Access]
   *     summary: Set the logo of this account
   *     description: >-
   *       The body is the image itself, a PNG or JPEG of at most 256 KiB and 2000 × 2000 pixels.
   *       The web page, the PDF and the mail of an invoice show it. Needs the permission admin.
   *     x-write: true
   *     requestBody:
   *       required: true
   *       content:
   *         image/png:
   *           schema: { type: string, format: binary }
   *         image/jpeg:
   *           schema: { type: string, format: binary }
   *     responses:
   *       '200': { x-resource: Settings }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.put('/settings/logo', serveWrite(api, setLogo, { ...account, readBody: readLogoBody }));

  /**
   * @openapi
   * /settings/logo:
   *   delete:
   *     operationId: removeLogo
   *     tags: [Access]
   *     summary: Remove the logo of this account
   *     description: Invoices then show only the account's name. Needs the permission admin.
   *     x-write: true
   *     responses:
   *       '200': { x-resource: Settings }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.delete('/settings/logo', serveWrite(api, removeLogo, account));
}

const readBytes = createRawBodyReader(LOGO_TYPES, MAX_LOGO_BYTES);

/** Reads the image in the request body as the input of the command. */
async function readLogoBody(ctx: ApiContext): Promise<ParsedBody> {
  const bytes = await readBytes(ctx);
  const type = ctx.is([...LOGO_TYPES]) as LogoType;
  const image = await readLogoImage(type, bytes).catch((error: unknown) => {
    if (!(error instanceof InvalidLogoError)) throw error;
    const { message } = error;
    throw new AppError('validation_error', `${message}.`, {
      details: [{ field: '', code: 'invalid', message }],
    });
  });
  const value: LogoInput = { ...image, data: image.data.toString('base64') };
  return { value, bytes: bytes.length };
}

/** Sends a logo. With nosniff a browser does not guess its type and runs no script in it. */
export function respondWithLogo(ctx: AnyContext, { content_type: type, data }: StoredLogo): void {
  ctx.type = type;
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Disposition', `inline; filename="logo.${type === 'image/png' ? 'png' : 'jpg'}"`);
  ctx.body = data;
}
