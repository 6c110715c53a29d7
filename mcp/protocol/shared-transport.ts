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
  /** This request has the client's own id. */
  request: JSONRPCRequest;
  caller: Caller;
  resolve: (response: JSONRPCMessage) => void;
}

/**
 * Connects one SDK server to all clients. An HTTP request carries one MCP message in, and its
 * response carries one out. Different clients may choose the same id, so this transport gives each
 * request its own id and restores the client's id in the response. The transport stores nothing
 * between two requests, so any replica can handle any request. The SDK's own HTTP transport needs a
 * server and a transport per request, which costs more CPU (docs/adr/0011-agents.md).
 *
 * The SDK responds to every request that is not aborted. Clients cannot abort a request, because
 * this process drops `notifications/cancelled`. That notification may reach another replica than
 * its request. A write cannot be undone halfway, and each call is audited with its outcome. MCP
 * allows servers to ignore the notification (Cancellation, Behavior Requirements).
 */
export class SharedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #pending = new Map<RequestId, PendingRequest>();
  #lastId = 0;
  #isClosed = false;

  async start(): Promise<void> {}

  /** Pending requests get an error, because no response will follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.onclose?.();
    for (const { request, resolve } of this.#pending.values()) resolve(closedError(request));
    this.#pending.clear();
  }

  get pendingRequestCount(): number {
    return this.#pending.size;
  }

  /** Resolves with the response under the client's id. */
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
   * The SDK's server calls this for its responses.
   * @throws {Error} for a request or a notification, which would need a client of its own
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

/** A server without tasks must run a request for a task normally (MCP 2025-11-25, Tasks). */
function withoutTask(request: JSONRPCRequest): JSONRPCRequest {
  if (request.params?.task === undefined) return request;
  const { task: _task, ...params } = request.params;
  return { ...request, params };
}

function closedError({ id }: JSONRPCRequest): JSONRPCErrorResponse {
  const error = { code: ErrorCode.ConnectionClosed, message: 'The server is closing. Send it again.' };
  return { jsonrpc: '2.0', id, error };
}
