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
/** Revision of the protocol that brought structured results; from it on clients name theirs in a header. */
const STRUCTURED_SINCE = '2025-06-18';

/** Answers what is under /mcp. False: the request is for somebody else. */
export type McpListener = (request: IncomingMessage, response: ServerResponse) => boolean;

/**
 * Streamable HTTP (MCP 2024-11-05 to 2026-07-28) without sessions: one POST, one answer, and any replica can give it. It is JSON, or the end of a stream when
 * there is something to say before.
 * @param offerOf what agents are offered
 */
export async function createMcpListener(
  runtime: Runtime,
  offerOf: (mcp: McpRuntime) => Offer = createOffer,
): Promise<McpListener> {
  const mcp = await createMcpRuntime(runtime);
  const protocols = await createProtocols(mcp, offerOf(mcp));
  const manifest = JSON.stringify(manifestOf(runtime.config));
  return (request, response) => {
    const path = pathOf(request);
    if (path !== PATH && path !== MANIFEST_PATH) return false;
    void new Visit(mcp, request, response).run(async (visit) => {
      if (path === MANIFEST_PATH) visit.showManifest(manifest);
      else await visit.exchangeMessage(protocols);
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
  readonly #reply: Reply;
  #key: Principal | undefined;

  constructor(
    private readonly mcp: McpRuntime,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.#requestId = requestIdOf(request) ?? this.#id;
    this.#reply = new Reply(mcp.lifecycle, request, response);
    this.#reply.set({ 'X-Request-Id': this.#requestId });
  }

  async run(answer: (visit: Visit) => Promise<void>): Promise<void> {
    const startedAt = performance.now();
    const { request, mcp } = this;
    const span = { kind: SpanKind.SERVER, causes: [headerOf(request, 'traceparent') ?? ''] };
    await inSpan(`${request.method} ${PATH}`, span, () =>
      answer(this).catch((error: unknown) => this.#refuse(error)),
    );
    const ms = performance.now() - startedAt;
    const { status } = this.#reply;
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
    const [network, bytes] = [networkOf(this.#ip ?? ''), Buffer.byteLength(manifest)];
    this.mcp.unsentAnswers.assertRoom(network, bytes);
    this.mcp.unsentAnswers.track(network, this.response, bytes);
    this.#reply.send(200, manifest);
  }

  async exchangeMessage(protocols: Protocols): Promise<void> {
    const { mcp, request } = this;
    const { host, origin } = request.headers;
    assertOwnSite(mcp.config, { host, origin });
    // A GET would open a stream of its own, on which nothing is ever said (MCP, Listening for Messages).
    if (request.method !== 'POST') throw methodNotAllowed(String(request.method), ['POST']);
    const credential = this.#credential();
    const key = await this.#authenticate(credential);
    // Counted before it is read: what is no message counts as well, and says how many are left.
    const refusal = await this.#count(key);
    const message = await readMessage(request).catch((error: unknown) => {
      throw refusal ?? error;
    });
    // A message may take half a minute to arrive; its key may be revoked by then.
    await this.#authenticate(credential);
    const caller = this.#callerOf(key, message);
    if (refusal) return this.#refuseMessage(refusal, { request: message.request, caller });
    mcp.unsentAnswers.assertRoom(key.tenantId);
    mcp.unsentAnswers.track(key.tenantId, this.response);
    mcp.noteKeyUse(key);
    if (key.kind !== 'agent') throw await this.#notAnAgent(caller);
    if (message.answer) protocols.takeAnswer(message.answer, caller);
    if (!message.request) return this.#reply.send(202);
    const said = await protocols.ask(message.request, request.headers, caller);
    const answer = await auditMalformed(mcp, caller, { request: message.request, answer: said.answer });
    this.#reply.set(caller.answerHeaders);
    this.#reply.send(said.status, JSON.stringify(answer));
  }

  /** @throws {AppError} 401 */
  #credential(): Credential {
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

  /** Counts the message, and tells the limits in headers. Resolves with the refusal of one that is over. */
  async #count(key: Principal): Promise<AppError | undefined> {
    const { windows, refusal } = await countRequest(this.mcp, key);
    this.#reply.set(rateLimitHeaders(windows));
    return refusal;
  }

  /** The refusal of a key of the REST API, written down as any other. */
  #notAnAgent(caller: Caller): Promise<AppError> {
    const error = new AppError(
      'agent_key_required',
      'Agents need an agent key (tk_agent_…). API keys are for the REST API.',
    );
    const what = { tool: null, action: 'mcp.refused', entityType: null, entityId: null, error };
    return auditRefusal(this.mcp, caller, what);
  }

  #callerOf(key: Principal, { request, argumentFaults, bytes }: Message): Caller {
    return {
      key,
      id: this.#id,
      requestId: this.#requestId,
      headers: {
        idempotencyKey: headerOf(this.request, 'idempotency-key'),
        dryRun: headerOf(this.request, 'x-service-dry-run'),
      },
      answerHeaders: {},
      line: request && this.#reply.lineOf(request.id),
      argumentFaults,
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

  async #refuse(error: unknown): Promise<void> {
    // Nobody is there to be told, and nothing of ours went wrong.
    if (error instanceof ClientGone) return;
    if (!(await discardRest(this.request))) this.#reply.set({ Connection: 'close' });
    if (error instanceof RpcError) {
      const { code, message, id } = error;
      const data = { ...Object(error.data), requestId: this.#requestId };
      this.#reply.send(400, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
      return;
    }
    const known = toAppError(error);
    if (known.status >= 500)
      this.mcp.logger.error({ err: error, requestId: this.#requestId }, 'request failed');
    this.#reply.set(known.headers);
    const body = { ok: false, error: { ...known.toBody(), requestId: this.#requestId } };
    this.#reply.refuse(known.status, body);
  }

  /** Over a limit: HTTP's 429 makes clients wait, the JSON-RPC error tells the model why. */
  async #refuseMessage(
    refusal: AppError,
    { request, caller }: { request: Message['request']; caller: Caller },
  ): Promise<void> {
    const error = await auditOverLimit(this.mcp, caller, { request, error: refusal });
    this.#reply.set(error.headers);
    const retryAfterSeconds = Number(error.headers['Retry-After']);
    const data = { ...error.toBody(), requestId: this.#requestId, retryAfterSeconds };
    const answer = { code: error.status, message: error.message, data };
    this.#reply.send(
      error.status,
      JSON.stringify({ jsonrpc: '2.0', id: request?.id ?? null, error: answer }),
    );
  }
}
