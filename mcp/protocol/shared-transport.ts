import type { Transport, TransportSendOptions } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCNotification,
  type JSONRPCRequest,
  type JSONRPCResponse,
  type MessageExtraInfo,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Lifecycle } from '../../shared/platform/lifecycle.js';
import type { Caller } from '../context/caller.js';
import { type PendingServerRequest, PendingServerRequests } from './pending-server-requests.js';
import { sanitizeErrorResponse } from './sanitize-error-response.js';

interface PendingRequest {
  /** The request with the client's own id. */
  request: JSONRPCRequest;
  caller: Caller;
  resolve: (response: JSONRPCMessage) => void;
  /** True once the server has sent a request of its own on this request's HTTP response. */
  hasServerRequest?: boolean;
}

/**
 * Connects one SDK server to all clients. Each HTTP request carries one MCP message in and its
 * response carries one out. Different clients may choose the same id, so this transport gives each
 * request its own id and restores the client's id in the response. The transport stores nothing
 * between two requests, so any replica can handle any request. The SDK's own HTTP transport needs a
 * server and a transport per request, which costs more CPU (docs/adr/0011-agents.md).
 *
 * The server's notifications and requests to a client go out on the response of the client's
 * request (`Caller.line`). The transport stores the server's own requests only while that response
 * is open. The product sends no such requests; test fixtures do.
 *
 * The SDK responds to every request that is not aborted. Clients cannot abort one, because this
 * transport drops `notifications/cancelled`. That notification may reach another replica than its
 * request. A write cannot be undone halfway, and each call is audited with its outcome. MCP allows
 * servers to ignore the notification (Cancellation, Behavior Requirements).
 */
export class SharedTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #pending = new Map<RequestId, PendingRequest>();
  readonly #serverRequests = new PendingServerRequests();
  #hasShutdownHook = false;
  #lastId = 0;
  #isClosed = false;

  constructor(private readonly lifecycle: Pick<Lifecycle, 'isClosing' | 'onClose'>) {}

  async start(): Promise<void> {}

  /** Closes the transport. Pending requests get an error, because no response will follow. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.onclose?.();
    for (const { request, resolve } of this.#pending.values()) resolve(closedError(request));
    this.#pending.clear();
  }

  /** Number of client requests that wait for a response. */
  get pendingRequestCount(): number {
    return this.#pending.size;
  }

  /** Passes a request to the server. Resolves with the response under the client's id. */
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
   * Passes a client's response to the server, if this process sent the request and the response
   * comes with the same key. Drops any other response.
   */
  handleClientResponse(response: JSONRPCResponse, { key }: Pick<Caller, 'key'>): void {
    const serverRequest = this.#serverRequests.remove(response.id, key.id);
    if (serverRequest) this.onmessage?.({ ...response, id: serverRequest.serverId });
  }

  /** Number of the server's requests that wait for a client's response. */
  get pendingServerRequestCount(): number {
    return this.#serverRequests.size;
  }

  /** The SDK's server calls this for its responses, requests and notifications. */
  async send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isJSONRPCRequest(message)) this.#sendOrRejectServerRequest(message, relatedRequestId);
    else if (isJSONRPCNotification(message)) this.#sendNotification(message, relatedRequestId);
    else this.#completeRequest(message);
  }

  #completeRequest(message: JSONRPCResponse): void {
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id);
    if (message.id === undefined || !pending) return;
    this.#pending.delete(message.id);
    // The call is complete, so no handler needs the responses to the requests that it sent.
    this.#rejectServerRequests(this.#serverRequests.removeAll(message.id), 'The call has been answered.');
    const { request, caller, resolve } = pending;
    const onerror = (error: Error) => this.onerror?.(error);
    const response = sanitizeErrorResponse(message, {
      method: request.method,
      requestId: caller.requestId,
      onerror,
    });
    resolve({ ...response, id: request.id });
  }

  #sendNotification(notification: JSONRPCNotification, parentId: RequestId | undefined): void {
    const channel = parentId === undefined ? undefined : this.#pending.get(parentId)?.caller.clientChannel;
    if (notification.method !== 'notifications/cancelled') return void channel?.send(notification);
    // The server cancels its own request, which the client knows by another id.
    const requestId = this.#serverRequests.cancel(notification.params?.requestId);
    if (requestId !== undefined)
      channel?.send({ ...notification, params: { ...notification.params, requestId } });
  }

  /** If the client cannot be asked, sends an error, so that the server does not wait in vain. */
  #sendOrRejectServerRequest(request: JSONRPCRequest, parentId: RequestId | undefined): void {
    const isSent =
      parentId !== undefined && !this.lifecycle.isClosing && this.#sendServerRequest(request, parentId);
    if (!isSent) this.#rejectServerRequests([{ serverId: request.id }], 'This client cannot be asked.');
  }

  /**
   * Sends a request to the client, whose response arrives as another POST (`takeAnswer`). Returns
   * false if the client accepts no event stream, has disconnected or does not read.
   */
  #sendServerRequest(request: JSONRPCRequest, parentId: RequestId): boolean {
    const pending = this.#pending.get(parentId);
    if (!pending) return false;
    const { clientChannel: channel, key } = pending.caller;
    const id = this.#serverRequests.add({ serverId: request.id, parentRequestId: parentId, keyId: key.id });
    if (!channel?.send({ ...request, id })) {
      this.#serverRequests.remove(id, key.id);
      return false;
    }
    if (!pending.hasServerRequest)
      channel.onClose(() =>
        this.#rejectServerRequests(this.#serverRequests.removeAll(parentId), 'The client has disconnected.'),
      );
    pending.hasServerRequest = true;
    this.#rejectOnShutdown();
    return true;
  }

  /** Sends the server an error as the response to its own requests. */
  #rejectServerRequests(requests: readonly Pick<PendingServerRequest, 'serverId'>[], message: string): void {
    const error = { code: ErrorCode.ConnectionClosed, message };
    for (const { serverId } of requests) this.onmessage?.({ jsonrpc: '2.0', id: serverId, error });
  }

  /**
   * On shutdown the HTTP server waits for its open responses, and one that waits for a client could
   * take a minute. So shutdown first rejects the server's requests to clients.
   */
  #rejectOnShutdown(): void {
    if (this.#hasShutdownHook) return;
    this.#hasShutdownHook = true;
    this.lifecycle.onClose('requests to clients', () =>
      this.#rejectServerRequests(this.#serverRequests.removeAll(), 'The server is closing.'),
    );
  }
}

/**
 * Removes a request for a task. A server without tasks must run such a request normally (MCP
 * 2025-11-25, Tasks), but the SDK would refuse it.
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
