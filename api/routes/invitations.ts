import type { InvitationAccept } from '../../shared/contracts/generated.js';
import { newId } from '../../shared/platform/ids.js';
import {
  buildAccessLink,
  computeLinkToken,
  hashLinkToken,
  isLinkToken,
} from '../../shared/resources/access-mails/link-token.js';
import {
  acceptInvitation,
  createInvitation,
  revokeInvitation,
} from '../../shared/resources/invitations/commands.js';
import {
  findOpenInvitation,
  listInvitations,
  type OpenInvitation,
} from '../../shared/resources/invitations/queries.js';
import { invitationAccept, invitationListQuery } from '../../shared/resources/invitations/schema.js';
import { findTenant } from '../../shared/resources/tenants/find-tenant.js';
import { countJoiningRequest } from '../joining/joining-limits.js';
import { brokenLink, submitByLink } from '../joining/link-commands.js';
import { requireLiveAccount } from '../joining/live-account.js';
import { readInput } from '../middleware/body.js';
import { setETag } from '../middleware/etag.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { assertSameOrigin } from '../middleware/session-cookie.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext, ApiMiddleware } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { isAlwaysSensitive } from '../runtime/recent-factor.js';
import { declareFacts } from '../runtime/route-facts.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const admin = { permission: 'admin', agentScope: null } as const;

export const invitationRoutes = defineRoutes('Access', (router, api) => {
  const computeToken = (id: string) => computeLinkToken(api.accessLinkKey, 'invitation', id);

  /**
   * @openapi
   * /invitations:
   *   get:
   *     operationId: listInvitations
   *     summary: List invitations
   *     description: >-
   *       Newest first. People belong to the live account; its sandbox returns 403. An invitation
   *       that ended is deleted after 30 days.
   */
  router.get(
    '/invitations',
    requireLiveAccount,
    serveList(api, { access: admin, schema: invitationListQuery, buildQuery: listInvitations }),
  );

  /**
   * @openapi
   * /invitations:
   *   post:
   *     operationId: createInvitation
   *     summary: Invite a person by mail
   *     description: >-
   *       Mails a link that works once, for 7 days. A new invitation of the same address replaces
   *       an open one, and so sends the mail again: at most 5 times a day. An account has at most
   *       100 open invitations, and creates at most 100 a day. Only an owner invites owners, and a
   *       key invites nobody who may approve.
   *     x-resource: InvitationWithLink
   */
  router.post(
    '/invitations',
    requireLiveAccount,
    serveWrite(api, createInvitation, {
      isSensitive: isAlwaysSensitive,
      prepareInput: (input, ctx) => ({
        ...input,
        token_hash: hashLinkToken(computeToken(ctx.state.targetId as string)),
      }),
      transformResponse: (body, { actor, dryRun }) => {
        const record = JSON.parse(body) as { id: string };
        const isShown = !api.config.smtpUrl && actor.type === 'user' && !dryRun;
        const link = isShown ? buildAccessLink(api.config, 'invitation', computeToken(record.id)) : null;
        return JSON.stringify({ ...record, accept_url: link });
      },
    }),
  );

  /**
   * @openapi
   * /invitations/{id}:
   *   get:
   *     operationId: getInvitation
   *     summary: Get one invitation
   *     description: Never shows the link.
   */
  router.get('/invitations/:id', requireLiveAccount, serveRecord(api, 'invitation'));

  /**
   * @openapi
   * /invitations/{id}:
   *   delete:
   *     operationId: revokeInvitation
   *     summary: Revoke an invitation
   *     description: >-
   *       The link stops working. An accepted invitation returns 409. Deactivating the person who
   *       invited, or taking the permission admin, revokes that person's open invitations.
   */
  router.delete(
    '/invitations/:id',
    requireLiveAccount,
    serveWrite(api, revokeInvitation, { isSensitive: isAlwaysSensitive }),
  );

  /**
   * @openapi
   * /invitations/{token}/accept:
   *   get:
   *     operationId: getInvitationOffer
   *     summary: Get what a link offers
   *     description: A link that does not work, for whatever reason, is 404.
   *     security: []
   *     x-resource: InvitationOffer
   *     x-errors: [406, 500, 503]
   */
  router.get('/invitations/:token/accept', declareFacts({ isPublic: true }, showOffer(api)));

  /**
   * @openapi
   * /invitations/{token}/accept:
   *   post:
   *     operationId: acceptInvitation
   *     summary: Accept an invitation
   *     description: >-
   *       Adds the person with the role of the invitation. Signs nobody in: send POST /session
   *       next. Idempotency-Key and dry run are not supported here.
   *     security: []
   *     x-resource: Invitation
   *     x-errors: [400, 403, 406, 409, 500, 503]
   */
  router.post(
    '/invitations/:token/accept',
    declareFacts({ isPublic: true, body: invitationAccept }, accept(api)),
  );
});

function showOffer(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    const invitation = await findByLink(api, ctx);
    const tenant = await findTenant(api.db, invitation.tenant_id);
    const { email, role, expires_at } = invitation;
    ctx.set('Cache-Control', 'no-store');
    ctx.body = { account: tenant?.name ?? '', email, role, expires_at: expires_at.toISOString() };
  };
}

function accept(api: ApiRuntime): ApiMiddleware {
  return async (ctx) => {
    assertSameOrigin(api, ctx);
    const { tenant_id: tenantId, id } = await findByLink(api, ctx);
    const { name, password } = await readInput<InvitationAccept>(ctx, invitationAccept);
    const input = { user_id: newId(), name, password_hash: await api.passwords.hash({ password, tenantId }) };
    const { body } = await submitByLink(api, ctx, {
      definition: acceptInvitation,
      tenantId,
      actor: { id: input.user_id, name },
      entityId: id,
      input,
    });
    ctx.type = 'application/json';
    setETag(ctx, body);
    ctx.body = body;
  };
}

async function findByLink(api: ApiRuntime, ctx: ApiContext): Promise<OpenInvitation> {
  await countJoiningRequest(api.limiter, 'links', ctx.ip);
  const token = String(ctx.params.token);
  const invitation = isLinkToken(token) ? await findOpenInvitation(api.db, token) : undefined;
  if (!invitation) throw brokenLink();
  return invitation;
}
