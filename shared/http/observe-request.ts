import type { IncomingMessage } from 'node:http';
import { type Logger, redactPath } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';
import { inSpan, SpanKind } from '../platform/tracing.js';
import { readHeader } from './request.js';

/** The facts about a request for its span, metric and log entry. */
export interface ObservedRequest {
  requestId: string;
  /** Template of the matched route; undefined if no route matched. */
  route: string | undefined;
  status: number;
  /** Undefined if the request was not authenticated. */
  key: { tenantId: string; id: string } | undefined;
  path?: string | undefined;
  ip?: string;
}

/**
 * Runs `handle` in a span that continues the client's trace. Measures and logs the request.
 * @param handle responds to the request, with an error response if something fails
 */
export async function observeRequest(
  { metrics, logger }: { metrics: Pick<Metrics, 'httpSeconds'>; logger: Logger },
  request: IncomingMessage,
  handle: () => Promise<ObservedRequest>,
): Promise<void> {
  const startedAt = performance.now();
  const method = String(request.method);
  const options = {
    kind: SpanKind.SERVER,
    causes: [readHeader(request, 'traceparent')],
    attributes: { 'http.request.method': method },
  };
  const observed = await inSpan(method, options, async (span) => {
    const outcome = await handle();
    span?.updateName(`${method} ${outcome.route ?? ''}`.trim());
    span?.setAttributes({
      'http.response.status_code': outcome.status,
      'tow.request_id': outcome.requestId,
    });
    return outcome;
  });
  const ms = performance.now() - startedAt;
  const { requestId, route = 'unmatched', status, key, path, ip } = observed;
  metrics.httpSeconds.observe({ method, route, status }, ms / 1000);
  if (!logger.isLevelEnabled('info')) return;
  logger.info(
    {
      requestId,
      method,
      path: path && redactPath(path),
      route,
      status,
      tenant: key?.tenantId,
      keyId: key?.id,
      ip,
      ms: Math.round(ms * 10) / 10,
    },
    'request',
  );
}
