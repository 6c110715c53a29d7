import type Router from '@koa/router';
import { createAgentKey, revokeAgentKey, rollAgentKey } from '../../shared/resources/agent-keys/commands.js';
import { listAgentKeys } from '../../shared/resources/agent-keys/queries.js';
import { agentKeyListQuery } from '../../shared/resources/agent-keys/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext, RequestState } from '../runtime/context.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { broadcastCredentialChange } from '../transforms/broadcast-credential-change.js';
import { createKeyTransforms } from '../transforms/key-transforms.js';

const idInPath = (ctx: ApiContext) => ctx.params.id;
const admin = { permission: 'admin', agentScope: null } as const;

export function agentKeyRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  const { complete: prepareInput, reveal: transformResponse } = createKeyTransforms(api, 'agent');

  /**
   * @openapi
   * /agent-keys:
   *   get:
   *     operationId: listAgentKeys
   *     tags: [Access]
   *     summary: List agent keys
   *     description: Newest first, including revoked and expired keys. Needs the permission admin.
   *     x-query: AgentKeyListQuery
   *     responses:
   *       '200': { x-list: AgentKey }
   *       x-errors: [400, 401, 403, 429, 503]
   */
  router.get(
    '/agent-keys',
    serveList(api, { access: admin, schema: agentKeyListQuery, buildQuery: listAgentKeys }),
  );

  /**
   * @openapi
   * /agent-keys:
   *   post:
   *     operationId: createAgentKey
   *     tags: [Access]
   *     summary: Create an agent key
   *     description: >-
   *       The response shows the key, once. An account may have 100 active keys, API keys and agent
   *       keys together; its sandbox has its own 100. Creating another returns 409 until a key is
   *       revoked or expires. Needs the permission admin.
   *     x-body: AgentKeyCreate
   *     responses:
   *       '201': { x-resource: AgentKeyWithSecret }
   *       x-errors: [400, 401, 403, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/agent-keys',
    serveWrite(api, createAgentKey, { resourceLabel: 'agent key', prepareInput, transformResponse }),
  );

  /**
   * @openapi
   * /agent-keys/{id}:
   *   get:
   *     operationId: getAgentKey
   *     tags: [Access]
   *     summary: Get one agent key's record
   *     description: Never shows the key itself. Needs the permission admin.
   *     responses:
   *       '200': { x-resource: AgentKey }
   *       x-errors: [401, 403, 404, 429, 503]
   */
  router.get(
    '/agent-keys/:id',
    serveRecord(api, { access: admin, entityType: 'agent_key', resourceLabel: 'agent key' }),
  );

  /**
   * @openapi
   * /agent-keys/{id}/roll:
   *   post:
   *     operationId: rollAgentKey
   *     tags: [Access]
   *     summary: Replace an agent key
   *     description: >-
   *       The new key has the same scopes. The old key expires after overlap_hours and counts
   *       towards the account's 100 keys until then. Needs the permission admin.
   *     x-body: ApiKeyRoll
   *     responses:
   *       '201': { x-resource: AgentKeyWithSecret }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.post(
    '/agent-keys/:id/roll',
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, rollAgentKey, {
      resourceLabel: 'agent key',
      prepareInput: (input, ctx) => ({
        ...prepareInput(input, ctx),
        from_id: String(ctx.params.id).toLowerCase(),
      }),
      transformResponse,
    }),
  );

  /**
   * @openapi
   * /agent-keys/{id}:
   *   delete:
   *     operationId: revokeAgentKey
   *     tags: [Access]
   *     summary: Revoke an agent key
   *     description: Effective everywhere within 5 seconds. Needs the permission admin.
   *     x-write: true
   *     responses:
   *       '200': { x-resource: AgentKey }
   *       x-errors: [400, 401, 403, 404, 409, 413, 415, 422, 429, 503]
   */
  router.delete(
    '/agent-keys/:id',
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, revokeAgentKey, { resourceLabel: 'agent key' }),
  );
}
