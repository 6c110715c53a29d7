import type { Bus } from '../../shared/platform/bus.js';
import { newId } from '../../shared/platform/ids.js';
import type { Logger } from '../../shared/platform/logger.js';
import type { Database } from '../../shared/platform/postgres/database.js';
import { LEASE_SECONDS } from '../../shared/records/lease-queries.js';
import { RENEW_MS, StoreContact } from './store-contact.js';

/** An idle queue keeps its lease for this long, so that new work starts immediately. */
const IDLE_MS = 3000;
/**
 * The dispatcher stops sending this long after the last successful renewal, because the leases may
 * soon end.
 */
const TRUSTED_MS = (LEASE_SECONDS - 2) * 1000;

export interface LeasedQueue<Ref> {
  readonly ref: Ref;
  /** Id of the lease. */
  readonly owner: string;
  /** The time at which the queue last had work, by performance.now(). */
  readonly busyAt: number;
  /** True if the queue has no work. Its lease may then be released. */
  readonly isIdle: boolean;
  /** Called when the queue may have new work. */
  wake(): void;
  /** Called when this process no longer has the queue's lease. */
  lose(): void;
}

/**
 * The result of an attempt to lease a queue. `queue` is undefined if another process has the lease.
 */
export interface AcquiredQueue<Ref, Queue> {
  ref: Ref;
  queue: Queue | undefined;
}

/** The queries that acquire, renew and release the leases of one kind of queue. */
export interface LeaseStore<Ref, Queue> {
  /**
   * Name of the broadcast that wakes queues in the process that has their leases. If a broadcast is
   * lost, that process learns of the new work when it renews the leases.
   */
  channel: string;
  keyOf(ref: Ref): string;
  /** @param takesEnded true to also acquire leases that have ended without a release */
  acquire(
    db: Database,
    leases: (Ref & { owner: string })[],
    takesEnded: boolean,
  ): Promise<AcquiredQueue<Ref, Queue>[]>;
  renew(db: Database, leases: (Ref & { owner: string })[]): Promise<(Ref & { isWoken: boolean })[]>;
  release(db: Database, leases: (Ref & { owner: string })[]): Promise<(Ref & { isWoken: boolean })[]>;
}

/** Acquires the leases of queues, renews them, and releases the leases of idle queues. */
export class QueueKeeper<Ref extends object, Queue extends LeasedQueue<Ref>> {
  private readonly held = new Map<string, Queue>();
  private timer: NodeJS.Timeout | undefined;
  private renewedAt = performance.now();
  private isClosing = false;

  constructor(
    private readonly runtime: { bus: Bus; db: Database; logger: Logger },
    private readonly store: LeaseStore<Ref, Queue>,
    private readonly onWoken: (queue: Queue) => void,
    private readonly contact = new StoreContact(performance.now()),
  ) {}

  async start(): Promise<void> {
    await this.runtime.bus.subscribe(this.store.channel, (payload) => {
      for (const ref of JSON.parse(payload) as Ref[]) this.wakeHeld(ref);
    });
    this.timer = setInterval(() => void this.renewOrRelease(), RENEW_MS / 4);
  }

  /** False if PostgreSQL has been unreachable for so long that a lease may have ended. */
  get hasValidLeases(): boolean {
    return performance.now() - this.renewedAt < TRUSTED_MS;
  }

  get(ref: Ref): Queue | undefined {
    return this.held.get(this.store.keyOf(ref));
  }

  listHeld(): Iterable<Queue> {
    return this.held.values();
  }

  /**
   * Wakes these queues. Acquires the leases that no process has. If another process has a lease,
   * sends a broadcast that wakes the queue there. Rejects if PostgreSQL is unreachable.
   */
  async wake(refs: Ref[]): Promise<void> {
    const notHeld = this.wakeLeased(refs);
    if (notHeld.length === 0 || this.isClosing) return;
    const requested = new Map(notHeld.map((ref) => [this.store.keyOf(ref), { ...ref, owner: newId() }]));
    // This process has no leases, so its last renewal may be long ago. The query below acquires new
    // leases, whose age counts from now.
    if (this.held.size === 0) this.renewedAt = performance.now();
    const heldElsewhere: Ref[] = [];
    const takesEnded = this.contact.mayTakeEndedLeases(performance.now());
    const acquired = await this.store.acquire(this.runtime.db, [...requested.values()], takesEnded);
    this.contact.noteAnswer(performance.now());
    for (const { ref, queue } of acquired) {
      if (queue) this.add(queue);
      // A concurrent wake-up in this process may have acquired the lease while the query ran. So
      // look here again before asking the other processes.
      else if (!this.wakeHeld(ref)) heldElsewhere.push(ref);
    }
    if (heldElsewhere.length > 0)
      await this.runtime.bus.publish(this.store.channel, JSON.stringify(heldElsewhere));
  }

  /** Wakes those of these queues that this process has leased, and returns the others. */
  wakeLeased(refs: readonly Ref[]): Ref[] {
    return refs.filter((ref) => !this.wakeHeld(ref));
  }

  private add(queue: Queue): void {
    this.held.set(this.store.keyOf(queue.ref), queue);
    this.onWoken(queue);
  }

  private wakeHeld(ref: Ref): boolean {
    const queue = this.get(ref);
    if (!queue) return false;
    queue.wake();
    this.onWoken(queue);
    return true;
  }

  private async renewOrRelease(): Promise<void> {
    const now = performance.now();
    const idle = [...this.held.values()].filter((queue) => queue.isIdle && now - queue.busyAt > IDLE_MS);
    try {
      await this.release(idle);
      if (now - this.renewedAt >= RENEW_MS) await this.renew();
    } catch (error) {
      this.runtime.logger.warn(
        { err: error, queues: this.held.size },
        'cannot renew the leases of queues; retrying',
      );
    }
  }

  private async renew(): Promise<void> {
    const requested = [...this.held.values()];
    const startedAt = performance.now();
    const renewals = await this.renewLeases(requested);
    const renewed = new Map(renewals.map((renewal) => [this.store.keyOf(renewal), renewal]));
    this.renewedAt = startedAt;
    this.contact.noteAnswer(performance.now());
    for (const queue of requested) {
      const renewal = renewed.get(this.store.keyOf(queue.ref));
      if (!renewal) this.removeHeld(queue);
      else if (renewal.isWoken) this.wakeHeld(queue.ref);
    }
  }

  /** Renews these leases. Without leases, only checks that PostgreSQL responds. */
  private async renewLeases(queues: Queue[]): Promise<(Ref & { isWoken: boolean })[]> {
    if (queues.length > 0) return this.store.renew(this.runtime.db, queues.map(buildLease));
    await this.runtime.db.query({ text: 'select 1' });
    return [];
  }

  private removeHeld(queue: Queue): void {
    if (this.held.get(this.store.keyOf(queue.ref)) !== queue) return;
    this.held.delete(this.store.keyOf(queue.ref));
    queue.lose();
  }

  private async release(queues: Queue[]): Promise<void> {
    if (queues.length === 0) return;
    // Remove the queues from the map first. A wake-up during the release then acquires a new lease.
    for (const queue of queues) this.removeHeld(queue);
    const released = await this.store.release(this.runtime.db, queues.map(buildLease));
    // Acquire a new lease for each queue that was woken during the release. Otherwise its work
    // would wait for the clock.
    const wokenMeanwhile = released.filter(({ isWoken }) => isWoken);
    if (wokenMeanwhile.length > 0) await this.wake(wokenMeanwhile);
  }

  /** Releases all leases. Call this when no request is in flight. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.release([...this.held.values()]);
  }
}

function buildLease<Ref extends object>({ ref, owner }: LeasedQueue<Ref>): Ref & { owner: string } {
  return { ...ref, owner };
}
