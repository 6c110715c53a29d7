import { FairQueue } from '../../shared/platform/limits/fair-queue.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { MESSAGES_QUEUE } from '../../shared/queues/messages.js';

/**
 * Maximum messages that one process sends concurrently. Many mail servers limit the connections
 * from one address.
 */
const MAX_RUNNING = 4;
/**
 * Maximum per account. The first message of another account then does not wait for a slow PDF or a
 * slow provider.
 */
const MAX_RUNNING_PER_TENANT = 3;

/** Messages to an account's customers, or mails of notices to its users. */
export type MailKind = 'messages' | 'notices';

/**
 * Leases the next due message of an account. Resolves with a function that delivers it; undefined
 * when no message is due.
 */
export type LeaseNextMail = (tenantId: string) => Promise<(() => Promise<void>) | undefined>;

/**
 * Chooses round-robin between accounts the mail to send next. The queue holds accounts, not mails.
 * When an account is next, the worker leases its longest due mail from the table and moves the
 * account to the end of the round. So the number of accounts limits the memory, and no waiting mail
 * holds a lease. The clock finds the due mails of a process that died.
 */
export class FairMailQueue {
  readonly #waiting = new FairQueue<string>();
  readonly #runningByTenant = new Map<string, number>();
  readonly #running = new Set<Promise<void>>();
  #isClosing = false;

  constructor(
    private readonly runtime: Pick<Runtime, 'logger' | 'metrics'>,
    private readonly leaseNext: Readonly<Record<MailKind, LeaseNextMail>>,
  ) {}

  /** Adds an account that may have due mails to the queue. */
  wake(tenantId: string, kind: MailKind): void {
    // One entry per account and kind, however many wake-up jobs arrive.
    this.#waiting.push(tenantId, `${kind} ${tenantId}`);
    this.#startNext();
  }

  /** Starts no further deliveries, and waits for the running ones. */
  async close(): Promise<void> {
    this.#isClosing = true;
    await Promise.all(this.#running);
  }

  #startNext(): void {
    while (!this.#isClosing && this.#running.size < MAX_RUNNING) {
      const next = this.#waiting.shift((id) => this.#countRunning(id) < MAX_RUNNING_PER_TENANT);
      if (!next) return;
      const [kind, tenantId] = next.split(' ') as [MailKind, string];
      this.#runningByTenant.set(tenantId, this.#countRunning(tenantId) + 1);
      const running = this.#deliverNext(tenantId, kind).finally(() => {
        this.#running.delete(running);
        const remaining = this.#countRunning(tenantId) - 1;
        if (remaining === 0) this.#runningByTenant.delete(tenantId);
        else this.#runningByTenant.set(tenantId, remaining);
        this.#startNext();
      });
      this.#running.add(running);
    }
  }

  async #deliverNext(tenantId: string, kind: MailKind): Promise<void> {
    try {
      const deliver = await this.leaseNext[kind](tenantId);
      if (!deliver) return;
      // The account may have more due mails. A mail that becomes due later has its own wake-up job.
      this.wake(tenantId, kind);
      await deliver();
    } catch (error) {
      // The clock adds a new wake-up job once PostgreSQL is reachable and the lease has expired.
      this.runtime.metrics.failedJobs.inc({ queue: MESSAGES_QUEUE, name: kind, final: 'no' });
      this.runtime.logger.error({ err: error, tenant: tenantId, kind }, 'could not deliver a mail');
    }
  }

  #countRunning(tenantId: string): number {
    return this.#runningByTenant.get(tenantId) ?? 0;
  }
}
