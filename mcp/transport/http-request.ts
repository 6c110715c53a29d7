import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Principal } from '../../shared/contracts/principal.js';
import { AppError, methodNotAllowed } from '../../shared/platform/errors.js';
import { newId } from '../../shared/platform/ids.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import { inSpan, SpanKind } from '../../shared/platform/tracing.js';

import {
  type Credential,
  countBadCredential,
  readKeyCredential,
  unauthorizedError,
} from '../../shared/resources/api-keys/credential-cache.js';
import { buildRateLimitHeaders, countRequest } from '../../shared/resources/api-keys/rate-limit.js';
import { auditRefusal } from '../context/audit.js';
import type { Caller } from '../context/caller.js';
import { RpcError, toAppError } from '../context/errors.js';
import type { McpRuntime } from '../context/runtime.js';
import { auditExceededLimit, auditSdkRefusal } from '../protocol/audit-unhandled.js';
import type { HandleMcpRequest } from '../protocol/revisions.js';
import { assertAllowedHostAndOrigin } from './host-and-origin.js';
import {
  ClientDisconnectedError,
  discardRemainingBody,
  type McpMessage,
  readMcpMessage,
} from './read-message.js';
import { readHeader, readRequestId } from './request-headers.js';
import { ResponseWriter } from './response-writer.js';

/** Path of the MCP endpoint. Spans, metrics and logs use it for the manifest too. */
export const MCP_PATH = '/mcp';
/**
 * The first revision with structured results. From this revision on, clients name their revision in
 * a header.
 */
const FIRST_STRUCTURED_REVISION = '2025-06-18';

/**
 * Handles one HTTP request: checks the host, the key and the limits, passes the MCP message to the
 * protocols, and sends the response or the error.
 */
export class McpHttpRequest {
  readonly #id = newId();
  readonly #requestId: string;
  readonly #writer: ResponseWriter;
  #key: Principal | undefined;

  constructor(
    private readonly mcp: McpRuntime,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.#requestId = readRequestId(request) ?? this.#id;
    this.#writer = new ResponseWriter(mcp.lifecycle, request, response);
    this.#writer.setHeaders({ 'X-Request-Id': this.#requestId });
  }

  async run(handle: (httpRequest: McpHttpRequest) => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    const { request, mcp } = this;
    const span = { kind: SpanKind.SERVER, causes: [readHeader(request, 'traceparent') ?? ''] };
    await inSpan(`${request.method} ${MCP_PATH}`, span, () =>
      handle(this).catch((error: unknown) => this.#sendError(error)),
    );
    const ms = performance.now() - startedAt;
    const { status } = this.#writer;
    mcp.metrics.httpSeconds.observe({ method: String(request.method), route: MCP_PATH, status }, ms / 1000);
    const [tenant, keyId] = [this.#key?.tenantId, this.#key?.id];
    mcp.logger.info(
      {
        requestId: this.#requestId,
        method: request.method,
        route: MCP_PATH,
        status,
        tenant,
        keyId,
        ms: Math.round(ms * 10) / 10,
      },
      'request',
    );
  }

  /** The manifest is public, because it holds no account data (docs/decisions.md §1, row 10). */
  sendManifest(manifest: string): void {
    if (this.request.method !== 'GET' && this.request.method !== 'HEAD')
      throw methodNotAllowed(String(this.request.method), ['GET']);
    const [network, bytes] = [findNetworkPrefix(this.#ip ?? ''), Buffer.byteLength(manifest)];
    this.mcp.unsentResponses.assertCapacity(network, bytes);
    this.mcp.unsentResponses.track(network, this.response, bytes);
    this.#writer.send(200, manifest);
  }

  async handleMessage(handleMcpRequest: HandleMcpRequest): Promise<void> {
    const { mcp, request } = this;
    const { host, origin } = request.headers;
    assertAllowedHostAndOrigin(mcp.config, { host, origin });
    // A GET would open a stream on which this server never sends anything (MCP, Listening for
    // Messages).
    if (request.method !== 'POST') throw methodNotAllowed(String(request.method), ['POST']);
    const credential = this.#parseCredential();
    const key = await this.#authenticate(credential);
    // Count before reading the body: an invalid body counts too, and its response has the limit
    // headers.
    const refusal = await this.#countAgainstLimits(key);
    const message = await readMcpMessage(request).catch((error: unknown) => {
      throw refusal ?? error;
    });
    // The body may take half a minute to arrive, and the key may be revoked by then.
    await this.#authenticate(credential);
    const caller = this.#buildCaller(key, message);
    if (refusal) return this.#sendLimitError(refusal, { request: message.request, caller });
    mcp.unsentResponses.assertCapacity(key.tenantId);
    mcp.unsentResponses.track(key.tenantId, this.response);
    mcp.recordKeyUse(key);
    if (key.kind !== 'agent') throw await this.#refuseApiKey(caller);
    if (!message.request) return this.#writer.send(202);
    const { status, body: response } = await handleMcpRequest(message.request, request.headers, caller);
    const audited = await auditSdkRefusal(mcp, caller, { request: message.request, response });
    this.#writer.setHeaders(caller.responseHeaders);
    this.#writer.send(status, JSON.stringify(audited));
  }

  /** @throws {AppError} 401 */
  #parseCredential(): Credential {
    return readKeyCredential(
      this.mcp,
      readHeader(this.request, 'authorization') ?? '',
      'Send your agent key as "Authorization: Bearer tk_agent_…".',
    );
  }

  async #authenticate(credential: Credential): Promise<Principal> {
    const { mcp } = this;
    const key = await mcp.findPrincipal(credential);
    if (!key) {
      await countBadCredential(mcp, this.#ip ?? '');
      throw unauthorizedError(credential.refusalMessage);
    }
    this.#key = key;
    return key;
  }

  /**
   * Counts the MCP message against the rate limits and sets the limit headers. Resolves with the
   * 429 error if a limit is exceeded.
   */
  async #countAgainstLimits(key: Principal): Promise<AppError | undefined> {
    const { windows, refusal } = await countRequest(this.mcp, key);
    this.#writer.setHeaders(buildRateLimitHeaders(windows));
    return refusal;
  }

  /** Audits and returns the refusal of a REST API key. */
  #refuseApiKey(caller: Caller): Promise<AppError> {
    const error = new AppError(
      'agent_key_required',
      'Agents need an agent key (tk_agent_…). API keys are for the REST API.',
    );
    const entry = { tool: null, action: 'mcp.refused', entityType: null, entityId: null, error };
    return auditRefusal(this.mcp, caller, entry);
  }

  #buildCaller(key: Principal, { request, argumentErrors: errors, bytes }: McpMessage): Caller {
    return {
      key,
      id: this.#id,
      requestId: this.#requestId,
      headers: {
        idempotencyKey: readHeader(this.request, 'idempotency-key'),
        dryRun: readHeader(this.request, 'x-service-dry-run'),
      },
      responseHeaders: {},
      notify: request && this.#writer.createNotifier(request.id),
      argumentErrors: errors,
      bytes,
      isTextOnly: !((readHeader(this.request, 'mcp-protocol-version') ?? '') >= FIRST_STRUCTURED_REVISION),
      ip: this.#ip,
      userAgent: readHeader(this.request, 'user-agent')?.slice(0, 200) ?? null,
    };
  }

  /** Behind a trusted proxy: the last address in X-Forwarded-For, which that proxy added. */
  get #ip(): string | null {
    const forwarded = this.mcp.config.trustProxy
      ? readHeader(this.request, 'x-forwarded-for')?.split(',').at(-1)?.trim()
      : undefined;
    return forwarded || (this.request.socket.remoteAddress ?? null);
  }

  async #sendError(error: unknown): Promise<void> {
    // The client has disconnected: no response is possible, and the server did not fail.
    if (error instanceof ClientDisconnectedError) return;
    if (!(await discardRemainingBody(this.request))) this.#writer.setHeaders({ Connection: 'close' });
    if (error instanceof RpcError) {
      const { code, message, id } = error;
      const data = { ...Object(error.data), requestId: this.#requestId };
      this.#writer.send(400, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
      return;
    }
    const known = toAppError(error);
    if (known.status >= 500)
      this.mcp.logger.error({ err: error, requestId: this.#requestId }, 'request failed');
    this.#writer.setHeaders(known.headers);
    const body = { ok: false, error: { ...known.toBody(), requestId: this.#requestId } };
    this.#writer.sendError(known.status, body);
  }

  /**
   * Sends the error for an exceeded limit: HTTP 429 makes clients wait, and the JSON-RPC error
   * tells the model why.
   */
  async #sendLimitError(
    refusal: AppError,
    { request, caller }: { request: McpMessage['request']; caller: Caller },
  ): Promise<void> {
    const error = await auditExceededLimit(this.mcp, caller, { request, error: refusal });
    this.#writer.setHeaders(error.headers);
    const retryAfterSeconds = Number(error.headers['Retry-After']);
    const data = { ...error.toBody(), requestId: this.#requestId, retryAfterSeconds };
    const rpcError = { code: error.status, message: error.message, data };
    this.#writer.send(
      error.status,
      JSON.stringify({ jsonrpc: '2.0', id: request?.id ?? null, error: rpcError }),
    );
  }
}
