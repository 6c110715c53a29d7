import type { Runtime } from '../../shared/platform/runtime.js';
import { laneKey } from '../../shared/queues/webhooks.js';
import { cancelOpen, type DueAnswer, type DueDelivery, type DueRequest, findDue } from './due-store.js';
import type { ConfigLoader } from './endpoint-config.js';
import type { Lane } from './lane.js';
import { readHealth } from './lane-store.js';

/** Maximum endpoint queues of one database query. */
const MAX_QUEUES_PER_QUERY = 256;
const RETRY_MS = 500;

export interface FeederListener {
  /** The load is complete. */
  onFed(endpointQueue: Lane): void;
  /** The next delivery is due in this many ms. */
  onDueLater(endpointQueue: Lane, inMs: number): void;
  /** The delivery can never be sent. */
  onUnsendable(endpointQueue: Lane, delivery: DueDelivery): void;
}

/**
 * Loads the due deliveries of the endpoint queues that request it. Requests that arrive during a
 * query share the next query.
 */
export class Feeder {
  private requested = new Set<Lane>();
  private isLoading = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly loadConfigs: ConfigLoader,
    private readonly listener: FeederListener,
  ) {}

  ask(endpointQueue: Lane): void {
    this.requested.add(endpointQueue);
    if (this.isLoading) return;
    this.isLoading = true;
    setImmediate(() => void this.loadWhileRequested());
  }

  private async loadWhileRequested(): Promise<void> {
    while (this.requested.size > 0) {
      const endpointQueues = [...this.requested].slice(0, MAX_QUEUES_PER_QUERY);
      for (const endpointQueue of endpointQueues) {
        this.requested.delete(endpointQueue);
        // Clear the flag first so that wake-ups during the query are not lost. The fresh busyAt
        // keeps the lease.
        endpointQueue.isDirty = false;
        endpointQueue.busyAt = performance.now();
      }
      const isDone = await this.load(endpointQueues).catch((error: unknown) =>
        this.postpone(endpointQueues, error),
      );
      if (isDone) for (const endpointQueue of endpointQueues) this.listener.onFed(endpointQueue);
    }
    this.isLoading = false;
  }

  private postpone(endpointQueues: Lane[], error: unknown): false {
    this.runtime.logger.warn(
      { err: error, endpoints: endpointQueues.length },
      'cannot load due deliveries; retrying',
    );
    for (const endpointQueue of endpointQueues) {
      endpointQueue.isDirty = true;
      endpointQueue.isDoubtful = true;
    }
    setTimeout(() => {
      for (const endpointQueue of endpointQueues) this.listener.onFed(endpointQueue);
    }, RETRY_MS);
    return false;
  }

  private async load(endpointQueues: Lane[]): Promise<true> {
    const requests = endpointQueues.map(buildRequest);
    const results = new Map(
      (await findDue(this.runtime.db, requests)).map((result) => [laneKey(result), result]),
    );
    await this.reloadConfigs(
      endpointQueues.filter(
        (endpointQueue) => results.get(laneKey(endpointQueue.ref))?.version !== endpointQueue.config?.version,
      ),
    );
    await this.rereadHealth(endpointQueues.filter(({ isHealthStale, isQuiet }) => isHealthStale && isQuiet));
    for (const [index, endpointQueue] of endpointQueues.entries()) {
      const result = results.get(laneKey(endpointQueue.ref));
      if (result) await this.applyResult(endpointQueue, result, requests[index]?.room as number);
    }
    return true;
  }

  /** Reloads the settings of endpoint queues that are new or whose endpoint changed. */
  private async reloadConfigs(endpointQueues: Lane[]): Promise<void> {
    if (endpointQueues.length === 0) return;
    const byKey = new Map(endpointQueues.map((endpointQueue) => [laneKey(endpointQueue.ref), endpointQueue]));
    for (const found of await this.loadConfigs(endpointQueues.map(({ ref }) => ref))) {
      const endpointQueue = byKey.get(laneKey(found));
      if (endpointQueue) endpointQueue.config = found.config;
    }
  }

  /**
   * Reads the health again, only for quiet queues: for a busy one, memory is newer than PostgreSQL.
   */
  private async rereadHealth(endpointQueues: Lane[]): Promise<void> {
    if (endpointQueues.length === 0) return;
    const reads = new Map(
      endpointQueues.map((endpointQueue) => [
        laneKey(endpointQueue.ref),
        { endpointQueue, busyAt: endpointQueue.busyAt, version: endpointQueue.config?.version ?? '' },
      ]),
    );
    const leases = endpointQueues.map(({ ref, owner }) => ({ ...ref, owner }));
    for (const found of await readHealth(this.runtime.db, leases)) {
      const { endpointQueue, busyAt, version = '' } = reads.get(laneKey(found)) ?? {};
      if (!endpointQueue || endpointQueue.busyAt !== busyAt) continue;
      endpointQueue.health = found.health;
      endpointQueue.healthVersion = version;
    }
  }

  private async applyResult(endpointQueue: Lane, result: DueAnswer, room: number): Promise<void> {
    const { deliveries, takes: accepted, ended, nextDueInMs } = result;
    endpointQueue.backlog = endpointQueue.backlog.filter(({ id }) => !ended.includes(id));
    if (deliveries.length >= room) endpointQueue.isDirty = true;
    else if (nextDueInMs !== null) this.listener.onDueLater(endpointQueue, nextDueInMs);
    const isAccepted = ({ trigger }: DueDelivery) =>
      accepted === 'all' || (accepted === 'probes' && trigger === 'probe');
    endpointQueue.backlog = endpointQueue.backlog.filter(isAccepted);
    // Cancels at most a thousand per pass, so that other endpoint queues do not wait.
    endpointQueue.mustCancel = accepted !== 'all' && (await cancelOpen(this.runtime.db, result));
    const acceptedDeliveries = deliveries.filter(isAccepted);
    for (const delivery of acceptedDeliveries)
      if (delivery.body === null) this.listener.onUnsendable(endpointQueue, delivery);
    endpointQueue.load(acceptedDeliveries.filter(({ body }) => body !== null));
  }
}

function buildRequest(endpointQueue: Lane): DueRequest {
  const { ref, room, known, backlog, isDoubtful } = endpointQueue;
  endpointQueue.isDoubtful = false;
  return { ...ref, room, known, doubtful: isDoubtful ? backlog.map(({ id }) => id) : [] };
}
