import Router from '@koa/router';
import Koa from 'koa';
import { AppError, methodNotAllowed } from '../shared/platform/errors.js';
import { type Check, checkReadiness, createServingChecks, readReports } from '../shared/server/health.js';
import { auditDenials } from './middleware/audit-denials.js';
import { authenticate } from './middleware/authenticate.js';
import { handleErrors } from './middleware/errors.js';
import { limitUnreadPublicResponses, limitUnreadResponses } from './middleware/limit-unread-responses.js';
import { negotiate } from './middleware/negotiate.js';
import { reportUnreadQuery } from './middleware/query.js';
import { limitRate } from './middleware/rate-limit.js';
import { requestContext } from './middleware/request-context.js';
import { serveInvoicePages } from './public/invoice-pages.js';
import { serveOAuthCallback } from './public/oauth-callback.js';
import { serveVendorHooks } from './public/vendor-hooks.js';
import { documentRoutes } from './routes/document.js';
import { exportDownloadRoute } from './routes/export-download.js';
import * as routes from './routes/index.js';
import type { AnyContext, ApiContext, ApiMiddleware, RequestState } from './runtime/context.js';
import { createDownloadObjectFinder } from './runtime/export-links.js';
import type { ApiRuntime } from './runtime/runtime.js';

/** Both prefixes lead to the same router (docs/decisions.md §1, row 2). */
const PREFIXES = ['/v1', '/api/v1'];

/** Returns a router with every versioned route. Its paths have no version prefix. */
export function createRouter(api: ApiRuntime): Router<RequestState> {
  const router = new Router<RequestState>();
  for (const { addTo } of Object.values(routes)) addTo(router, api);
  return router;
}

/**
 * Creates the Koa application; it does not listen.
 * @param checks additional checks for /readyz, besides those of the stores
 */
export async function createApp(api: ApiRuntime, checks: Check[] = []): Promise<Koa> {
  // The last address in X-Forwarded-For is the one that the service's own proxy added. The client
  // controls all earlier ones.
  const app = new Koa({ proxy: api.config.trustProxy, maxIpsCount: 1 });
  app.silent = true;
  const documents = documentRoutes();
  const router = createRouter(api);
  app.use(requestContext(api) as Koa.Middleware);
  app.use(handleErrors(api.logger) as Koa.Middleware);
  app.use(serveHealthAndMetrics(api, [...createServingChecks(api), ...checks]) as Koa.Middleware);
  app.use(limitUnreadPublicResponses(api) as Koa.Middleware);
  app.use(serveInvoicePages(api) as Koa.Middleware);
  app.use(serveVendorHooks(api) as Koa.Middleware);
  app.use(serveOAuthCallback(api) as Koa.Middleware);
  app.use(detectVersionPrefix as Koa.Middleware);
  app.use(exportDownloadRoute({ ...api, findObject: createDownloadObjectFinder(api.db) }) as Koa.Middleware);
  app.use(matchRoute(router) as Koa.Middleware);
  app.use(whenVersioned(negotiate) as Koa.Middleware);
  app.use(documents as Koa.Middleware);
  app.use(unlessSigningIn(await authenticate(api)) as Koa.Middleware);
  app.use(unlessSigningIn(limitRate(api)) as Koa.Middleware);
  app.use(unlessSigningIn(limitUnreadResponses(api)) as Koa.Middleware);
  app.use(unlessSigningIn(recordKeyUse(api)) as Koa.Middleware);
  app.use(unlessSigningIn(auditDenials(api)) as Koa.Middleware);
  app.use(runMatchedRoute(router) as Koa.Middleware);
  return app;
}

/**
 * Serves /healthz, /readyz and /metrics to the hosting platform. They need no key and contain no
 * tenant data.
 */
function serveHealthAndMetrics(api: ApiRuntime, checks: Check[]): ApiMiddleware {
  return async (ctx, next) => {
    if (ctx.path === '/healthz') {
      ctx.body = { ok: true };
    } else if (ctx.path === '/readyz') {
      const readiness = await checkReadiness(checks);
      ctx.status = readiness.ok && !api.lifecycle.isClosing ? 200 : 503;
      ctx.body = { ...readiness, ...(await readReports(api)) };
    } else if (ctx.path === '/metrics') {
      ctx.type = api.metrics.registry.contentType;
      ctx.body = await api.metrics.registry.metrics();
    } else {
      return next();
    }
    ctx.state.route = ctx.path;
    ctx.set('Cache-Control', 'no-store');
  };
}

/** Skips the middleware outside the versioned paths: pages such as /docs are not JSON. */
function whenVersioned(middleware: ApiMiddleware): ApiMiddleware {
  return (ctx, next) => (ctx.state.prefix ? middleware(ctx, next) : next());
}

/**
 * Skips the middleware for POST /session: a sign-in has no credential yet, and its route has its
 * own rate limits.
 */
function unlessSigningIn(middleware: ApiMiddleware): ApiMiddleware {
  return (ctx, next) =>
    ctx.method === 'POST' && ctx.path === `${ctx.state.prefix}/session` ? next() : middleware(ctx, next);
}

/** Stores the request's version prefix, which the router's paths do not have. */
const detectVersionPrefix: ApiMiddleware = async (ctx, next) => {
  const prefix = PREFIXES.find((candidate) => ctx.path === candidate || ctx.path.startsWith(`${candidate}/`));
  ctx.state.prefix = prefix ?? '';
  if (!prefix && !ctx.path.startsWith('/docs')) throw createUnknownRouteError(ctx.path);
  await next();
};

function createUnknownRouteError(path: string): AppError {
  return new AppError(
    'not_found',
    `There is no ${path.slice(0, 100)} here. REST lives under /v1; its reference is at /docs.`,
  );
}

function recordKeyUse(api: ApiRuntime): ApiMiddleware {
  return async (ctx, next) => {
    api.recordKeyUse(ctx.state.key);
    await next();
  };
}

/** Matches the route before authentication, so that metrics count 401 and 429 under the route. */
function matchRoute(router: Router<RequestState>): ApiMiddleware {
  return (ctx, next) => {
    const match = router.match(pathWithoutPrefix(ctx), ctx.method);
    const layer = match.pathAndMethod.at(-1) ?? match.path.at(-1);
    if (layer) ctx.state.route = String(layer.path);
    ctx.state.routeMatch = match;
    return next();
  };
}

function pathWithoutPrefix(ctx: AnyContext): string {
  return ctx.path.slice(ctx.state.prefix.length) || '/';
}

/**
 * Runs the matched route. An unknown path is 404. A known path with another method is 405 with
 * Allow.
 */
function runMatchedRoute(router: Router<RequestState>): ApiMiddleware {
  const templates = new Set(router.stack.map((layer) => String(layer.path)));
  return async (context) => {
    const ctx = context as ApiContext;
    const { routeMatch } = ctx.state;
    const path = pathWithoutPrefix(ctx);
    const layer = routeMatch.pathAndMethod.at(-1);
    if (!routeMatch.route || !layer) {
      const allowed = [...new Set(routeMatch.path.flatMap((other) => other.methods))].filter(
        (method) => method !== 'HEAD',
      );
      throw allowed.length > 0
        ? methodNotAllowed(ctx.method, allowed)
        : createUnknownEndpointError(path, templates);
    }
    ctx.params = layer.params(path, layer.captures(path));
    const handlers = layer.stack as unknown as ApiMiddleware[];
    reportUnreadQuery(ctx, handlers);
    await runStack(handlers, ctx);
  };
}

async function runStack(stack: ApiMiddleware[], ctx: ApiContext): Promise<void> {
  const run = async (index: number): Promise<void> => {
    await stack[index]?.(ctx, () => run(index + 1));
  };
  await run(0);
}

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
