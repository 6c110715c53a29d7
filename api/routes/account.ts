import type { CommandResult } from '../../shared/contracts/command.js';
import type { Principal } from '../../shared/contracts/principal.js';
import { buildMcpUrl } from '../../shared/http/mcp-url.js';
import { canShowRecord, hideRecordContents } from '../../shared/operations/response-visibility.js';
import { type OperationView, readOperation } from '../../shared/operations/store.js';
import { notFound } from '../../shared/platform/errors.js';
import { isUuid } from '../../shared/platform/ids.js';
import { getCommandDefinition } from '../../shared/registry/resources.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { decryptSecretInResponse } from '../transforms/decrypt-secret.js';

export const accountRoutes = defineRoutes('Access', (router, api) => {
  /**
   * @openapi
   * /me:
   *   get:
   *     operationId: getMe
   *     summary: The account and rights of this key
   *     description: The call counts against the limits it shows.
   *     x-resource: Me
   */
  router.get('/me', (ctx) => {
    const { key, rateLimitWindows } = ctx.state;
    ctx.body = {
      tenant: {
        id: key.tenantId,
        name: key.tenantName,
        environment: key.environment,
        time_zone: key.timeZone,
      },
      key: {
        id: key.id,
        name: key.name,
        kind: key.kind,
        permissions: key.permissions,
        scopes: key.scopes,
        read_only: key.readOnly,
        expires_at: key.expiresAt === null ? null : new Date(key.expiresAt).toISOString(),
      },
      tier: key.tier,
      rate_limits: rateLimitWindows.map(({ window, limit, remaining, resetSeconds }) => ({
        window,
        limit,
        remaining,
        reset_seconds: resetSeconds,
      })),
      mcp_url: buildMcpUrl(api.config),
    };
  });

  /**
   * @openapi
   * /operations/{id}:
   *   get:
   *     operationId: getOperation
   *     summary: Get the outcome of a write that returned 202
   *     description: >-
   *       Operations are kept for 24 hours. result is the resource in its current state. Agent keys
   *       see only their own operations. Other keys see an operation with the permission read, or
   *       with admin if the write needed it.
   *     x-resource: Operation
   */
  router.get('/operations/:id', async (ctx) => {
    const { id } = ctx.params;
    const found = isUuid(id) ? await readOperation(api.db, ctx.state.key.tenantId, id) : undefined;
    if (!found || !canReadOperation(ctx.state.key, found)) throw notFound('operation');
    const { result, createdAt, status } = found;
    if (result?.ok) await api.consistency.addTo(ctx);
    ctx.body = {
      id: found.id,
      status,
      ...(result?.ok ? { result: resultFor(api, ctx.state.key, { operation: found, result }) } : {}),
      ...(result && !result.ok
        ? { error: hideRecordContents(ctx.state.key, getCommandDefinition(found.type), result.error) }
        : {}),
      created_at: createdAt,
    };
  });
});

/**
 * True if the key may read the operation. The keys of agents and motor clubs may read only their
 * own operations. Any other key needs the permission `admin` for an admin command, and the
 * permission `read` for other commands.
 */
function canReadOperation(key: Principal, operation: OperationView): boolean {
  if (key.kind === 'agent' || key.clubId !== undefined) return operation.actorId === key.id;
  return key.permissions.includes(
    getCommandDefinition(operation.type).permission === 'admin' ? 'admin' : 'read',
  );
}

function resultFor(
  api: ApiRuntime,
  key: Principal,
  { operation, result }: { operation: OperationView; result: Extract<CommandResult, { ok: true }> },
): object {
  const isShown = canShowRecord(key, getCommandDefinition(operation.type), result);
  return isShown ? revealSecret(api, operation, result.body) : { id: operation.entityId };
}

/**
 * Returns the result of the operation. A new key or secret is in clear text, as it would have been
 * in the response to the write.
 */
function revealSecret(
  api: ApiRuntime,
  { type, sealedSecret: commandSecret }: OperationView,
  body: string,
): Record<string, unknown> {
  return commandSecret
    ? decryptSecretInResponse(api, { type, body, commandSecret })
    : (JSON.parse(body) as Record<string, unknown>);
}
