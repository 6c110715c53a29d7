import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../shared/contracts/principal.js';
import { AppError, methodNotAllowed } from '../shared/platform/errors.js';
import { newId } from '../shared/platform/ids.js';
import { networkOf } from '../shared/platform/network-of.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { inSpan, SpanKind } from '../shared/platform/tracing.js';
import {
  type Credential,
  countBadCredential,
  keyCredential,
  unauthorized,
} from '../shared/resources/api-keys/credential-cache.js';
import { countRequest, rateLimitHeaders } from '../shared/resources/api-keys/rate-limit.js';
import { auditRefusal } from './audit.js';
import type { Caller } from './caller.js';
import { manifestOf } from './manifest.js';
import { createOffer, type Offer } from './offer.js';
import { assertOwnSite } from './own-site.js';
import { createProtocols, type Protocols } from './protocols.js';
import { ClientGone, discardRest, type Message, readMessage } from './read-message.js';
import { Reply } from './reply.js';
import { headerOf, requestIdOf } from './request-headers.js';
import { toAppError } from './result.js';
import { RpcError } from './rpc-error.js';
import { createMcpRuntime, type McpRuntime } from './runtime.js';
import { auditMalformed, auditOverLimit } from './unhandled.js';

const PATH = '/mcp';
const MANIFEST_PATH = '/mcp/manifest';
/**
 * The first revision with structured results. From this revision on, clients name their revision in
 * a header.
 */
const FIRST_STRUCTURED_REVISION = '2025-06-18';

/** Handles requests under /mcp. Returns false for any other path. */
export type McpListener = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Creates the listener for Streamable HTTP (MCP 2024-11-05 to 2026-07-28) without sessions. Any
 * replica can handle any POST. The response is JSON, or an event stream that ends with the result
 * if the server first sends other MCP messages.
 * @param buildFeatures builds the tools, resources and prompts that agents can use
 */
export async function createMcpListener(
  runtime: Runtime,
  buildFeatures: (mcp: McpRuntime) => Offer = createOffer,
): Promise<McpListener> {
  const mcp = await createMcpRuntime(runtime);
  const protocols = await createProtocols(mcp, buildFeatures(mcp));
  const manifest = JSON.stringify(manifestOf(runtime.config));
  return (request, response) => {
    const path = parsePath(request);
    if (path !== PATH && path !== MANIFEST_PATH) return false;
    void new McpHttpRequest(mcp, request, response).run(async (httpRequest) => {
      if (path === MANIFEST_PATH) httpRequest.sendManifest(manifest);
      else await httpRequest.handleMessage(protocols);
    });
    return true;
  };
}

function parsePath({ url = '' }: IncomingMessage): string {
  const path = url.split('?', 1)[0] as string;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** Handles one HTTP request. */
class McpHttpRequest {
  readonly #id = newId();
  readonly #requestId: string;
  readonly #writer: Reply;
  #key: Principal | undefined;

  constructor(
    private readonly mcp: McpRuntime,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.#requestId = requestIdOf(request) ?? this.#id;
    this.#writer = new Reply(mcp.lifecycle, request, response);
    this.#writer.set({ 'X-Request-Id': this.#requestId });
  }

  async run(handle: (httpRequest: McpHttpRequest) => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    const { request, mcp } = this;
    const span = { kind: SpanKind.SERVER, causes: [headerOf(request, 'traceparent') ?? ''] };
    await inSpan(`${request.method} ${PATH}`, span, () =>
      handle(this).catch((error: unknown) => this.#sendError(error)),
    );
    const ms = performance.now() - startedAt;
    const { status } = this.#writer;
    mcp.metrics.httpSeconds.observe({ method: String(request.method), route: PATH, status }, ms / 1000);
    const [tenant, keyId] = [this.#key?.tenantId, this.#key?.id];
    mcp.logger.info(
      {
        requestId: this.#requestId,
        method: request.method,
        route: PATH,
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
    const [network, bytes] = [networkOf(this.#ip ?? ''), Buffer.byteLength(manifest)];
    this.mcp.unsentAnswers.assertRoom(network, bytes);
    this.mcp.unsentAnswers.track(network, this.response, bytes);
    this.#writer.send(200, manifest);
  }

  async handleMessage(protocols: Protocols): Promise<void> {
    const { mcp, request } = this;
    const { host, origin } = request.headers;
    assertOwnSite(mcp.config, { host, origin });
    // A GET would open a stream on which this server never sends anything (MCP, Listening for
    // Messages).
    if (request.method !== 'POST') throw methodNotAllowed(String(request.method), ['POST']);
    const credential = this.#parseCredential();
    const key = await this.#authenticate(credential);
    // Count before reading the body: an invalid body counts too, and its response has the limit
    // headers.
    const refusal = await this.#countAgainstLimits(key);
    const message = await readMessage(request).catch((error: unknown) => {
      throw refusal ?? error;
    });
    // The body may take half a minute to arrive, and the key may be revoked by then.
    await this.#authenticate(credential);
    const caller = this.#buildCaller(key, message);
    if (refusal) return this.#sendLimitError(refusal, { request: message.request, caller });
    mcp.unsentAnswers.assertRoom(key.tenantId);
    mcp.unsentAnswers.track(key.tenantId, this.response);
    mcp.noteKeyUse(key);
    if (key.kind !== 'agent') throw await this.#refuseApiKey(caller);
    if (message.answer) protocols.takeAnswer(message.answer, caller);
    if (!message.request) return this.#writer.send(202);
    const { status, answer } = await protocols.ask(message.request, request.headers, caller);
    const audited = await auditMalformed(mcp, caller, { request: message.request, response: answer });
    this.#writer.set(caller.answerHeaders);
    this.#writer.send(status, JSON.stringify(audited));
  }

  /** @throws {AppError} 401 */
  #parseCredential(): Credential {
    return keyCredential(
      this.mcp,
      headerOf(this.request, 'authorization') ?? '',
      'Send your agent key as "Authorization: Bearer tk_agent_…".',
    );
  }

  async #authenticate(credential: Credential): Promise<Principal> {
    const { mcp } = this;
    const key = await mcp.findPrincipal(credential);
    if (!key) {
      await countBadCredential(mcp, this.#ip ?? '');
      throw unauthorized(credential.refusal);
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
    this.#writer.set(rateLimitHeaders(windows));
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

  #buildCaller(key: Principal, { request, argumentFaults: errors, bytes }: Message): Caller {
    return {
      key,
      id: this.#id,
      requestId: this.#requestId,
      headers: {
        idempotencyKey: headerOf(this.request, 'idempotency-key'),
        dryRun: headerOf(this.request, 'x-service-dry-run'),
      },
      answerHeaders: {},
      line: request && this.#writer.lineOf(request.id),
      argumentFaults: errors,
      bytes,
      textOnly: !((headerOf(this.request, 'mcp-protocol-version') ?? '') >= FIRST_STRUCTURED_REVISION),
      ip: this.#ip,
      userAgent: headerOf(this.request, 'user-agent')?.slice(0, 200) ?? null,
    };
  }

  /** Behind a trusted proxy: the last address in X-Forwarded-For, which that proxy added. */
  get #ip(): string | null {
    const forwarded = this.mcp.config.trustProxy
      ? headerOf(this.request, 'x-forwarded-for')?.split(',').at(-1)?.trim()
      : undefined;
    return forwarded || (this.request.socket.remoteAddress ?? null);
  }

  async #sendError(error: unknown): Promise<void> {
    // The client has disconnected: no response is possible, and the server did not fail.
    if (error instanceof ClientGone) return;
    if (!(await discardRest(this.request))) this.#writer.set({ Connection: 'close' });
    if (error instanceof RpcError) {
      const { code, message, id } = error;
      const data = { ...Object(error.data), requestId: this.#requestId };
      this.#writer.send(400, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
      return;
    }
    const known = toAppError(error);
    if (known.status >= 500)
      this.mcp.logger.error({ err: error, requestId: this.#requestId }, 'request failed');
    this.#writer.set(known.headers);
    const body = { ok: false, error: { ...known.toBody(), requestId: this.#requestId } };
    this.#writer.refuse(known.status, body);
  }

  /**
   * Sends the error for an exceeded limit: HTTP 429 makes clients wait, and the JSON-RPC error
   * tells the model why.
   */
  async #sendLimitError(
    refusal: AppError,
    { request, caller }: { request: Message['request']; caller: Caller },
  ): Promise<void> {
    const error = await auditOverLimit(this.mcp, caller, { request, error: refusal });
    this.#writer.set(error.headers);
    const retryAfterSeconds = Number(error.headers['Retry-After']);
    const data = { ...error.toBody(), requestId: this.#requestId, retryAfterSeconds };
    const rpcError = { code: error.status, message: error.message, data };
    this.#writer.send(
      error.status,
      JSON.stringify({ jsonrpc: '2.0', id: request?.id ?? null, error: rpcError }),
    );
  }
}
