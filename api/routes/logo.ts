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
import { requireAccess } from '../middleware/access.js';
import { createRawBodyReader, type ParsedBody } from '../middleware/body.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';

export const logoRoutes = defineRoutes('Access', (router, api) => {
  const account = { getTargetId: (ctx: ApiContext) => ctx.state.key.tenantId };

  /**
   * @openapi
   * /settings/logo:
   *   get:
   *     operationId: getLogo
   *     summary: Get the logo of this account
   *     description: The image that invoices show. 404 while none is set.
   *     responses:
   *       '200':
   *         description: The image
   *         content:
   *           image/png:
   *             schema: { type: string, format: binary }
   *           image/jpeg:
   *             schema: { type: string, format: binary }
   *     x-errors: [404]
   */
  router.get('/settings/logo', requireAccess({ permission: 'read', agentScope: null }), async (ctx) => {
    const logo = await readLogo(api.db, ctx.state.key.tenantId);
    if (!logo) throw notFound('logo');
    respondWithLogo(ctx, logo);
  });

  /**
   * @openapi
   * /settings/logo:
   *   put:
   *     operationId: setLogo
   *     summary: Set the logo of this account
   *     description: >-
   *       The body is the image itself, a PNG or JPEG of at most 256 KiB and 2000 × 2000 pixels.
   *       The web page, the PDF and the mail of an invoice show it.
   *     requestBody:
   *       required: true
   *       content:
   *         image/png:
   *           schema: { type: string, format: binary }
   *         image/jpeg:
   *           schema: { type: string, format: binary }
   */
  router.put('/settings/logo', serveWrite(api, setLogo, { ...account, readBody: readLogoBody }));

  /**
   * @openapi
   * /settings/logo:
   *   delete:
   *     operationId: removeLogo
   *     summary: Remove the logo of this account
   *     description: Invoices then show only the account's name.
   */
  router.delete('/settings/logo', serveWrite(api, removeLogo, account));
});

const readBytes = createRawBodyReader(LOGO_TYPES, MAX_LOGO_BYTES);

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

/**
 * Responds with the logo. With nosniff, a browser does not guess the file's type, so it never runs
 * a script that the file may contain.
 */
export function respondWithLogo(ctx: ApiContext, { content_type: type, data }: StoredLogo): void {
  ctx.type = type;
  ctx.set('X-Content-Type-Options', 'nosniff');
  ctx.set('Content-Disposition', `inline; filename="logo.${type === 'image/png' ? 'png' : 'jpg'}"`);
  ctx.body = data;
}
