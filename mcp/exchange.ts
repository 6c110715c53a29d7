import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  ErrorCode,
  isJSONRPCRequest,
  type JSONRPCErrorResponse,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from './caller.js';
import { fitToLeave } from './fit-to-leave.js';

interface Pending {
  /** Under the client's own id. */
  request: JSONRPCRequest;
  caller: Caller;
  resolve: (answer: JSONRPCMessage) => void;
}

/**
 * One server for all clients: every HTTP request is a message in, its answer the message out. Clients choose ids that others choose too, so each gets one of ours
 * on its way through. Nothing is remembered between two requests: any replica can take any of them. A server and transport for each request, which is what the
 * SDK's own HTTP transport asks for, is dearer (ADR 11).
 *
 * The SDK answers every request but one that is aborted, and nobody can abort one here: a client's notifications/cancelled is not passed on. It may come to another
 * replica than its request did, what is being written is not to be undone halfway, and each call is audited with what became of it. MCP allows to
 * ignore it (Cancellation, Behavior Requirements).
 */
export class Exchange implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #pending = new Map<RequestId, Pending>();
  #next = 0;
  #isClosed = false;

  async start(): Promise<void> {}

  /** Ends for good; what is under way is told so, because the server answers nothing from here on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.onclose?.();
    for (const { request, resolve } of this.#pending.values()) resolve(closedError(request));
    this.#pending.clear();
  }

  /** How many requests wait for their answers. */
  get underWay(): number {
    return this.#pending.size;
  }

  /** Hands a request to the server and resolves with its answer, under the client's id. */
  ask(request: JSONRPCRequest, caller: Caller): Promise<JSONRPCMessage> {
    if (this.#isClosed) return Promise.resolve(closedError(request));
    return new Promise((resolve) => {
      this.#next += 1;
      this.#pending.set(this.#next, { request, caller, resolve });
      this.onmessage?.(
        { ...withoutTask(request), id: this.#next },
        {
          authInfo: { token: '', clientId: caller.key.id, scopes: caller.key.scopes, extra: { caller } },
        },
      );
    });
  }

  /** What the server says: answers only. It has nobody to send anything else to. */
  async send(message: JSONRPCMessage): Promise<void> {
    if (isJSONRPCRequest(message) || !('id' in message) || message.id === undefined) return;
    const pending = this.#pending.get(message.id);
    if (!pending) return;
    this.#pending.delete(message.id);
    const { request, caller, resolve } = pending;
    const onerror = (error: Error) => this.onerror?.(error);
    const answer = fitToLeave(message, { method: request.method, requestId: caller.requestId, onerror });
    resolve({ ...answer, id: request.id });
  }
}

/** MCP 2025-11-25, Tasks: who does not support them runs the request as if it had not asked for one; the SDK refuses it. */
function withoutTask(request: JSONRPCRequest): JSONRPCRequest {
  if (request.params?.task === undefined) return request;
  const { task: _task, ...params } = request.params;
  return { ...request, params };
}

function closedError({ id }: JSONRPCRequest): JSONRPCErrorResponse {
  const error = { code: ErrorCode.ConnectionClosed, message: 'The server is closing. Send it again.' };
  return { jsonrpc: '2.0', id, error };
}
