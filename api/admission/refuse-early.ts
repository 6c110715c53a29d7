import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { renderError } from '../../shared/http/error-response.js';
import { identifyRequest, readHeader } from '../../shared/http/request.js';
import type { Admission } from '../../shared/platform/limits/admission.js';
import { PacedQueue } from '../../shared/platform/limits/paced-queue.js';
import { readBearerKey } from '../../shared/resources/api-keys/credential-cache.js';
import type { ApiRuntime } from '../runtime/runtime.js';
import { createOverloadError } from './overload-error.js';

type Parts = Pick<ApiRuntime, 'admissions' | 'credentials' | 'metrics'>;

/**
 * Refuses requests that the middleware `admit` would refuse, before any work is done for them.
 * Under overload, refusals must leave time for the accepted requests. So they cost little and share
 * a small part of the time, and a client that sends again at once waits longer for its next
 * refusal. Requests with an unknown credential pass, and `admit` decides.
 */
export function refuseEarly(parts: Parts, listener: RequestListener): RequestListener {
  const refusals = new PacedQueue();
  const error = createOverloadError();
  const refuse = (request: IncomingMessage, response: ServerResponse) => {
    const { requestId } = identifyRequest(request, response);
    const body = renderError(error.toBody(), requestId);
    response.writeHead(error.status, {
      ...error.headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
    });
    response.end(body);
  };
  return (request, response) => {
    parts.admissions.budget.countArrival();
    const admission = parts.admissions.forMethod(request.method);
    if (!admission.isFull || !isRefused(admission, parts, request)) return listener(request, response);
    parts.metrics.refusedRequests.inc();
    refusals.add(() => refuse(request, response));
  };
}

function isRefused(admission: Admission, { credentials }: Parts, request: IncomingMessage): boolean {
  const key = readBearerKey(readHeader(request, 'authorization') ?? '');
  const principal = key === undefined ? undefined : credentials.findStale(key);
  return principal !== undefined && admission.isFullFor(principal.tenantId);
}
