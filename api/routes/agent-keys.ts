import { createAgentKey, revokeAgentKey, rollAgentKey } from '../../shared/resources/agent-keys/commands.js';
import { listAgentKeys } from '../../shared/resources/agent-keys/queries.js';
import { agentKeyListQuery } from '../../shared/resources/agent-keys/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { isAlwaysSensitive } from '../runtime/recent-factor.js';
import { broadcastCredentialChange } from '../transforms/broadcast-credential-change.js';
import { createKeyTransforms } from '../transforms/key-transforms.js';

const idInPath = (ctx: ApiContext) => ctx.params.id;
const admin = { permission: 'admin', agentScope: null } as const;

export const agentKeyRoutes = defineRoutes('Access', (router, api) => {
  const { prepareInput, prepareRoll, transformResponse } = createKeyTransforms(api, 'agent');

  /**
   * @openapi
   * /agent-keys:
   *   get:
   *     operationId: listAgentKeys
   *     summary: List agent keys
   *     description: Newest first, including revoked and expired keys.
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
   *     summary: Create an agent key
   *     description: >-
   *       The response shows the key, once. An account may have 100 active keys, API keys and agent
   *       keys together; its sandbox has its own 100. Creating another returns 409 until a key is
   *       revoked or expires.
   *     x-resource: AgentKeyWithSecret
   */
  router.post(
    '/agent-keys',
    serveWrite(api, createAgentKey, { isSensitive: isAlwaysSensitive, prepareInput, transformResponse }),
  );

  /**
   * @openapi
   * /agent-keys/{id}:
   *   get:
   *     operationId: getAgentKey
   *     summary: Get one agent key's record
   *     description: Never shows the key itself.
   */
  router.get('/agent-keys/:id', serveRecord(api, 'agent_key'));

  /**
   * @openapi
   * /agent-keys/{id}/roll:
   *   post:
   *     operationId: rollAgentKey
   *     summary: Replace an agent key
   *     description: >-
   *       The new key has the same scopes. The old key expires after overlap_hours and counts
   *       towards the account's 100 keys until then.
   *     x-resource: AgentKeyWithSecret
   */
  router.post(
    '/agent-keys/:id/roll',
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, rollAgentKey, {
      isSensitive: isAlwaysSensitive,
      prepareInput: prepareRoll,
      transformResponse,
    }),
  );

  /**
   * @openapi
   * /agent-keys/{id}:
   *   delete:
   *     operationId: revokeAgentKey
   *     summary: Revoke an agent key
   *     description: Effective everywhere within 5 seconds.
   */
  router.delete(
    '/agent-keys/:id',
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, revokeAgentKey, { isSensitive: isAlwaysSensitive }),
  );
});
