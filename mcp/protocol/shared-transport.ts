import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from '../context/caller.js';
import { sanitizeErrorResponse } from './sanitize-error-response.js';

interface PendingRequest {
  /** The request as the client sent it, with the client's id. */
  request: JSONRPCRequest;
  caller: Caller;
  resolve: (response: JSONRPCMessage) => void;
}

/**
 * Connects one SDK server to all clients. Each HTTP request and each response contains one MCP
 * message. Different clients may choose the same id. So this transport gives each request a new id,
 * and restores the client's id in the response. The SDK's own HTTP transport would cost more CPU,
 * because it needs a server and a transport per request (docs/adr/0011-agents.md).
 *
 * This process drops `notifications/cancelled`, as MCP allows (Cancellation, Behavior
 * Requirements). With it, the SDK would send no response to the cancelled request. But the request
 * may be a write that is committed anyway, and the audit entry needs the outcome.
 */
export class SharedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #pending = new Map<RequestId, PendingRequest>();
  #lastId = 0;
  #isClosed = false;

  async start(): Promise<void> {}

  /** Responds to pending requests with an error, because the SDK server no longer responds. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.onclose?.();
    for (const { request, resolve } of this.#pending.values()) resolve(closedError(request));
    this.#pending.clear();
  }

  get pendingRequestCount(): number {
    return this.#pending.size;
  }

  /** Passes a request to the SDK server. Resolves with the response, which has the client's id. */
  handleRequest(request: JSONRPCRequest, caller: Caller): Promise<JSONRPCMessage> {
    if (this.#isClosed) return Promise.resolve(closedError(request));
    return new Promise((resolve) => {
      this.#lastId += 1;
      this.#pending.set(this.#lastId, { request, caller, resolve });
      this.onmessage?.(
        { ...withoutTask(request), id: this.#lastId },
        {
          authInfo: { token: '', clientId: caller.key.id, scopes: caller.key.scopes, extra: { caller } },
        },
      );
    });
  }

  /**
   * Receives a response from the SDK server.
   * @throws {Error} for a request or a notification, because it does not name the client that
   *   should get it
   */
  async send(message: JSONRPCMessage): Promise<void> {
    if ('method' in message) throw new Error(`This server sends no ${message.method}; use Caller.notify.`);
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id);
    if (message.id === undefined || !pending) return;
    this.#pending.delete(message.id);
    const { request, caller, resolve } = pending;
    const onerror = (error: Error) => this.onerror?.(error);
    const { method } = request;
    const response = sanitizeErrorResponse(message, { method, requestId: caller.requestId, onerror });
    resolve({ ...response, id: request.id });
  }
}

/**
 * Removes `task`, by which a client asks to run the request as a task. A server without tasks must
 * run such a request normally (MCP 2025-11-25, Tasks).
 */
function withoutTask(request: JSONRPCRequest): JSONRPCRequest {
  if (request.params?.task === undefined) return request;
  const { task: _task, ...params } = request.params;
  return { ...request, params };
}

function closedError({ id }: JSONRPCRequest): JSONRPCErrorResponse {
  const error = { code: ErrorCode.ConnectionClosed, message: 'The server is closing. Send it again.' };
  return { jsonrpc: '2.0', id, error };
}
