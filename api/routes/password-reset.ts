import type { PasswordResetRequest, PasswordResetUse } from '../../shared/contracts/generated.js';
import { serviceUnavailable } from '../../shared/platform/errors.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { isLinkToken } from '../../shared/resources/access-mails/link-token.js';
import { findOpenReset } from '../../shared/resources/access-mails/reset-rows.js';
import { storeResetRequest } from '../../shared/resources/access-mails/store-reset-request.js';
import { KEY_CHANGED_CHANNEL } from '../../shared/resources/api-keys/credential-cache.js';
import { resetPassword } from '../../shared/resources/users/commands.js';
import { passwordResetRequest, passwordResetUse } from '../../shared/resources/users/joining-schema.js';
import { countJoiningRequest, mayMailAddress } from '../joining/joining-limits.js';
import { brokenLink, submitByLink } from '../joining/link-commands.js';
import { readInput } from '../middleware/body.js';
import { assertSameOrigin } from '../middleware/session-cookie.js';
import type { ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

/**
 * The response is the same for every address, so that no client learns whether an address has an
 * account.
 */
const REQUESTED = { ok: true, message: 'If this address can sign in, a mail with a link is on its way.' };

export const passwordResetRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /password-reset:
   *   post:
   *     operationId: requestPasswordReset
   *     summary: Ask for a new password
   *     description: >-
   *       Mails a link for each account in which this address can sign in. The link works once, for
   *       30 minutes. The response does not depend on whether the address has an account. Requests
   *       beyond the limits of an address have no further effect.
   *     security: []
   *     x-resource: Acknowledgement
   *     x-errors: [400, 403, 406, 500, 503]
   */
  router.post(
    '/password-reset',
    declareFacts({ isPublic: true, body: passwordResetRequest, status: 202 }, request(api)),
  );

  /**
   * @openapi
   * /password-reset/{token}:
   *   post:
   *     operationId: resetPassword
   *     summary: Set a new password by a mailed link
   *     description: >-
   *       Ends all sessions of the person within 5 seconds, and makes all other links to set the
   *       password useless. Signs nobody in. A link that does not work, for whatever reason, is
   *       404.
   *     security: []
   *     x-resource: Acknowledgement
   *     x-errors: [400, 403, 406, 500, 503]
   */
  router.post('/password-reset/:token', declareFacts({ isPublic: true, body: passwordResetUse }, reset(api)));
});

function request(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    await countJoiningRequest(api.limiter, 'mails', ctx.ip);
    const { email } = await readInput<PasswordResetRequest>(ctx, passwordResetRequest);
    if (await mayMailAddress(api.limiter, { purpose: 'reset', email, ip: ctx.ip })) {
      const isStored = await storeResetRequest(api.db, { email, network: findNetworkPrefix(ctx.ip) });
      if (!isStored) throw serviceUnavailable('Too many requests wait. Try again later.');
      await api.promptAccessMails();
    }
    ctx.status = 202;
    ctx.body = REQUESTED;
  };
}

function reset(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    await countJoiningRequest(api.limiter, 'links', ctx.ip);
    const token = String(ctx.params.token);
    const open = isLinkToken(token) ? await findOpenReset(api.db, token) : undefined;
    if (!open) throw brokenLink();
    const { password } = await readInput<PasswordResetUse>(ctx, passwordResetUse);
    await submitByLink(api, ctx, {
      definition: resetPassword,
      tenantId: open.tenant_id,
      actor: { id: open.user_id, name: null },
      entityId: open.user_id,
      input: {
        reset_id: open.id,
        password_hash: await api.passwords.hash({ password, tenantId: open.tenant_id }),
      },
    });
    await api.bus.publish(KEY_CHANGED_CHANNEL, open.user_id).catch((error: unknown) => {
      api.logger.warn({ err: error }, 'a new password was not broadcast; cached sessions expire');
    });
    ctx.body = { ok: true, message: 'The password is set. Sign in with it.' };
  };
}
