import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { renderError } from '../../shared/http/error-response.js';
import { identifyRequest, readClientAddress, readHeader, readPath } from '../../shared/http/request.js';
import type { Admission } from '../../shared/platform/limits/admission.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { PacedQueue } from '../../shared/platform/limits/paced-queue.js';
import { readBearerKey } from '../../shared/resources/api-keys/credential-cache.js';
import { HEALTH_PATHS } from '../../shared/server/health.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { createOverloadError } from './overload-error.js';

type Parts = Pick<ApiRuntime, 'admissions' | 'config' | 'credentials' | 'lifecycle' | 'metrics'>;

/**
 * Refuses requests that the middleware `admit` would refuse, before any work is done for them. A
 * request with a key that this process does not know counts as a request of its network. Each
 * network may send one request per event-loop iteration. While the event loop is overloaded,
 * further requests of the network are refused.
 *
 * Under overload, most of the time must remain for accepted requests. So a refusal costs little,
 * and all refusals share a small part of the time, fairly by tenant. A client that sends again
 * immediately waits longer for its next refusal.
 */
export function refuseEarly(parts: Parts, listener: RequestListener): RequestListener {
  const refusals = new PacedQueue();
  /** The connections whose client waits for a refusal. */
  const waiting = new WeakSet<Socket>();
  const error = createOverloadError();
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    waiting.delete(request.socket);
    if (response.destroyed) return;
    const { requestId } = identifyRequest(request, response);
    const body = renderError(error.toBody(), requestId);
    response.writeHead(error.status, {
      ...error.headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      ...(parts.lifecycle.isClosing && { Connection: 'close' }),
    });
    response.end(body);
  };
  return (request, response) => {
    parts.admissions.budget.countArrival();
    const admission = parts.admissions.forMethod(request.method);
    const sender = admission.isFull ? findRefusedSender(parts, admission, request) : undefined;
    if (sender === undefined) return listener(request, response);
    parts.metrics.refusedRequests.inc();
    // Until a response begins, Node keeps reading pipelined requests, which would fill the memory.
    // So close the connection of a client that sends more requests while its refusal waits.
    if (waiting.has(request.socket)) return void request.socket.destroy();
    waiting.add(request.socket);
    refusals.add(sender, () => refuse(request, response));
  };
}

/** Returns the tenant or network that sent a request, if the request must be refused. */
function findRefusedSender(
  { admissions, config, credentials }: Parts,
  admission: Admission,
  request: IncomingMessage,
): string | undefined {
  if (HEALTH_PATHS.has(readPath(request))) return undefined;
  const key = readBearerKey(readHeader(request, 'authorization') ?? '');
  const tenantId = key === undefined ? undefined : credentials.findStale(key)?.tenantId;
  if (tenantId !== undefined) return admission.isFullFor(tenantId) ? tenantId : undefined;
  const network = findNetworkPrefix(readClientAddress(request, config) ?? '');
  return admissions.budget.isUsedUpFor(network) ? network : undefined;
}
