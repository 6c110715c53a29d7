import type Router from '@koa/router';
import { toJsonSchema } from '../../shared/contracts/schemas/json-schema.js';
import { toOpenApi } from '../../shared/contracts/schemas/to-openapi.js';
import { type Manifest, offersSignIn } from '../../shared/integrations/contract/vendor.js';
import { ADMIN } from '../../shared/records/resource-table.js';
import {
  createConnection,
  disconnectConnection,
  pauseConnection,
  reconnectConnection,
  replayOutboundOperations,
  resumeConnection,
  syncConnection,
  testConnection,
  updateConnection,
} from '../../shared/resources/connections/commands.js';
import {
  listCalls,
  listConnections,
  listOperations,
  listSyncRuns,
} from '../../shared/resources/connections/queries.js';
import {
  connectionCallListQuery,
  connectionListQuery,
  outboundOperationListQuery,
  syncRunListQuery,
} from '../../shared/resources/connections/schema.js';
import { requireAccess } from '../middleware/access.js';
import { serveList, serveRecord } from '../middleware/read.js';
import { serveWrite } from '../middleware/write.js';
import type { RequestState } from '../runtime/context.js';
import { defineRoutes } from '../runtime/define-routes.js';
import { isAlwaysSensitive } from '../runtime/recent-factor.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { createConnectionTransforms } from '../transforms/connection-transforms.js';

export const connectionRoutes = defineRoutes('Integrations', (router, api) => {
  const {
    created,
    changed,
    reconnected,
    showSignIn,
    hasCredentials,
    concealed: bodyToHash,
  } = createConnectionTransforms(api);

  /**
   * @openapi
   * /integrations:
   *   get:
   *     operationId: listIntegrations
   *     summary: List the vendors that can be connected
   *     description: >-
   *       Returns all at once, each with the JSON Schemas of its credentials and settings.
   *     x-list: Integration
   */
  router.get('/integrations', requireAccess(ADMIN), (ctx) => {
    const items = api.vendors.tenantVendors.map((vendor) => ({
      ...renderIntegration(vendor.manifest),
      sign_in: offersSignIn(vendor, api.config.integrations[vendor.manifest.vendor]),
    }));
    ctx.body = { ok: true, data: { items, cursor: null, count: items.length } };
  });

  /**
   * @openapi
   * /connections:
   *   get:
   *     operationId: listConnections
   *     summary: List connections
   *     description: Newest first, with the health of each. Disconnected ones stay listed.
   *   post:
   *     operationId: createConnection
   *     summary: Connect a vendor
   *     description: >-
   *       The connection is pending until the vendor has answered for the first time. For a vendor
   *       with OAuth, a person opens authorize_url within ten minutes and signs in there. If an API
   *       key sent the request, a page then names the account and asks the person to confirm. Live
   *       credentials are refused in a sandbox, and test credentials in a live account. An account
   *       may have 50 connections; another returns 409.
   *     x-resource: ConnectionWithSignIn
   */
  router.get(
    '/connections',
    serveList(api, { access: ADMIN, schema: connectionListQuery, buildQuery: listConnections }),
  );
  router.post(
    '/connections',
    serveWrite(api, createConnection, {
      prepareInput: created,
      transformResponse: showSignIn,
      bodyToHash,
      isSensitive: isAlwaysSensitive,
    }),
  );

  /**
   * @openapi
   * /connections/{id}:
   *   get:
   *     operationId: getConnection
   *     summary: Get one connection
   *     description: Never shows its credentials.
   *   patch:
   *     operationId: updateConnection
   *     summary: Change a connection
   *     description: >-
   *       JSON merge: an absent member is kept, also among the credentials; settings are replaced
   *       as a whole. New credentials are tried at once.
   *   delete:
   *     operationId: disconnectConnection
   *     summary: Disconnect a vendor
   *     description: >-
   *       Nothing is sent or read any more. The permission is revoked at the vendor, and the
   *       credentials are destroyed. Writes that wait fail; the history stays.
   */
  router.get('/connections/:id', serveRecord(api, 'connection'));
  const change = { prepareInput: changed, bodyToHash, isSensitive: hasCredentials };
  router.patch('/connections/:id', serveWrite(api, updateConnection, change));
  router.delete('/connections/:id', serveWrite(api, disconnectConnection));

  /**
   * @openapi
   * /connections/{id}/reconnect:
   *   post:
   *     operationId: reconnectConnection
   *     summary: Sign in at the vendor again
   *     description: >-
   *       For a vendor with OAuth. A person opens authorize_url within ten minutes, and confirms
   *       the connection if an API key sent the request.
   *     x-resource: ConnectionWithSignIn
   */
  router.post(
    '/connections/:id/reconnect',
    serveWrite(api, reconnectConnection, {
      prepareInput: reconnected,
      transformResponse: showSignIn,
      isSensitive: isAlwaysSensitive,
    }),
  );
  connectionActionRoutes(router, api);
  connectionHistoryRoutes(router, api);
});

function connectionActionRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  /**
   * @openapi
   * /connections/{id}/test:
   *   post:
   *     operationId: testConnection
   *     summary: Test a connection
   *     description: >-
   *       Asks the vendor what the connection leads to, shortly after the response. The result is
   *       in the runs, under the stream describe, and in the health.
   * /connections/{id}/pause:
   *   post:
   *     operationId: pauseConnection
   *     summary: Pause a connection
   *     description: Nothing is sent or read until it is resumed. Writes wait.
   * /connections/{id}/resume:
   *   post:
   *     operationId: resumeConnection
   *     summary: Resume a paused connection
   * /connections/{id}/sync:
   *   post:
   *     operationId: syncConnection
   *     summary: Read changes from the vendor now
   *     description: >-
   *       With since, what changed since then is read again. For the books, invoices released and
   *       payments received since then are also written, with the invoices that were paid; what
   *       is there already is only compared. One request writes some 5,000 of them, and next_since
   *       says where to continue. X-Service-Dry-Run counts them in pushed.
   *     x-resource: ConnectionPush
   */
  router.post('/connections/:id/test', serveWrite(api, testConnection));
  router.post('/connections/:id/pause', serveWrite(api, pauseConnection));
  router.post('/connections/:id/resume', serveWrite(api, resumeConnection));
  router.post('/connections/:id/sync', serveWrite(api, syncConnection));

  /**
   * @openapi
   * /connections/{id}/operations/replay:
   *   post:
   *     operationId: replayOutboundOperations
   *     summary: Try given-up writes again
   *     description: >-
   *       The dead operations of the period, at most 10,000 at a time. With dry_run or
   *       X-Service-Dry-Run it only counts.
   *     x-resource: ConnectionReplay
   */
  router.post(
    '/connections/:id/operations/replay',
    serveWrite(api, replayOutboundOperations, {
      isDryRun: (input) => input.dry_run === true,
    }),
  );
}

function connectionHistoryRoutes(router: Router<RequestState>, api: ApiRuntime): void {
  const parent = { entityType: 'connection', member: 'connection_id' as never };
  /**
   * @openapi
   * /connections/{id}/runs:
   *   get:
   *     operationId: listSyncRuns
   *     summary: List the runs of a connection
   *     description: Newest first, for 30 days. A run that found nothing new is not kept.
   *     x-list: SyncRun
   * /connections/{id}/operations:
   *   get:
   *     operationId: listOutboundOperations
   *     summary: List the writes of a connection
   *     description: Newest first. Finished ones are kept for 30 days.
   *     x-list: OutboundOperation
   * /connections/{id}/calls:
   *   get:
   *     operationId: listConnectionCalls
   *     summary: List the calls to the vendor
   *     description: Newest first, for 30 days. Bodies are reduced to the names of their fields.
   *     x-list: ConnectionCall
   */
  router.get(
    '/connections/:id/runs',
    serveList(api, { access: ADMIN, schema: syncRunListQuery, buildQuery: listSyncRuns, parent }),
  );
  router.get(
    '/connections/:id/operations',
    serveList(api, { access: ADMIN, schema: outboundOperationListQuery, buildQuery: listOperations, parent }),
  );
  router.get(
    '/connections/:id/calls',
    serveList(api, { access: ADMIN, schema: connectionCallListQuery, buildQuery: listCalls, parent }),
  );
}

function renderIntegration(manifest: Manifest) {
  const { vendor, kind, label: name, auth, credentialsSchema, settingsSchema, docsUrl } = manifest;
  return {
    vendor,
    kind,
    label: name,
    auth,
    credentials_schema: toJsonSchema(toOpenApi(credentialsSchema)),
    settings_schema: toJsonSchema(toOpenApi(settingsSchema)),
    docs_url: docsUrl,
  };
}
