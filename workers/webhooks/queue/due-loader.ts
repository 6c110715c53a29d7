import { cancelDeliveriesOfEndpoint } from '../../../shared/deliveries/cancel-deliveries.js';
import { type DueDelivery, type DueResult, findDue } from '../../../shared/deliveries/find-due-deliveries.js';
import { readEndpointHealth } from '../../../shared/deliveries/lease-endpoint-queues.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import { endpointQueueKey } from '../../../shared/queues/webhooks.js';
import type { ConfigLoader } from './endpoint-config.js';
import type { EndpointQueue } from './endpoint-queue.js';
import type { LoadResult } from './queue-mode.js';

const MAX_QUEUES_PER_QUERY = 256;
const RETRY_MS = 500;

export interface DueLoaderListener {
  onLoaded(endpointQueue: EndpointQueue): void;
  onDueLater(endpointQueue: EndpointQueue, inMs: number): void;
  onUnsendable(endpointQueue: EndpointQueue, delivery: DueDelivery): void;
}

/**
 * Loads the due deliveries of endpoint queues. Queues that are requested while a query runs share
 * the next query.
 */
export class DueLoader {
  private requested = new Set<EndpointQueue>();
  private isLoading = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly loadConfigs: ConfigLoader,
    private readonly listener: DueLoaderListener,
  ) {}

  requestLoad(endpointQueue: EndpointQueue): void {
    this.requested.add(endpointQueue);
    if (this.isLoading) return;
    this.isLoading = true;
    setImmediate(() => void this.loadWhileRequested());
  }

  private async loadWhileRequested(): Promise<void> {
    while (this.requested.size > 0) {
      const endpointQueues = [...this.requested].slice(0, MAX_QUEUES_PER_QUERY);
      for (const endpointQueue of endpointQueues) this.requested.delete(endpointQueue);
      const results = await this.load(endpointQueues).catch((error: unknown) =>
        this.postpone(endpointQueues, error),
      );
      if (!results) continue;
      for (const [endpointQueue, result] of results) endpointQueue.endLoad(result);
      for (const endpointQueue of endpointQueues) this.listener.onLoaded(endpointQueue);
    }
    this.isLoading = false;
  }

  private postpone(endpointQueues: EndpointQueue[], error: unknown): undefined {
    this.runtime.logger.warn(
      { err: error, endpoints: endpointQueues.length },
      'cannot load due deliveries; retrying',
    );
    for (const endpointQueue of endpointQueues) endpointQueue.endLoad('fail_load');
    setTimeout(() => {
      for (const endpointQueue of endpointQueues) this.listener.onLoaded(endpointQueue);
    }, RETRY_MS);
  }

  private async load(endpointQueues: EndpointQueue[]): Promise<Map<EndpointQueue, LoadResult>> {
    const requests = endpointQueues.map((endpointQueue) => endpointQueue.startLoad());
    const results = new Map(
      (await findDue(this.runtime.db, requests)).map((result) => [endpointQueueKey(result), result]),
    );
    await this.reloadConfigs(
      endpointQueues.filter(
        (endpointQueue) =>
          results.get(endpointQueueKey(endpointQueue.ref))?.version !== endpointQueue.config?.version,
      ),
    );
    await this.rereadHealth(endpointQueues.filter(({ isHealthStale, isQuiet }) => isHealthStale && isQuiet));
    const loaded = new Map<EndpointQueue, LoadResult>();
    for (const [index, endpointQueue] of endpointQueues.entries()) {
      const result = results.get(endpointQueueKey(endpointQueue.ref));
      const room = requests[index]?.room as number;
      loaded.set(endpointQueue, result ? await this.applyResult(endpointQueue, result, room) : 'load_all');
    }
    return loaded;
  }

  /** Reloads the settings of endpoint queues that are new, or whose endpoint has changed. */
  private async reloadConfigs(endpointQueues: EndpointQueue[]): Promise<void> {
    if (endpointQueues.length === 0) return;
    const byKey = new Map(
      endpointQueues.map((endpointQueue) => [endpointQueueKey(endpointQueue.ref), endpointQueue]),
    );
    for (const found of await this.loadConfigs(endpointQueues.map(({ ref }) => ref))) {
      const endpointQueue = byKey.get(endpointQueueKey(found));
      if (endpointQueue) endpointQueue.config = found.config;
    }
  }

  /**
   * Reads the health of quiet queues again. A queue is quiet if it has no requests in flight and no
   * unstored results. For any other queue, the health in memory is newer than in PostgreSQL.
   */
  private async rereadHealth(endpointQueues: EndpointQueue[]): Promise<void> {
    if (endpointQueues.length === 0) return;
    const reads = new Map(
      endpointQueues.map((endpointQueue) => [
        endpointQueueKey(endpointQueue.ref),
        { endpointQueue, busyAt: endpointQueue.busyAt, version: endpointQueue.config?.version ?? '' },
      ]),
    );
    const leases = endpointQueues.map(({ ref, owner }) => ({ ...ref, owner }));
    for (const found of await readEndpointHealth(this.runtime.db, leases)) {
      const { endpointQueue, busyAt, version = '' } = reads.get(endpointQueueKey(found)) ?? {};
      if (!endpointQueue || endpointQueue.busyAt !== busyAt) continue;
      endpointQueue.health = found.health;
      endpointQueue.healthVersion = version;
    }
  }

  private async applyResult(
    endpointQueue: EndpointQueue,
    result: DueResult,
    room: number,
  ): Promise<LoadResult> {
    const { deliveries, accepts: accepted, endedIds, nextDueInMs } = result;
    endpointQueue.backlog = endpointQueue.backlog.filter(({ id }) => !endedIds.includes(id));
    const mayHaveMoreDue = deliveries.length >= room;
    if (!mayHaveMoreDue && nextDueInMs !== null) this.listener.onDueLater(endpointQueue, nextDueInMs);
    const isAccepted = ({ trigger }: DueDelivery) =>
      accepted === 'all' || (accepted === 'probes' && trigger === 'probe');
    endpointQueue.backlog = endpointQueue.backlog.filter(isAccepted);
    // One call cancels at most a thousand deliveries, because more would delay other endpoint
    // queues.
    const mustCancelMore = accepted !== 'all' && (await cancelDeliveriesOfEndpoint(this.runtime.db, result));
    const acceptedDeliveries = deliveries.filter(isAccepted);
    for (const delivery of acceptedDeliveries)
      if (delivery.body === null) this.listener.onUnsendable(endpointQueue, delivery);
    endpointQueue.load(acceptedDeliveries.filter(({ body }) => body !== null));
    if (mustCancelMore) return 'refuse';
    return mayHaveMoreDue ? 'load_some' : 'load_all';
  }
}
