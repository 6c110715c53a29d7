import type { IncomingMessage, ServerResponse } from 'node:http';

import type { Principal } from '../../shared/contracts/principal.js';
import { toAppError } from '../../shared/http/error-response.js';
import { observeRequest } from '../../shared/http/observe-request.js';
import { buildRateLimitHeaders } from '../../shared/http/rate-limit-response.js';
import {
  assertReadMethod,
  identifyRequest,
  methodNotAllowed,
  type RequestIds,
  readClientAddress,
  readHeader,
  readUserAgent,
} from '../../shared/http/request.js';
import { AppError } from '../../shared/platform/errors.js';
import { findNetworkPrefix } from '../../shared/platform/limits/network-prefix.js';
import {
  type Credential,
  readKeyCredential,
  refuseCredential,
} from '../../shared/resources/api-keys/credential-cache.js';
import { countRequest } from '../../shared/resources/api-keys/rate-limit.js';
import { auditRefusal } from '../context/audit.js';
import type { Caller } from '../context/caller.js';
import { RpcError } from '../context/errors.js';
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
import { ResponseWriter } from './response-writer.js';

/**
 * The first revision with structured results. Since this revision, clients also name their revision
 * in a header.
 */
const FIRST_STRUCTURED_REVISION = '2025-06-18';

/**
 * Handles an HTTP request to the MCP endpoint. Checks the host, the key and the limits. Passes the
 * MCP message to the protocols, and sends the response or the error.
 */
export class McpHttpRequest {
  readonly #ids: RequestIds;
  readonly #writer: ResponseWriter;
  #key: Principal | undefined;

  constructor(
    private readonly mcp: McpRuntime,
    private readonly request: IncomingMessage,
    private readonly response: ServerResponse,
  ) {
    this.#ids = identifyRequest(request, response);
    this.#writer = new ResponseWriter(mcp.lifecycle, request, response);
  }

  /**
   * Runs `handle`. If `handle` fails, sends its error.
   * @param route path of the endpoint, for the span, the metric and the log entry
   */
  async run(route: string, handle: () => Promise<void>): Promise<void> {
    const { requestId } = this.#ids;
    await observeRequest(this.mcp, this.request, async () => {
      await handle().catch((error: unknown) => this.#sendError(error));
      return { requestId, route, status: this.#writer.status, key: this.#key };
    });
  }

  /**
   * Sends the manifest without authentication, because it contains no account data
   * (docs/decisions.md §1, row 10).
   */
  async sendManifest(manifest: string): Promise<void> {
    assertReadMethod(this.request.method);
    const network = findNetworkPrefix(this.#ip ?? '');
    this.mcp.unsentResponses.admit(network, this.response, Buffer.byteLength(manifest));
    this.#writer.send(200, manifest);
  }

  async handleMessage(handleMcpRequest: HandleMcpRequest): Promise<void> {
    const { mcp, request } = this;
    const { host, origin } = request.headers;
    assertAllowedHostAndOrigin(mcp.config, { host, origin });
    // Refuse a GET. A GET asks for a stream of messages from the server, and this server sends none
    // (MCP, Listening for Messages).
    if (request.method !== 'POST') throw methodNotAllowed(request.method, ['POST']);
    const credential = readKeyCredential(
      mcp,
      readHeader(request, 'authorization') ?? '',
      'Send your agent key as "Authorization: Bearer tk_agent_…".',
    );
    const key = await this.#authenticate(credential);
    // Count the request before reading the body, so that an invalid body counts too.
    const { windows, refusal } = await countRequest(mcp, key);
    this.#writer.setHeaders(buildRateLimitHeaders(windows));
    const message = await readMcpMessage(request).catch((error: unknown) => {
      throw refusal ?? error;
    });
    // Check the key again. The body can take half a minute to arrive, and a person may have revoked
    // the key meanwhile.
    await this.#authenticate(credential);
    const caller = this.#buildCaller(key, message);
    if (refusal) return this.#sendLimitError(refusal, { request: message.request, caller });
    mcp.unsentResponses.admit(key.tenantId, this.response);
    mcp.recordKeyUse(key);
    if (key.kind !== 'agent') throw await this.#refuseApiKey(caller);
    if (!message.request) return this.#writer.send(202);
    const { status, body: response } = await handleMcpRequest(message.request, request.headers, caller);
    const audited = await auditSdkRefusal(mcp, caller, { request: message.request, response });
    this.#writer.setHeaders(caller.responseHeaders);
    this.#writer.send(status, JSON.stringify(audited));
  }

  async #authenticate(credential: Credential): Promise<Principal> {
    const { mcp } = this;
    this.#key =
      (await mcp.credentials.find(credential)) ??
      (await refuseCredential(mcp, this.#ip ?? '', credential.refusalMessage));
    return this.#key;
  }

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
      ...this.#ids,
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
      userAgent: readUserAgent(this.request),
    };
  }

  get #ip(): string | null {
    return readClientAddress(this.request, this.mcp.config);
  }

  async #sendError(error: unknown): Promise<void> {
    const { requestId } = this.#ids;
    // The client has disconnected. Send no response. Log no error, because the server did not fail.
    if (error instanceof ClientDisconnectedError) return;
    if (!(await discardRemainingBody(this.request))) this.#writer.setHeaders({ Connection: 'close' });
    if (error instanceof RpcError) {
      const { code, message, id } = error;
      const data = { ...Object(error.data), requestId };
      this.#writer.send(400, JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, data } }));
      return;
    }
    const known = toAppError(error);
    if (known.status >= 500) this.mcp.logger.error({ err: error, requestId }, 'request failed');
    this.#writer.sendError(known, requestId);
  }

  /**
   * Sends the 429 as a JSON-RPC error. The HTTP status makes the client wait, and the error's text
   * tells the model why.
   */
  async #sendLimitError(
    refusal: AppError,
    { request, caller }: { request: McpMessage['request']; caller: Caller },
  ): Promise<void> {
    const error = await auditExceededLimit(this.mcp, caller, { request, error: refusal });
    this.#writer.setHeaders(error.headers);
    const retryAfterSeconds = Number(error.headers['Retry-After']);
    const data = { ...error.toBody(), requestId: this.#ids.requestId, retryAfterSeconds };
    const rpcError = { code: error.status, message: error.message, data };
    this.#writer.send(
      error.status,
      JSON.stringify({ jsonrpc: '2.0', id: request?.id ?? null, error: rpcError }),
    );
  }
}
