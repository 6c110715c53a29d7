import { AppError, notFound } from '../../shared/platform/errors.js';
import { createFairLimit, TooManyWaitingError } from '../../shared/platform/limits/fair-limit.js';
import type { Limiter } from '../../shared/platform/limits/limiter.js';
import { findNetworkPrefix, findSitePrefix } from '../../shared/platform/limits/network-prefix.js';
import type { ApiContext } from '../runtime/context.js';
import { readRawBody } from './read-raw-body.js';

const MAX_BODY_BYTES = 1024 * 1024;
/** The whole body must arrive within this time. Vendors send it at once. */
const BODY_DEADLINE_MS = 5000;
/**
 * Limits how many bodies are in memory before their signature is verified. At 1 MiB each, they take
 * at most 64 MiB in total and 8 MiB per network. Networks share the capacity fairly.
 */
const BODY_LIMITS = {
  queues: ['bodies'],
  maxRunning: 64,
  maxRunningPerGroup: 8,
  maxQueued: 1000,
  maxQueuedPerGroup: 200,
  maxWaitMs: 5000,
} as const;
/**
 * A network that sends more refused requests than this is blocked until the minute ends. Requests
 * with a valid signature do not count.
 */
const REFUSALS_PER_MINUTE = 60;
const MAX_BLOCKED = 10_000;

/** Limits the resources that senders without a valid signature can use. */
export class HookGuard {
  private readonly bodies = createFairLimit(BODY_LIMITS);
  /**
   * When the block of a network ends, in milliseconds since 1970. A network is blocked after too
   * many refused requests.
   */
  private readonly blockedUntil = new Map<string, number>();

  constructor(private readonly limiter: Limiter) {}

  /** @throws {AppError} 429 for a network with too many refused requests */
  assertMayTry(ctx: ApiContext): void {
    const until = this.blockedUntil.get(findNetworkPrefix(ctx.ip)) ?? 0;
    if (until > Date.now()) throw tooManyWebhooks();
  }

  /**
   * Reads the body and passes it to `use`, which verifies it. The body counts towards the memory
   * limit until `use` returns.
   * @throws {AppError} 429 if too many bodies wait for the memory limit
   */
  async readBody<T>(ctx: ApiContext, use: (body: Buffer) => T): Promise<T> {
    const place = {
      queue: 'bodies',
      group: findNetworkPrefix(ctx.ip),
      site: findSitePrefix(ctx.ip),
    } as const;
    try {
      return await this.bodies.run(place, async () =>
        use(await readRawBody(ctx, { maxBytes: MAX_BODY_BYTES, deadlineMs: BODY_DEADLINE_MS })),
      );
    } catch (error) {
      throw error instanceof TooManyWaitingError ? tooManyWebhooks() : error;
    }
  }

  async refuseUnknown(ctx: ApiContext): Promise<never> {
    this.assertMayTry(ctx);
    await this.countRefusal(ctx);
    throw notFound('address for webhooks');
  }

  async refuseSignature(ctx: ApiContext): Promise<never> {
    await this.countRefusal(ctx);
    throw new AppError('unauthorized', 'The signature does not match the body.');
  }

  private async countRefusal(ctx: ApiContext): Promise<void> {
    const network = findNetworkPrefix(ctx.ip);
    const wish = { name: 'hook-refusals', points: 1, perMinute: REFUSALS_PER_MINUTE };
    const { isGranted, resetMs } = await this.limiter.spendPoints(network, wish);
    if (isGranted) return;
    if (this.blockedUntil.size >= MAX_BLOCKED) this.blockedUntil.clear();
    this.blockedUntil.set(network, Date.now() + resetMs);
  }
}

export function tooManyWebhooks(): AppError {
  return new AppError('rate_limited', 'Too many requests. Send it again in a minute.', {
    headers: { 'Retry-After': '60' },
  });
}
