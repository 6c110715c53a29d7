import type { Attempt } from '../../../shared/deliveries/attempt.js';
import { type DueDelivery, HORIZON_SECONDS } from '../../../shared/deliveries/find-due-deliveries.js';
import type { OutboundClient } from '../../../shared/outbound/client.js';
import { PostponedError } from '../../../shared/outbound/outbound-error.js';
import type { Runtime } from '../../../shared/platform/process/runtime.js';
import type { EndpointQueue, InFlightRequest } from '../queue/endpoint-queue.js';
import { HostBudget } from './host-budget.js';
import { sendAttempt } from './send-attempt.js';

/** Sends deliveries. Postpones them if the account's limit for the receiver's host is used up. */
export class EndpointSender {
  private readonly budget: HostBudget;

  constructor(
    private readonly runtime: Runtime,
    private readonly client: OutboundClient,
  ) {
    this.budget = new HostBudget(runtime.limiter, runtime.config.webhookHostBytesPerMinute);
  }

  /**
   * @throws {PostponedError} if the account's limit for the host is used up; nothing was sent then
   */
  async send({ config, ref: { tenantId } }: EndpointQueue, delivery: DueDelivery): Promise<Attempt> {
    const { body } = delivery;
    // This cannot happen, because the loader passes on only deliveries with a body and settings.
    if (!config || body === null) throw new Error('a delivery was sent before it was loaded');
    const { url } = config;
    const bytes = Buffer.byteLength(body);
    return sendAttempt({ ...delivery, body }, config, {
      client: this.client,
      admit: (address) => this.budget.admit({ tenantId, url, address }, bytes),
      deadlineMs: this.runtime.config.webhookTimeoutMs,
    });
  }

  /**
   * Pauses the endpoint after {@link send} has failed, usually because the account's limit for the
   * host is used up. The caller must store the pause, so that the next worker with the lease
   * respects it.
   */
  postpone(endpointQueue: EndpointQueue, request: InFlightRequest, error: unknown): void {
    const { logger } = this.runtime;
    // An error other than PostponedError is a bug of this service. The delivery stays in PostgreSQL
    // and is tried again in a minute.
    const isLimitReached = error instanceof PostponedError;
    if (!isLimitReached) logger.error({ err: error }, 'cannot send a delivery');
    endpointQueue.postpone(request, isLimitReached ? error.waitMs : HORIZON_SECONDS * 1000);
    logger.info(
      { ...endpointQueue.ref, until: endpointQueue.health.throttledUntil },
      'deliveries to an endpoint are postponed',
    );
  }
}
