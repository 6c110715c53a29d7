import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import {
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type MessageExtraInfo,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js';
import type { Caller } from './caller.js';

interface Pending {
  /** The client's own id. */
  id: RequestId;
  resolve: (answer: JSONRPCMessage) => void;
}

/**
 * One server for all clients: every HTTP request is a message in, its answer the message out. Clients choose ids that others choose too, so each gets one of ours
 * on its way through. Nothing is remembered between two requests: any replica can take any of them. A server and transport for each request, which is what the
 * SDK's own HTTP transport asks for, costs several times as much (docs/performance.md).
 */
export class Exchange implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: <T extends JSONRPCMessage>(message: T, extra?: MessageExtraInfo) => void;
  readonly #pending = new Map<RequestId, Pending>();
  #next = 0;

  async start(): Promise<void> {}

  async close(): Promise<void> {
    this.onclose?.();
  }

  /** Hands a request to the server and resolves with its answer, under the client's id. */
  ask(request: JSONRPCRequest, caller: Caller): Promise<JSONRPCMessage> {
    return new Promise((resolve) => {
      this.#next += 1;
      this.#pending.set(this.#next, { id: request.id, resolve });
      this.onmessage?.(
        { ...request, id: this.#next },
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
    this.#pending.delete(message.id);
    pending?.resolve({ ...message, id: pending.id });
  }
}
