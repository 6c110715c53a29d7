import type { VendorRequest, VendorResponse } from '../../../shared/integrations/contract/connection.js';
import type { TenantVendor } from '../../../shared/integrations/contract/vendor.js';
import { VendorError } from '../../../shared/integrations/contract/vendor-error.js';
import type { OutboundClient } from '../../../shared/outbound/client.js';
import { OutboundError, type OutboundFailure } from '../../../shared/outbound/outbound-error.js';
import { parseRetryAfterMs } from '../../../shared/outbound/retry-after.js';
import type { Limiter } from '../../../shared/platform/limits/limiter.js';
import type { Metrics } from '../../../shared/platform/metrics.js';
import { toStorableText } from '../../../shared/platform/storable-text.js';
import type { ConnectionCall } from '../../../shared/sync/call-rows.js';
import type { CallRate, EndCall } from '../queue/call-rate.js';
import { listFields } from './list-fields.js';

const MAX_RESPONSE_BYTES = 4 * 1024 * 1024;
/** The wait after a 429 response without a Retry-After header. */
const DEFAULT_WAIT_MS = 30_000;
/**
 * Response headers with the vendor's id of the request. The vendor's support staff ask for this id.
 */
const REQUEST_ID_HEADERS = [
  'request-id',
  'x-request-id',
  'intuit_tid',
  'xero-correlation-id',
  'twilio-request-id',
];

/** Failures that happen before the vendor gets the request. */
const UNSENT: ReadonlySet<OutboundFailure> = new Set([
  'blocked_address',
  'invalid_url',
  'dns',
  'connect',
  'tls',
]);

export interface CallerParts {
  client: OutboundClient;
  limiter: Limiter;
  metrics: Metrics;
  rate: CallRate;
  vendor: TenantVendor;
  /** @throws {Error} once another process may hold the connection's lease */
  assertLease(): void;
}

/** Thrown instead of a call, because the step has been stopped. */
export class StoppedError extends Error {
  override readonly name = 'StoppedError';
}

/**
 * Calls a vendor during one step, within the rate limits. Logs each call in `calls`, with the names
 * of fields but without their values.
 */
export class VendorCaller {
  readonly calls: ConnectionCall[] = [];
  private isStopped = false;

  constructor(private readonly parts: CallerParts) {}

  /**
   * Refuses all further calls. Calls that wait for the rate limit are not made either.
   */
  stop(): void {
    this.isStopped = true;
  }

  /**
   * @throws {VendorError} if the call fails, or if a rate limit forbids the call now
   * @throws {StoppedError} after {@link stop}
   */
  async call(baseUrl: string, request: VendorRequest): Promise<VendorResponse> {
    const url = buildUrl(baseUrl, request.path);
    const endCall = await this.admit();
    let isAnswered = false;
    const noteAnswer = () => {
      isAnswered = true;
    };
    return this.send(url, request, noteAnswer).finally(() => endCall(isAnswered));
  }

  private async send(url: string, request: VendorRequest, noteAnswer: () => void): Promise<VendorResponse> {
    const { client, vendor } = this.parts;
    await this.spendAppPoint();
    // The lease may have ended during the wait, or during a token refresh before this call. Two
    // workers may read at the same time, but only one may write.
    if (request.method !== 'GET') this.parts.assertLease();
    const startedAt = new Date();
    const finish = this.log(request, startedAt);
    try {
      const response = await client.send({
        method: request.method,
        url,
        headers: { 'user-agent': 'TowDispatch-Integrations/1.0', ...request.headers },
        ...(request.body === undefined ? {} : { body: request.body }),
        deadlineMs: vendor.manifest.limits.timeoutMs,
        maxBodyBytes: MAX_RESPONSE_BYTES,
        isIdempotent: request.isRepeatable,
      });
      noteAnswer();
      const requestId = findRequestId(response.headers);
      const error = classify(request, response, requestId);
      finish(error, {
        response_status: response.status,
        vendor_request_id: requestId,
        response_fields: listFields(response.body.toString('utf8')),
      });
      if (error) throw error;
      return response;
    } catch (error) {
      if (error instanceof VendorError) throw error;
      const failure = toVendorError(request, error);
      finish(failure);
      throw failure;
    }
  }

  /**
   * Waits until the connection's rate limit allows a call.
   * @throws {StoppedError} once the step has been stopped
   */
  private async admit(): Promise<EndCall> {
    const endCall = await this.parts.rate.wait(() => !this.isStopped);
    if (endCall && !this.isStopped) return endCall;
    endCall?.(false);
    throw new StoppedError('The step makes no further calls.');
  }

  /** @throws {VendorError} if the service's rate limit at this vendor is used up */
  private async spendAppPoint(): Promise<void> {
    const { limiter, vendor } = this.parts;
    const { vendor: name, limits } = vendor.manifest;
    if (limits.perAppAndMinute === undefined) return;
    const wish = { name: 'vendor-app', points: 1, perMinute: limits.perAppAndMinute };
    const { isGranted, resetMs } = await limiter.spendPoints(name, wish);
    if (!isGranted)
      throw new VendorError('The calls of this service to the vendor are used up for this minute.', {
        kind: 'limit',
        code: 'app_limit',
        retryAfterMs: resetMs,
      });
  }

  private log(request: VendorRequest, startedAt: Date) {
    const { metrics, vendor } = this.parts;
    const [path = ''] = request.path.split('?');
    return (error: VendorError | undefined, response: Partial<ConnectionCall> = {}) => {
      const total_ms = Date.now() - startedAt.getTime();
      const labels = { vendor: vendor.manifest.vendor, result: error?.kind ?? 'ok' };
      metrics.vendorCallSeconds.observe(labels, total_ms / 1000);
      this.calls.push({
        method: request.method,
        path: toStorableText(path.slice(0, 500)),
        response_status: null,
        error: error?.code ?? null,
        total_ms,
        vendor_request_id: null,
        request_fields: listFields(typeof request.body === 'string' ? request.body : ''),
        response_fields: [],
        created_at: startedAt.toISOString(),
        ...response,
      });
    };
  }
}

/**
 * Builds the URL of a call.
 * @throws {VendorError} if the path leads to another server, which must not get the token
 */
function buildUrl(baseUrl: string, path: string): string {
  const base = new URL(baseUrl.replace(/\/?$/, '/'));
  const url = new URL(path.replace(/^\//, ''), base);
  if (url.origin === base.origin) return url.href;
  throw new VendorError('The vendor named an address of another server.', {
    kind: 'refused',
    code: 'foreign_address',
  });
}

/**
 * Returns the error for a response that means the same at every vendor. Adapters interpret all
 * other responses.
 */
function classify(
  { method }: VendorRequest,
  { status, headers, isTruncated }: VendorResponse & { isTruncated: boolean },
  vendorRequestId: string | null,
): VendorError | undefined {
  const code = `http_${status}`;
  if (status === 429) {
    const retryAfterMs =
      parseRetryAfterMs({ headers }, new Date(), { acceptsFraction: true }) || DEFAULT_WAIT_MS;
    // Xero names the limit that was exceeded, such as `minute` or `day`.
    const problem = headers['x-rate-limit-problem'];
    const limit = typeof problem === 'string' ? ` (limit: ${problem.slice(0, 40)})` : '';
    return new VendorError(`The vendor asks to wait: too many requests${limit}.`, {
      kind: 'limit',
      code,
      retryAfterMs,
      vendorRequestId,
    });
  }
  if (status === 401)
    return new VendorError('The vendor does not accept the credentials.', {
      kind: 'auth',
      code,
      vendorRequestId,
    });
  if (status < 500 && !isTruncated) return undefined;
  const kind = method === 'GET' ? 'again' : 'unknown_outcome';
  if (isTruncated)
    return new VendorError('The response is too long.', { kind, code: 'too_long', vendorRequestId });
  return new VendorError(`The vendor answered ${status}.`, { kind, code, vendorRequestId });
}

function toVendorError({ method }: VendorRequest, cause: unknown): VendorError {
  if (!(cause instanceof OutboundError)) throw cause;
  const isUnsent = method === 'GET' || UNSENT.has(cause.kind);
  const kind = isUnsent ? 'again' : 'unknown_outcome';
  return new VendorError(`The vendor did not answer. ${cause.message}`, { kind, code: cause.kind, cause });
}

function findRequestId(headers: VendorResponse['headers']): string | null {
  const value = REQUEST_ID_HEADERS.map((name) => headers[name]).find((one) => typeof one === 'string');
  return typeof value === 'string' ? toStorableText(value.slice(0, 200)) : null;
}
