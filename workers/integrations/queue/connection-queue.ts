import { type ConnectionQueueRef, connectionQueueKey } from '../../../shared/queues/integrations.js';
import { connectionLeases } from '../../../shared/sync/lease-connection-queues.js';
import type { LeasedQueue, LeaseStore } from '../../leased-queues/queue-keeper.js';
import type { CallRate } from './call-rate.js';

/** The queue of a connection that this process has leased. The queue runs one step at a time. */
export class ConnectionQueue implements LeasedQueue<ConnectionQueueRef> {
  busyAt = performance.now();
  isRunning = false;
  /** True if the connection may have work that no step has looked for yet. */
  isWoken = true;
  timer: NodeJS.Timeout | undefined;
  /**
   * True if the next step should be a read. Reads and writes alternate, so that neither delays the
   * other.
   */
  prefersRead = false;
  /**
   * True if the last search for a read began with the items of webhooks. The next search then
   * begins with the pulls.
   */
  prefersNotices = false;
  /**
   * The version of the secrets whose access token the vendor refused. If the next step still has
   * these secrets, it must refresh the token, even if the token has not expired. Another worker may
   * have stored newer ones.
   */
  refusedVersion: number | null = null;
  /**
   * True after the worker has refreshed a refused access token. False again once the vendor has
   * accepted the new token.
   */
  hasRefreshed = false;
  rate: CallRate | undefined;
  /** See `OpenConnection`. The adapters limit it. */
  readonly learned = new Map<string, string>();
  /** When a call of a routine read was last logged, by performance.now(). */
  routineLoggedAt = Number.NEGATIVE_INFINITY;
  /**
   * When the first position was stored that no broadcast has announced yet, by performance.now().
   */
  movedAt: number | undefined;
  /**
   * The number of records that the next step may write at the same time, if their kind allows it.
   * It is 1 at first and after a failure. So a vendor in trouble gets one request at a time. And
   * after a crash, writes run one by one, so that a write that kills the process is given up alone.
   */
  writesTogether = 1;

  constructor(
    readonly ref: ConnectionQueueRef,
    readonly owner: string,
    readonly vendor: string,
  ) {}

  get isIdle(): boolean {
    return !this.isRunning && !this.isWoken && this.timer === undefined;
  }

  wake(): void {
    this.isWoken = true;
    this.busyAt = performance.now();
  }

  lose(): void {
    this.isWoken = false;
    this.clearTimer();
  }

  clearTimer(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
  }
}

type Lease = ConnectionQueueRef & { owner: string };

const toRow = ({ tenantId, connectionId, owner }: Lease) => ({
  tenant_id: tenantId,
  id: connectionId,
  owner,
});

const toRef = ({ tenant_id, id }: { tenant_id: string; id: string }) => ({
  tenantId: tenant_id,
  connectionId: id,
});

export const connectionLeaseStore: LeaseStore<ConnectionQueueRef, ConnectionQueue> = {
  channel: 'tow:connection-queues',
  keyOf: connectionQueueKey,
  async acquire(db, leases, takesEnded) {
    const owners = new Map(leases.map((lease) => [connectionQueueKey(lease), lease.owner]));
    return (await connectionLeases.acquire(db, leases.map(toRow), takesEnded)).map((row) => {
      const ref = toRef(row);
      const owner = owners.get(connectionQueueKey(ref)) as string;
      return { ref, queue: row.is_mine ? new ConnectionQueue(ref, owner, row.vendor) : undefined };
    });
  },
  async renew(db, leases) {
    const rows = await connectionLeases.renew(db, leases.map(toRow));
    return rows.map((row) => ({ ...toRef(row), isWoken: row.is_woken }));
  },
  async release(db, leases) {
    const rows = await connectionLeases.release(db, leases.map(toRow));
    return rows.map((row) => ({ ...toRef(row), isWoken: row.is_woken }));
  },
};
