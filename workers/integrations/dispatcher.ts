import type { ConnectionQueueRef } from '../../shared/queues/integrations.js';
import type { WritesQueue } from '../../shared/queues/writes.js';
import { QueueKeeper } from '../leased-queues/queue-keeper.js';
import { CommandSender } from './queue/command-sender.js';
import { type ConnectionQueue, connectionLeaseStore } from './queue/connection-queue.js';
import { ReadyQueues } from './queue/ready-queues.js';
import { StepPermits } from './queue/step-permits.js';
import { runStep } from './steps/run-step.js';
import type { StepServices } from './vendor/step.js';

/** Maximum number of concurrent steps in the quick pool, and in the slow pool. */
const MAX_STEPS = 32;
/** A step that takes longer than this time moves to the slow pool. */
const SLOW_MS = 1000;
/**
 * The process sets timers only for work that is due within this time. The clock wakes queues whose
 * next work is later.
 */
const HORIZON_MS = 60_000;
/** The wait after an unexpected error. Also the wait while the leases may have ended. */
const RETRY_MS = 500;

/**
 * Runs steps of the connections whose queues this process has leased. Each connection runs one step
 * at a time. While permits are free, steps start round-robin between vendors, and between the
 * tenants of a vendor. No job and no transaction stays open while a step waits for its vendor.
 */
export class IntegrationsDispatcher {
  private readonly keeper: QueueKeeper<ConnectionQueueRef, ConnectionQueue>;
  private readonly permits = new StepPermits({ maxSteps: MAX_STEPS, slowMs: SLOW_MS }, () =>
    this.startNext(),
  );
  private readonly ready = new ReadyQueues();
  private readonly running = new Set<Promise<void>>();
  private isClosing = false;

  private readonly services: StepServices;

  constructor({
    writes,
    ...services
  }: Omit<StepServices, 'holdsLease' | 'commands'> & { writes: WritesQueue }) {
    const holdsLease = (queue: ConnectionQueue) =>
      this.keeper.hasValidLeases && this.keeper.get(queue.ref) === queue;
    const commands = new CommandSender(writes, services.runtime.logger);
    this.services = { ...services, commands, holdsLease };
    this.keeper = new QueueKeeper(services.runtime, connectionLeaseStore, (queue) => this.schedule(queue));
  }

  start(): Promise<void> {
    return this.keeper.start();
  }

  /**
   * Starts the due work of these queues. If another process has a queue's lease, wakes the queue
   * there.
   */
  wake(refs: ConnectionQueueRef[]): Promise<void> {
    return this.keeper.wake(refs);
  }

  /** Starts the due work of the queues that this process has leased. Returns the others. */
  wakeLeased(refs: readonly ConnectionQueueRef[]): ConnectionQueueRef[] {
    return this.isClosing ? [...refs] : this.keeper.wakeLeased(refs);
  }

  countRunning() {
    return this.permits.countInUse();
  }

  private schedule(queue: ConnectionQueue): void {
    if (this.isClosing || queue.isRunning || this.keeper.get(queue.ref) !== queue) return;
    queue.clearTimer();
    this.ready.push(queue);
    setImmediate(() => this.startNext());
  }

  private scheduleIn(queue: ConnectionQueue, ms: number | undefined): void {
    if (queue.isWoken || ms === 0) {
      this.schedule(queue);
      return;
    }
    if (ms === undefined || ms > HORIZON_MS || this.keeper.get(queue.ref) !== queue) return;
    queue.clearTimer();
    queue.timer = setTimeout(() => this.schedule(queue), ms);
  }

  private startNext(): void {
    while (!this.isClosing && this.permits.hasFreePermit()) {
      const queue = this.ready.shift((owner) => this.permits.canStart(owner));
      if (!queue) return;
      if (this.keeper.get(queue.ref) !== queue) continue;
      const running = this.run(queue).finally(() => {
        this.running.delete(running);
        this.startNext();
      });
      this.running.add(running);
    }
  }

  private async run(queue: ConnectionQueue): Promise<void> {
    queue.isWoken = false;
    queue.busyAt = performance.now();
    queue.isRunning = true;
    const owner = { vendor: queue.vendor, tenantId: queue.ref.tenantId };
    const nextInMs = await this.permits.run(owner, () => this.runStep(queue));
    queue.isRunning = false;
    queue.busyAt = performance.now();
    this.scheduleIn(queue, nextInMs);
  }

  private async runStep(queue: ConnectionQueue): Promise<number | undefined> {
    if (!this.keeper.hasValidLeases) return RETRY_MS;
    try {
      return await runStep(this.services, queue);
    } catch (error) {
      const { logger } = this.services.runtime;
      const { tenantId: tenant, connectionId: connection } = queue.ref;
      logger.warn({ err: error, tenant, connection }, 'a step of a connection failed; retrying');
      return RETRY_MS;
    }
  }

  /** Starts no more steps, waits for the running ones, and releases the leases. */
  async close(): Promise<void> {
    this.isClosing = true;
    await Promise.all(this.running);
    for (const queue of this.keeper.listHeld()) queue.clearTimer();
    await this.keeper.close();
  }
}
