import { FairQueue } from '../../shared/platform/limits/fair-queue.js';
import type { Runtime } from '../../shared/platform/process/runtime.js';
import { MESSAGES_QUEUE } from '../../shared/queues/messages.js';

/**
 * Maximum number of mails that this process sends at once. Many mail servers limit the concurrent
 * connections from one address.
 */
const MAX_RUNNING = 4;
/**
 * Maximum number of mails of one account that this process sends at once. It is lower than
 * MAX_RUNNING, so that an account with slow PDFs or a slow provider cannot block other accounts.
 */
const MAX_RUNNING_PER_TENANT = 3;

/**
 * `messages`: messages to an account's customers. `notices`: mails of notices to an account's
 * users. `access`: mails with links to join or to set a password.
 */
export type MailKind = 'messages' | 'notices' | 'access';

/**
 * Leases an account's next due mail and returns a function that sends it. Returns undefined if no
 * mail is due.
 */
export type LeaseNextMail = (tenantId: string) => Promise<(() => Promise<void>) | undefined>;

/**
 * Sends mails round-robin between accounts. The queue contains accounts, not mails, so that the
 * number of accounts limits the memory. The worker takes the next account, leases its mail with the
 * earliest due time, and moves the account to the end of the queue. So a mail is leased only when
 * it is sent. If the process dies, the clock finds the due mails.
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

  /** Queues an account that may have due mails. */
  wake(tenantId: string, kind: MailKind): void {
    // An account waits only once per kind of mail, even if many wake-up jobs arrive.
    this.#waiting.push(tenantId, `${kind} ${tenantId}`);
    this.#startNext();
  }

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
      // Queue the account again, because it may have more due mails.
      this.wake(tenantId, kind);
      await deliver();
    } catch (error) {
      // Only log the error. The clock wakes the account again once PostgreSQL is reachable and the
      // lease has expired.
      this.runtime.metrics.failedJobs.inc({ queue: MESSAGES_QUEUE, name: kind, final: 'no' });
      this.runtime.logger.error({ err: error, tenant: tenantId, kind }, 'could not deliver a mail');
    }
  }

  #countRunning(tenantId: string): number {
    return this.#runningByTenant.get(tenantId) ?? 0;
  }
}
