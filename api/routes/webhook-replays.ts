import type Router from '@koa/router';
import type { WebhookReplayCreate } from '../../shared/contracts/generated.js';
import { AppError } from '../../shared/platform/errors.js';
import {
  cancelReplay,
  createReplay,
  recoverEndpoint,
} from '../../shared/resources/webhook-replays/commands.js';
import { listReplays } from '../../shared/resources/webhook-replays/queries.js';
import { webhookReplayListQuery } from '../../shared/resources/webhook-replays/schema.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import type { ApiRuntime } from '../runtime/runtime.js';

const read = { permission: 'read', agentScope: null } as const;

export const webhookReplayRoutes = defineRoutes('Webhooks', (router, api) => {
  /**
   * @openapi
   * /webhook-replays:
   *   get:
   *     operationId: listWebhookReplays
   *     summary: List replays and recoveries
   *     description: Newest first.
   */
  router.get(
    '/webhook-replays',
    serveList(api, { access: read, schema: webhookReplayListQuery, buildQuery: listReplays }),
  );

  /**
   * @openapi
   * /webhook-replays/{id}:
   *   get:
   *     operationId: getWebhookReplay
   *     summary: Get one replay or recovery
   *     description: Its deliveries are in the list of deliveries, by replay_id.
   */
  router.get('/webhook-replays/:id', serveRecord(api, 'webhook_replay'));

  /**
   * @openapi
   * /webhook-replays/{id}/cancel:
   *   post:
   *     operationId: cancelWebhookReplay
   *     summary: Stop a replay or recovery
   *     description: >-
   *       The replay creates no more deliveries, and its open deliveries are cancelled. A replay
   *       with nothing left to stop stays as it is.
   */
  router.post('/webhook-replays/:id/cancel', serveWrite(api, cancelReplay));
  replayMakingRoutes(router, api);
});

function replayMakingRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /webhook-deliveries/replay:
   *   post:
   *     operationId: replayWebhookDeliveries
   *     summary: Replay the deliveries that match a filter
   *     description: >-
   *       Requires endpoint_id, since, or both. Each event goes to each endpoint once, oldest
   *       first, in portions that never delay live deliveries. Disabled endpoints are skipped;
   *       naming one in endpoint_id returns 409. Ten replays and recoveries of an account may run
   *       at a time; another returns 409. A dry run only counts.
   */
  router.post(
    '/webhook-deliveries/replay',
    serveWrite(api, createReplay, {
      prepareInput: async (input, ctx) => {
        assertBounded(input);
        const { endpoint_id: endpointId = null, ...filter } = input;
        const { tenantId } = ctx.state.key;
        return { ...input, plan: await api.planReplay({ tenantId, kind: 'replay', endpointId, filter }) };
      },
    }),
  );

  /**
   * @openapi
   * /webhook-endpoints/{id}/recover:
   *   post:
   *     operationId: recoverWebhookEndpoint
   *     summary: Deliver the events that an endpoint missed
   *     description: >-
   *       Delivers every event of the period that the endpoint subscribes to and that has neither
   *       arrived nor is still being delivered, including events from while it was disabled. Oldest
   *       first, in portions that never delay live deliveries. With dry_run or X-Service-Dry-Run it
   *       only counts. 409 when the endpoint is disabled, and when ten replays and recoveries of
   *       the account are running.
   */
  router.post(
    '/webhook-endpoints/:id/recover',
    serveWrite(api, recoverEndpoint, {
      resourceLabel: 'endpoint',
      isDryRun: (input) => input.dry_run === true,
      prepareInput: async (input, ctx) => {
        const { since, until = null } = input;
        const { tenantId } = ctx.state.key;
        const endpointId = String(ctx.params.id).toLowerCase();
        const filter = { since, until };
        return {
          ...input,
          plan: await api.planReplay({ tenantId, kind: 'recover', endpointId, filter }),
        };
      },
    }),
  );
}

/** @throws {AppError} 400 for a filter that would replay every event to every endpoint */
function assertBounded({ endpoint_id, since }: WebhookReplayCreate): void {
  if (endpoint_id !== undefined || since !== undefined) return;
  const message = 'endpoint_id or since is required';
  throw new AppError('validation_error', `${message}.`, {
    details: [{ field: 'since', code: 'required', message }],
  });
}
