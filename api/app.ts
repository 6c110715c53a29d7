import Router from '@koa/router';
import Koa from 'koa';
import { assertReadMethod, methodNotAllowed } from '../shared/http/request.js';
import { AppError } from '../shared/platform/errors.js';
import {
  type Check,
  createHealthReader,
  createServingChecks,
  HEALTH_PATHS,
  type HealthResponse,
} from '../shared/server/health.js';
import { admit } from './admission/admit.js';
import { serveDashboard } from './dashboard/serve-dashboard.js';
import { requireFactorSetup } from './middleware/access.js';
import { auditDenials } from './middleware/audit-denials.js';
import { authenticate } from './middleware/authenticate.js';
import { handleErrors } from './middleware/errors.js';
import { limitUnreadPublicResponses, limitUnreadResponses } from './middleware/limit-unread-responses.js';
import { negotiate } from './middleware/negotiate.js';
import { limitRate } from './middleware/rate-limit.js';
import { refuseInvalidTarget, requestContext } from './middleware/request-context.js';
import { reportUnknownNames } from './middleware/warnings.js';
import { serveDriverPages } from './public/driver/driver-pages.js';
import { serveVendorHooks } from './public/hooks/vendor-hooks.js';
import { serveInvoicePages } from './public/invoice-pages.js';
import { serveOAuthCallback } from './public/oauth-callback.js';
import { serveReturnPages } from './public/pay-page.js';
import { servePretendPay } from './public/pretend-pay.js';
import { servePretendReader } from './public/pretend-reader.js';
import { servePretendSetup } from './public/pretend-setup.js';
import { serveTrackingPages } from './public/tracking/tracking-pages.js';
import { documentRoutes } from './routes/document.js';
import { exportDownloadRoute } from './routes/export-download.js';
import * as routes from './routes/index.js';
import type { ApiContext, ApiMiddleware, RequestState } from './runtime/context.js';
import { createDownloadObjectFinder } from './runtime/export-links.js';
import { isPublic, readsQuery, worksWithoutFactor } from './runtime/route-facts.js';
import { RouteIndex, type RouteLayer } from './runtime/route-index.js';
import type { ApiRuntime } from './runtime/runtime.js';

/**
 * The version prefixes of the API's paths. Both prefixes lead to the same router (docs/decisions.md
 * §1, row 2).
 */
const PREFIXES = ['/v1', '/api/v1'];

/** Returns a router with all routes. Their paths have no version prefix. */
export function createRouter(api: ApiRuntime): Router<RequestState> {
  const router = new Router<RequestState>();
  for (const { addTo } of Object.values(routes)) addTo(router, api);
  return router;
}

/**
 * Builds the Koa application. It does not listen on a port.
 * @param checks further checks for /readyz, besides the checks of the stores
 */
export async function createApp(api: ApiRuntime, checks: Check[] = []): Promise<Koa> {
  const app = new Koa({ proxy: api.config.trustProxy });
  app.silent = true;
  const use = (middleware: ApiMiddleware) => app.use(middleware as Koa.Middleware);
  use(requestContext(api));
  use(handleErrors(api.logger));
  use(refuseInvalidTarget);
  use(serveHealth(createHealthReader(api, [...createServingChecks(api), ...checks])));
  use(limitUnreadPublicResponses(api));
  use(serveInvoicePages(api));
  use(serveReturnPages());
  use(servePretendPay(api));
  use(servePretendReader(api));
  use(servePretendSetup(api));
  use(serveTrackingPages(api));
  use(serveDriverPages(api));
  use(serveVendorHooks(api));
  use(serveOAuthCallback(api));
  use(serveDashboard(api.config.map));
  use(detectVersionPrefix);
  use(exportDownloadRoute({ ...api, findObject: createDownloadObjectFinder(api.db) }));
  use(documentRoutes());
  const guards = [
    authenticate(api),
    admit(api),
    limitRate(api),
    limitUnreadResponses(api),
    recordKeyUse(api),
    auditDenials(api),
  ];
  use(dispatch(createRouter(api), guards, requireFactorSetup(api)));
  return app;
}

function serveHealth(readHealth: (path: string) => Promise<HealthResponse>): ApiMiddleware {
  return async (ctx, next) => {
    if (!HEALTH_PATHS.has(ctx.path)) return next();
    ctx.state.route = ctx.path;
    ctx.set('Cache-Control', 'no-store');
    assertReadMethod(ctx.method);
    const { status, contentType, body } = await readHealth(ctx.path);
    ctx.status = status;
    ctx.type = contentType;
    ctx.body = body;
  };
}

/**
 * Stores the version prefix of the request's path in `ctx.state.prefix`, because the router's paths
 * have no prefix. Responds with 404 if a path starts neither with a prefix nor with `/docs`.
 */
const detectVersionPrefix: ApiMiddleware = async (ctx, next) => {
  const prefix = PREFIXES.find((candidate) => ctx.path === candidate || ctx.path.startsWith(`${candidate}/`));
  ctx.state.prefix = prefix ?? '';
  if (prefix || ctx.path.startsWith('/docs')) return next();
  const path = ctx.path.slice(0, 100);
  const message = `There is no ${path} here. REST lives under /v1; its reference is at /docs.`;
  throw new AppError('not_found', message);
};

function recordKeyUse(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    api.recordKeyUse(ctx.state.key);
    await next();
  };
}

/**
 * Runs the last route that matches the request. Runs the guards first, unless the route is public.
 * Sets `ctx.state.route` before a guard can refuse the request, so that metrics count a 401 or 429
 * under its route. This function replaces the router's own `routes()`, which costs more CPU
 * (docs/adr/0018-route-dispatch.md).
 */
function dispatch(
  router: Router<RequestState>,
  guards: ApiMiddleware[],
  setup: ApiMiddleware,
): ApiMiddleware {
  const chains = router.stack.map((layer) => {
    const handlers = layer.stack as unknown as ApiMiddleware[];
    const checks = worksWithoutFactor(handlers) ? guards : [...guards, setup];
    const before = [...(isPublic(handlers) ? [] : checks), ...(readsQuery(handlers) ? [] : [reportQuery])];
    return [layer, [negotiate, ...before, ...handlers]] as const;
  });
  const chainByLayer = new Map<RouteLayer, readonly ApiMiddleware[]>(chains);
  const index = new RouteIndex(router.stack);
  const templates = new Set(router.stack.map((layer) => String(layer.path)));
  return async (ctx) => {
    const path = ctx.path.slice(ctx.state.prefix.length) || '/';
    const layer = index.find(path, ctx.method) ?? router.match(path, ctx.method).pathAndMethod.at(-1);
    const chain = layer && chainByLayer.get(layer);
    if (layer && chain) {
      ctx.state.route = String(layer.path);
      ctx.params = layer.params(path, layer.captures(path));
      return runChain(chain, ctx);
    }
    const otherMethods = router.match(path, ctx.method).path;
    const named = otherMethods.at(-1);
    if (named) ctx.state.route = String(named.path);
    const refuse = () => {
      const allowed = new Set(otherMethods.flatMap(({ methods }) => methods));
      allowed.delete('HEAD');
      if (allowed.size > 0) throw methodNotAllowed(ctx.method, [...allowed]);
      throw createUnknownEndpointError(path, templates);
    };
    return runChain([negotiate, ...guards, refuse], ctx);
  };
}

async function runChain(chain: readonly ApiMiddleware[], ctx: ApiContext, index = 0): Promise<void> {
  await chain[index]?.(ctx, () => runChain(chain, ctx, index + 1));
}

/** Reports every query parameter as unknown. For routes that read no query parameters. */
const reportQuery: ApiMiddleware = (ctx, next) => {
  reportUnknownNames(ctx, Object.keys(ctx.query));
  return next();
};

function createUnknownEndpointError(path: string, templates: Set<string>): AppError {
  const first = path.split('/')[1] ?? '';
  const lists = [...templates].filter((template) => template.split('/').length === 2);
  const similar = [...lists, ...templates].find(
    (template) => template.split('/')[1]?.startsWith(first.slice(0, 4)) && first !== '',
  );
  return new AppError(
    'not_found',
    `There is no ${path.slice(0, 100)} here.${similar ? ` Did you mean ${similar}?` : ''} The reference is at /docs.`,
  );
}
