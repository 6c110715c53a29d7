import { newId } from '../../shared/platform/ids.js';
import { redactPath } from '../../shared/platform/logger.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { inSpan, SpanKind } from '../../shared/platform/tracing.js';
import type { AnyContext, ApiMiddleware } from '../runtime/context.js';

/**
 * A client's own request id is kept if it is short and safe in a header and a log
 * (docs/decisions.md §5).
 */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,64}$/;

/**
 * Assigns the request id, measures the request and writes its log entry. Outermost middleware, so
 * that it covers every request.
 */
export function requestContext(runtime: Runtime): ApiMiddleware {
  return async (ctx, next) => {
    const startedAt = performance.now();
    const clientRequestId = ctx.get('X-Request-Id');
    ctx.state.id = newId();
    ctx.state.requestId = SAFE_REQUEST_ID.test(clientRequestId) ? clientRequestId : ctx.state.id;
    ctx.set('X-Request-Id', ctx.state.requestId);
    ctx.set('X-Content-Type-Options', 'nosniff');
    const span = {
      kind: SpanKind.SERVER,
      causes: [ctx.get('traceparent')],
      attributes: { 'http.request.method': ctx.method },
    };
    await inSpan(ctx.method, span, async (active) => {
      await next();
      active?.updateName(`${ctx.method} ${ctx.state.route ?? ''}`.trim());
      active?.setAttributes({
        'http.response.status_code': ctx.status,
        'tow.request_id': ctx.state.requestId,
      });
    });
    // Checked after the response is ready, not when the request arrives. Otherwise a client that
    // waited through the start of the shutdown would reuse a closed connection.
    if (runtime.lifecycle.isClosing) ctx.set('Connection', 'close');
    recordRequest(runtime, ctx, performance.now() - startedAt);
  };
}

function recordRequest({ metrics, logger }: Runtime, ctx: AnyContext, ms: number): void {
  const route = ctx.state.route ?? 'unmatched';
  metrics.httpSeconds.observe({ method: ctx.method, route, status: ctx.status }, ms / 1000);
  if (!logger.isLevelEnabled('info')) return;
  logger.info(
    {
      requestId: ctx.state.requestId,
      method: ctx.method,
      path: redactPath(ctx.path),
      route,
      status: ctx.status,
      tenant: ctx.state.key?.tenantId,
      keyId: ctx.state.key?.id,
      ip: ctx.ip,
      ms: Math.round(ms * 10) / 10,
    },
    'request',
  );
}
