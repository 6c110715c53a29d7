import { randomUUID } from 'node:crypto';
import type { RequestId } from '@modelcontextprotocol/sdk/types.js';

/** A request to a client whose answer is waited for. */
export interface Question {
  /** Its id between the SDK's server and the exchange. */
  serverId: RequestId;
  /** The client's request, by the exchange's own id, on whose response it was asked. */
  asker: RequestId;
  /** Whose answer counts. */
  keyId: string;
}

/** The questions that this process has asked and that are not answered. An answer comes as a POST of its own: it must meet the same process. */
export class Questions {
  readonly #open = new Map<RequestId, Question>();

  get size(): number {
    return this.#open.size;
  }

  /** Returns the id it goes out under: nobody guesses it, and another key's answer to it does not count. */
  add(question: Question): string {
    const id = randomUUID();
    this.#open.set(id, question);
    return id;
  }

  /** The question that a key answers, which is then open no more. */
  take(id: RequestId | undefined, keyId: string): Question | undefined {
    const question = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || question?.keyId !== keyId) return undefined;
    this.#open.delete(id);
    return question;
  }

  /** Under which id the client knows a question that the server gives up; it is open no more. */
  giveUp(serverId: unknown): RequestId | undefined {
    for (const [id, question] of this.#open) {
      if (question.serverId !== serverId) continue;
      this.#open.delete(id);
      return id;
    }
    return undefined;
  }

  /** Closes the questions of one request, or all. */
  close(asker?: RequestId): Question[] {
    const closed = [...this.#open].filter(([, question]) => asker === undefined || question.asker === asker);
    for (const [id] of closed) this.#open.delete(id);
    return closed.map(([, question]) => question);
  }
}
