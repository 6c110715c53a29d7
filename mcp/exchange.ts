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
import type { Lifecycle } from '../shared/platform/lifecycle.js';
import type { Caller } from './caller.js';
import { fitToLeave } from './fit-to-leave.js';
import { type Question, Questions } from './questions.js';

interface Pending {
  /** Under the client's own id. */
  request: JSONRPCRequest;
  caller: Caller;
  resolve: (answer: JSONRPCMessage) => void;
  hasAsked?: boolean;
}

/**
 * One server for all clients: every HTTP request is a message in, its answer the message out. Clients choose ids that others choose too, so each gets one of ours
 * on its way through. Nothing is remembered between two requests: any replica can take any of them. A server and transport for each request, which is what the
 * SDK's own HTTP transport asks for, is dearer (ADR 11).
 *
 * What the server says before an answer goes out on the response of its request (`Caller.line`). Only a question to a client is remembered, as long as that
 * response is open; the product asks none.
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
  readonly #questions = new Questions();
  #hasAsked = false;
  #next = 0;
  #isClosed = false;

  constructor(private readonly lifecycle: Pick<Lifecycle, 'isClosing' | 'onClose'>) {}

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

  /** Takes a client's answer to a question that was asked here, under the same key; any other answer is for nobody. */
  takeAnswer(answer: JSONRPCResponse, { key }: Pick<Caller, 'key'>): void {
    const question = this.#questions.take(answer.id, key.id);
    if (question) this.onmessage?.({ ...answer, id: question.serverId });
  }

  /** How many questions to clients wait for their answers. */
  get asked(): number {
    return this.#questions.size;
  }

  /** What the server says: an answer, or, on the response of a request that is under way, something before it. */
  async send(message: JSONRPCMessage, { relatedRequestId }: TransportSendOptions = {}): Promise<void> {
    if (isJSONRPCRequest(message)) this.#question(message, relatedRequestId);
    else if (isJSONRPCNotification(message)) this.#tell(message, relatedRequestId);
    else this.#answer(message);
  }

  #answer(message: JSONRPCResponse): void {
    const pending = message.id === undefined ? undefined : this.#pending.get(message.id);
    if (message.id === undefined || !pending) return;
    this.#pending.delete(message.id);
    // What it still asks, nobody would hear the answer to.
    this.#withdraw(this.#questions.close(message.id), 'The call has been answered.');
    const { request, caller, resolve } = pending;
    const onerror = (error: Error) => this.onerror?.(error);
    const answer = fitToLeave(message, { method: request.method, requestId: caller.requestId, onerror });
    resolve({ ...answer, id: request.id });
  }

  #tell(notification: JSONRPCNotification, asker: RequestId | undefined): void {
    const line = asker === undefined ? undefined : this.#pending.get(asker)?.caller.line;
    if (notification.method !== 'notifications/cancelled') return void line?.say(notification);
    // The server waits no longer for an answer of the client, which knows the question by another id.
    const requestId = this.#questions.giveUp(notification.params?.requestId);
    if (requestId !== undefined)
      line?.say({ ...notification, params: { ...notification.params, requestId } });
  }

  /** A client that cannot be asked has refused: a send that fails would leave the server waiting. */
  #question(request: JSONRPCRequest, asker: RequestId | undefined): void {
    const isAsked = asker !== undefined && !this.lifecycle.isClosing && this.#ask(request, asker);
    if (!isAsked) this.#withdraw([{ serverId: request.id }], 'This client cannot be asked.');
  }

  /** The answer comes as a POST of its own, to `takeAnswer`. False: the client takes no stream, has gone or does not read. */
  #ask(request: JSONRPCRequest, asker: RequestId): boolean {
    const pending = this.#pending.get(asker);
    if (!pending) return false;
    const { line, key } = pending.caller;
    const id = this.#questions.add({ serverId: request.id, asker, keyId: key.id });
    if (!line?.say({ ...request, id })) {
      this.#questions.take(id, key.id);
      return false;
    }
    if (!pending.hasAsked)
      line.whenOver(() => this.#withdraw(this.#questions.close(asker), 'The client has gone.'));
    pending.hasAsked = true;
    this.#closeInTime();
    return true;
  }

  /** Tells the server that these are not answered any more. */
  #withdraw(questions: readonly Pick<Question, 'serverId'>[], message: string): void {
    const error = { code: ErrorCode.ConnectionClosed, message };
    for (const { serverId } of questions) this.onmessage?.({ jsonrpc: '2.0', id: serverId, error });
  }

  /** The HTTP server waits for its answers before it closes, and an answer that waits for a client could take a minute: from the first question on they are ended before. */
  #closeInTime(): void {
    if (this.#hasAsked) return;
    this.#hasAsked = true;
    this.lifecycle.onClose('questions to clients', () =>
      this.#withdraw(this.#questions.close(), 'The server is closing.'),
    );
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
