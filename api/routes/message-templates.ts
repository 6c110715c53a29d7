import { notFound } from '../../shared/platform/errors.js';
import { READ } from '../../shared/records/resource-table.js';
import { updateMessageTemplate } from '../../shared/resources/message-templates/commands.js';
import { readMessageTemplates, templateId } from '../../shared/resources/message-templates/queries.js';
import { TEMPLATE_KEYS, type TemplateKey } from '../../shared/resources/message-templates/vocabulary.js';
import { requireAccess } from '../middleware/access.js';
import { setETag } from '../middleware/etag.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';

/** @throws {AppError} 404 if no template has this key */
function readKey(ctx: ApiContext): TemplateKey {
  const found = TEMPLATE_KEYS.find((key) => key === ctx.params.key);
  if (!found) throw notFound('message template');
  return found;
}

export const messageTemplateRoutes = defineRoutes('Customers', (router, api) => {
  /**
   * @openapi
   * /message-templates:
   *   get:
   *     operationId: listMessageTemplates
   *     summary: List the texts about jobs
   *     description: >-
   *       Returns all at once. No text is sent until its template is enabled. The words of an
   *       invoice's text are sms_text of /settings.
   *     x-list: MessageTemplate
   * /message-templates/{key}:
   *   get:
   *     operationId: getMessageTemplate
   *     summary: Get one text about jobs
   *     x-resource: MessageTemplate
   *   patch:
   *     operationId: updateMessageTemplate
   *     summary: Change one text about jobs
   *     description: 'JSON merge: an absent member is kept.'
   */
  router.get('/message-templates', requireAccess(READ), async (ctx) => {
    const templates = await readMessageTemplates(api.db, ctx.state.key.tenantId);
    const items = templates.map(({ body }) => JSON.parse(body) as object);
    ctx.body = { ok: true, data: { items, cursor: null, count: items.length } };
  });
  router.get('/message-templates/:key', requireAccess(READ), async (ctx) => {
    const key = readKey(ctx);
    const templates = await readMessageTemplates(api.db, ctx.state.key.tenantId);
    const body = templates.find((template) => template.key === key)?.body as string;
    ctx.type = 'application/json';
    setETag(ctx, body);
    ctx.body = body;
  });
  router.patch(
    '/message-templates/:key',
    serveWrite(api, updateMessageTemplate, {
      getTargetId: (ctx) => templateId(ctx.state.key.tenantId, readKey(ctx)),
      prepareInput: (input, ctx) => ({ ...input, key: readKey(ctx) }),
    }),
  );
});
