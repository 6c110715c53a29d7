import { FairQueue } from '../../shared/platform/fair-queue.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { MESSAGES_QUEUE } from '../../shared/queues/messages.js';

/**
 * Messages that one process hands over at once: mail servers dislike more connections from one
 * address.
 */
const MAX_RUNNING = 4;
/** Of one account, so that another's first does not wait for a slow PDF or a slow answer. */
const MAX_RUNNING_PER_TENANT = 3;

/** What an account sends: messages to its customers, and mails of notices to its people. */
export type Kind = 'messages' | 'notices';

/**
 * Claims what an account has due next, and resolves with the rest of the work; undefined when there
 * is nothing.
 */
export type ClaimNext = (tenantId: string) => Promise<(() => Promise<void>) | undefined>;

/**
 * Whose mail leaves next. Only accounts wait here, not their mails: an account that has its turn
 * claims its longest due from the table, and goes to the end of the round. So the memory is bounded
 * by the accounts, nothing that waits holds a lease, and a process that dies forgets nothing that
 * the clock does not find.
 */
export class MailTurns {
  readonly #waiting = new FairQueue<string>();
  readonly #runningOf = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;

  constructor(
    private readonly runtime: Pick<Runtime, 'logger' | 'metrics'>,
    private readonly claims: Readonly<Record<Kind, ClaimNext>>,
  ) {}

  /** Notes that an account may have something due. */
  wake(tenantId: string, kind: Kind): void {
    // One place for each account and kind, however often it is prompted.
    this.#waiting.push(tenantId, `${kind} ${tenantId}`);
    this.#fill();
  }

  /** Begins nothing more, and waits for what is in hand. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#running);
  }

  #fill(): void {
    while (!this.#isClosing && this.#running.size < MAX_RUNNING) {
      const next = this.#waiting.shift((id) => this.#countOf(id) < MAX_RUNNING_PER_TENANT);
      if (!next) return;
      const [kind, tenantId] = next.split(' ') as [Kind, string];
      this.#runningOf.set(tenantId, this.#countOf(tenantId) + 1);
      const running = this.#take(tenantId, kind).finally(() => {
        this.#running.delete(running);
        const left = this.#countOf(tenantId) - 1;
        if (left === 0) this.#runningOf.delete(tenantId);
        else this.#runningOf.set(tenantId, left);
        this.#fill();
      });
      this.#running.add(running);
    }
  }

  async #take(tenantId: string, kind: Kind): Promise<void> {
    try {
      const deliver = await this.claims[kind](tenantId);
      if (!deliver) return;
      // It may have more. What becomes due after this look brings a prompt of its own.
      this.wake(tenantId, kind);
      await deliver();
    } catch (error) {
      // The clock prompts again for what is due, once the store is there and the lease has ended.
      this.runtime.metrics.failedJobs.inc({ queue: MESSAGES_QUEUE, name: kind, final: 'no' });
      this.runtime.logger.error({ err: error, tenant: tenantId, kind }, 'a mail was not handed over');
    }
  }

  #countOf(tenantId: string): number {
    return this.#runningOf.get(tenantId) ?? 0;
  }
}
