import { createApiKey, revokeApiKey, rollApiKey } from '../../shared/resources/api-keys/commands.js';
import { listApiKeys } from '../../shared/resources/api-keys/queries.js';
import { apiKeyListQuery } from '../../shared/resources/api-keys/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { ApiContext } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { isAlwaysSensitive } from '../runtime/recent-factor.js';
import { broadcastCredentialChange } from '../transforms/broadcast-credential-change.js';
import { createKeyTransforms } from '../transforms/key-transforms.js';

const idInPath = (ctx: ApiContext) => ctx.params.id;
const admin = { permission: 'admin', agentScope: null } as const;

export const apiKeyRoutes = defineRoutes('Access', (router, api) => {
  const { prepareInput, prepareRoll, transformResponse } = createKeyTransforms(api, 'api');

  /**
   * @openapi
   * /api-keys:
   *   get:
   *     operationId: listApiKeys
   *     summary: List API keys
   *     description: Newest first, including revoked and expired keys.
   */
  router.get(
    '/api-keys',
    serveList(api, { access: admin, schema: apiKeyListQuery, buildQuery: listApiKeys }),
  );

  /**
   * @openapi
   * /api-keys:
   *   post:
   *     operationId: createApiKey
   *     summary: Create an API key
   *     description: >-
   *       The response shows the key, once. An account may have 100 active keys, API keys and agent
   *       keys together; its sandbox has its own 100. Creating another returns 409 until a key is
   *       revoked or expires.
   *     x-resource: ApiKeyWithSecret
   */
  router.post(
    '/api-keys',
    serveWrite(api, createApiKey, { isSensitive: isAlwaysSensitive, prepareInput, transformResponse }),
  );

  /**
   * @openapi
   * /api-keys/{id}:
   *   get:
   *     operationId: getApiKey
   *     summary: Get one API key's record
   *     description: Never shows the key itself.
   */
  router.get('/api-keys/:id', serveRecord(api, 'api_key'));

  /**
   * @openapi
   * /api-keys/{id}/roll:
   *   post:
   *     operationId: rollApiKey
   *     summary: Replace an API key
   *     description: >-
   *       The new key has the same rights. The old key expires after overlap_hours and counts
   *       towards the account's 100 keys until then.
   *     x-resource: ApiKeyWithSecret
   */
  router.post(
    '/api-keys/:id/roll',
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, rollApiKey, {
      isSensitive: isAlwaysSensitive,
      prepareInput: prepareRoll,
      transformResponse,
    }),
  );

  /**
   * @openapi
   * /api-keys/{id}:
   *   delete:
   *     operationId: revokeApiKey
   *     summary: Revoke an API key
   *     description: Effective everywhere within 5 seconds.
   */
  router.delete(
    '/api-keys/:id',
    broadcastCredentialChange(api, idInPath),
    serveWrite(api, revokeApiKey, { isSensitive: isAlwaysSensitive }),
  );
});
