import type { OutboundClient } from '../../shared/platform/outbound/client.js';
import { HeldBackError } from '../../shared/platform/outbound/outbound-error.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { type DueDelivery, HORIZON_SECONDS } from './due-store.js';
import { HostBudget } from './host-budget.js';
import type { Flight, Lane } from './lane.js';
import { storeHealth } from './record-store.js';
import { type Attempt, sendAttempt } from './send.js';

/** Sends a lane's deliveries within what its account may send to its host. */
export class LaneSender {
  private readonly budget: HostBudget;

  constructor(
    private readonly runtime: Runtime,
    private readonly client: OutboundClient,
  ) {
    this.budget = new HostBudget(runtime.limiter, runtime.config.webhookHostBytesPerMinute);
  }

  /** @throws {HeldBackError} when nothing was sent */
  async send({ config, ref: { tenantId } }: Lane, delivery: DueDelivery): Promise<Attempt> {
    const { body } = delivery;
    // The feeder lets neither a lane without settings nor a delivery without a body through.
    if (!config || body === null) throw new Error('a delivery was launched before it was loaded');
    const { url } = config;
    const bytes = Buffer.byteLength(body);
    return sendAttempt({ ...delivery, body }, config, {
      client: this.client,
      admit: (address) => this.budget.admit({ tenantId, url, address }, bytes),
      deadlineMs: this.runtime.config.webhookTimeoutMs,
    });
  }

  /**
   * Its host has had what this account may send it in a minute: all that is for this endpoint
   * waits, here and with whoever takes the lane next.
   */
  holdBack(lane: Lane, flight: Flight, error: unknown): void {
    const { db, logger } = this.runtime;
    // Anything else is a fault of ours: the delivery stays in the store, and is tried again in a
    // minute.
    const isBound = error instanceof HeldBackError;
    if (!isBound) logger.error({ err: error }, 'a delivery could not be sent');
    lane.holdBack(flight, isBound ? error.waitMs : HORIZON_SECONDS * 1000);
    logger.info({ ...lane.ref, until: lane.health.throttledUntil }, 'deliveries are held back');
    storeHealth(db, [{ ...lane.ref, owner: lane.owner, health: { ...lane.health } }]).catch(
      (unstored: unknown) => logger.warn({ err: unstored }, 'a pause is not stored'),
    );
  }
}
