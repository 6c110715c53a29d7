import { FairQueue } from './fair-queue.js';
import { GateFullError } from './gate.js';

/** Lets a few pieces of work run at a time. Tenants take turns, so one that asks for much waits behind itself. */
export interface FairLimit {
  /** Runs the work when it is its tenant's turn. @throws {GateFullError} at once when too much waits already */
  run<T>(tenantId: string, work: () => Promise<T>): Promise<T>;
}

interface FairLimitOptions {
  maxRunning: number;
  /** Of all tenants together. */
  maxQueued: number;
  maxQueuedPerTenant: number;
}

export function createFairLimit({ maxRunning, maxQueued, maxQueuedPerTenant }: FairLimitOptions): FairLimit {
  let running = 0;
  const queue = new FairQueue<() => void>();
  const queuedOf = new Map<string, number>();
  let queued = 0;

  const count = (tenantId: string, change: 1 | -1) => {
    queued += change;
    const left = (queuedOf.get(tenantId) ?? 0) + change;
    if (left === 0) queuedOf.delete(tenantId);
    else queuedOf.set(tenantId, left);
  };
  const enter = async (tenantId: string) => {
    if (running < maxRunning) {
      running += 1;
      return;
    }
    if (queued >= maxQueued || (queuedOf.get(tenantId) ?? 0) >= maxQueuedPerTenant)
      throw new GateFullError('too many are waiting');
    count(tenantId, 1);
    // The work that ends hands its place over, so `running` stays as it is.
    await new Promise<void>((resolve) => queue.push(tenantId, resolve));
    count(tenantId, -1);
  };
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    async run(tenantId, work) {
      await enter(tenantId);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
