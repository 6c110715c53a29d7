import { randomUUID } from 'node:crypto';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/** A request from the server to a client that has no response yet. */
export interface PendingServerRequest {
  /** The request's id between the SDK's server and the transport. */
  serverId: RequestId;
  /** The transport's id of the client request on whose HTTP response this request was sent. */
  parentRequestId: RequestId;
  /** The key whose response is accepted. */
  keyId: string;
}

/**
 * The open requests that this process has sent to clients. The client's response is another POST,
 * which must reach the same process.
 */
export class PendingServerRequests {
  readonly #open = new Map<RequestId, PendingServerRequest>();

  get size(): number {
    return this.#open.size;
  }

  /** Returns the id to send. It is random, so that another client cannot guess it. */
  add(question: PendingServerRequest): string {
    const id = randomUUID();
    this.#open.set(id, question);
    return id;
  }

  /** Removes and returns the request that a response with this key belongs to. */
  remove(id: RequestId | undefined, keyId: string): PendingServerRequest | undefined {
    const question = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || question?.keyId !== keyId) return undefined;
    this.#open.delete(id);
    return question;
  }

  /** Removes a request that the server cancels. Returns the id under which the client knows it. */
  cancel(serverId: unknown): RequestId | undefined {
    for (const [id, question] of this.#open) {
      if (question.serverId !== serverId) continue;
      this.#open.delete(id);
      return id;
    }
    return undefined;
  }

  /** Removes and returns the open requests of one client request, or all of them. */
  removeAll(parentId?: RequestId): PendingServerRequest[] {
    const closed = [...this.#open].filter(
      ([, question]) => parentId === undefined || question.parentRequestId === parentId,
    );
    for (const [id] of closed) this.#open.delete(id);
    return closed.map(([, question]) => question);
  }
}
