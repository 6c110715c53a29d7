import type { IncomingMessage, ServerResponse } from 'node:http';
import type { JSONRPCMessage } from '@modelcontextprotocol/sdk/types.js';
import type { Principal } from '../shared/contracts/principal.js';
import { AppError, methodNotAllowed } from '../shared/platform/errors.js';
import { newId } from '../shared/platform/ids.js';
import type { Runtime } from '../shared/platform/runtime.js';
import { inSpan, SpanKind } from '../shared/platform/tracing.js';
import {
  countBadCredential,
  keyCredential,
  unauthorized,
} from '../shared/resources/api-keys/credential-cache.js';
import { countAgentMessage, rateLimitHeaders } from '../shared/resources/api-keys/rate-limit.js';
import type { Caller } from './caller.js';
import type { Exchange } from './exchange.js';
import { manifestOf } from './manifest.js';
import { assertOwnSite } from './own-site.js';
import { createProtocol } from './protocol.js';
import { type Message, RpcError, readMessage } from './read-message.js';
import { toAppError } from './result.js';
import { createMcpRuntime, type McpRuntime } from './runtime.js';

const PATH = '/mcp';
const MANIFEST_PATH = '/mcp/manifest';
/** Revision of the protocol that brought structured results; from it on clients name theirs in a header. */
const STRUCTURED_SINCE = '2025-06-18';
/** As the REST API takes them. */
const SAFE_REQUEST_ID = /^[A-Za-z0-9._:@/+=-]{1,64}$/;

/** Answers what is under /mcp. False: the request is for somebody else. */
export type McpListener = (request: IncomingMessage, response: ServerResponse) => boolean;

/** Streamable HTTP (MCP 2025-11-25) without sessions or streams: one POST, one JSON answer, and any replica can give it. */
export async function createMcpListener(runtime: Runtime): Promise<McpListener> {
  const mcp = await createMcpRuntime(runtime);
  const exchange = await createProtocol(mcp);
  const manifest = JSON.stringify(manifestOf(runtime.config));
  return (request, response) => {
    const path = pathOf(request);
    if (path !== PATH && path !== MANIFEST_PATH) return false;
    void new Visit(mcp, request, response).run(async (visit) => {
      if (path === MANIFEST_PATH) visit.showManifest(manifest);
      else await visit.exchangeMessage(exchange);
    });
    return true;
  };
}

function pathOf({ url = '' }: IncomingMessage): string {
  const path = url.split('?', 1)[0] as string;
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path;
}

/** One HTTP request. */
class Visit {
  readonly #id = newId();
  readonly #requestId: string;
  #key: Principal | undefined;

  constructor(
    private readonly mcp: McpRuntime,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    const own = headerOf(request, 'x-request-id');
    this.#requestId = own && SAFE_REQUEST_ID.test(own) ? own : this.#id;
  }

  async run(answer: (visit: Visit) => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    const { request, response, mcp } = this;
    response.setHeader('X-Request-Id', this.#requestId);
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-store');
    const span = { kind: SpanKind.SERVER, causes: [headerOf(request, 'traceparent') ?? ''] };
    await inSpan(`${request.method} ${PATH}`, span, () =>
      answer(this).catch((error: unknown) => this.#refuse(error)),
    );
    if (mcp.lifecycle.isClosing && !response.headersSent) response.setHeader('Connection', 'close');
    const ms = performance.now() - startedAt;
    const { statusCode: status } = response;
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

  /** Public: it holds nothing of any account (decisions 1, row 10). */
  showManifest(manifest: string): void {
    if (this.request.method !== 'GET' && this.request.method !== 'HEAD')
      throw methodNotAllowed(String(this.request.method), ['GET']);
    this.#send(200, manifest);
  }

  async exchangeMessage(exchange: Exchange): Promise<void> {
    const { mcp, request, response } = this;
    const { host, origin } = request.headers;
    assertOwnSite(mcp.config, { host, origin });
    // A GET would open a stream on which nothing is ever said (MCP, Listening for Messages).
    if (request.method !== 'POST') throw methodNotAllowed(String(request.method), ['POST']);
    const key = await this.#authenticate();
    const message = await readMessage(request);
    const { windows, refusal } = await countAgentMessage(mcp, key);
    for (const [name, value] of Object.entries(rateLimitHeaders(windows))) response.setHeader(name, value);
    if (refusal) return void this.#refuseMessage(refusal, message);
    mcp.noteKeyUse(key);
    if (!message.request) return void this.#send(202);
    const caller = this.#callerOf(key, message);
    const answer = await exchange.ask(message.request, caller);
    for (const [name, value] of Object.entries(caller.answerHeaders)) response.setHeader(name, value);
    this.#send(200, JSON.stringify(answer));
  }

  async #authenticate(): Promise<Principal> {
    const { mcp, request } = this;
    const credential = keyCredential(
      mcp,
      headerOf(request, 'authorization') ?? '',
      'Send your agent key as "Authorization: Bearer tk_agent_…".',
    );
    const key = await mcp.findPrincipal(credential);
    if (!key) {
      await countBadCredential(mcp, this.#ip ?? '');
      throw unauthorized(credential.refusal);
    }
    if (key.kind !== 'agent')
      throw new AppError(
        'agent_key_required',
        'Agents need an agent key (tk_agent_…). API keys are for the REST API.',
      );
    this.#key = key;
    return key;
  }

  #callerOf(key: Principal, { bytes }: Message): Caller {
    return {
      key,
      id: this.#id,
      requestId: this.#requestId,
      headers: {
        idempotencyKey: headerOf(this.request, 'idempotency-key'),
        dryRun: headerOf(this.request, 'x-service-dry-run'),
      },
      answerHeaders: {},
      bytes,
      textOnly: !((headerOf(this.request, 'mcp-protocol-version') ?? '') >= STRUCTURED_SINCE),
      ip: this.#ip,
      userAgent: headerOf(this.request, 'user-agent')?.slice(0, 200) ?? null,
    };
  }

  /** The last address in the list is the one that our own proxy saw. */
  get #ip(): string | null {
    const forwarded = this.mcp.config.trustProxy
      ? headerOf(this.request, 'x-forwarded-for')?.split(',').at(-1)?.trim()
      : undefined;
    return forwarded || (this.request.socket.remoteAddress ?? null);
  }

  #refuse(error: unknown): void {
    if (error instanceof RpcError) {
      const { code, message, data, id } = error;
      this.#send(
        400,
        JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data ? { data } : {}) } }),
      );
      return;
    }
    const known = toAppError(error);
    if (known.status >= 500)
      this.mcp.logger.error({ err: error, requestId: this.#requestId }, 'request failed');
    // What is left of a body that nobody reads must not be taken for the next request.
    if (!this.request.complete) this.response.setHeader('Connection', 'close');
    for (const [name, value] of Object.entries(known.headers)) this.response.setHeader(name, value);
    this.#send(
      known.status,
      JSON.stringify({ ok: false, error: { ...known.toBody(), requestId: this.#requestId } }),
    );
  }

  /** Over a limit: HTTP's 429 makes clients wait, the JSON-RPC error tells the model why. */
  #refuseMessage(error: AppError, { request }: Message): void {
    for (const [name, value] of Object.entries(error.headers)) this.response.setHeader(name, value);
    const retryAfterSeconds = Number(error.headers['Retry-After']);
    const data = { ...error.toBody(), requestId: this.#requestId, retryAfterSeconds };
    const answer: JSONRPCMessage = {
      jsonrpc: '2.0',
      id: request?.id ?? '',
      error: { code: error.status, message: error.message, data },
    };
    this.#send(error.status, JSON.stringify(answer));
  }

  #send(status: number, body?: string): void {
    const { response } = this;
    if (response.headersSent || response.destroyed) return;
    if (body === undefined) return void response.writeHead(status).end();
    response
      .writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) })
      .end(this.request.method === 'HEAD' ? undefined : body);
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return Array.isArray(value) ? value[0] : value;
}
