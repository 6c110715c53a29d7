import { LRUCache } from 'lru-cache';
import { AppError, notFound } from '../../../shared/platform/errors.js';
import { createFairLimit, TooManyWaitingError } from '../../../shared/platform/limits/fair-limit.js';
import type { Limiter } from '../../../shared/platform/limits/limiter.js';
import { findNetworkPrefix, findSitePrefix } from '../../../shared/platform/limits/network-prefix.js';
import type { ApiContext } from '../../runtime/context.js';
import { readRawBody } from '../read-raw-body.js';

const MAX_BODY_BYTES = 1024 * 1024;
/** The whole body must arrive within this time. Vendors send the body immediately. */
const BODY_DEADLINE_MS = 5000;
/**
 * The limits for bodies in memory whose signature is not yet verified. At 1 MiB each, they take at
 * most 64 MiB together and 8 MiB per network. Networks share the capacity fairly.
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
 * The limits for networks that sent many bad bodies. This service reads one body at a time from
 * each such network. All their bodies together take at most 32 MiB, in addition to the 64 MiB
 * above. These networks are not blocked, because a customer of a vendor can make the vendor's
 * network send bad signatures.
 */
const SUSPECT_BODY_LIMITS = { ...BODY_LIMITS, maxRunning: 32, maxRunningPerGroup: 1 } as const;
/**
 * After this many refused requests of one kind in a minute, further requests of that kind are
 * blocked. For the kind `bodies`, the service still reads the network's bodies, but only one at a
 * time.
 */
const REFUSALS_PER_MINUTE = 60;
const MAX_OVER_LIMIT = 10_000;

/**
 * Kinds of refused requests. Each kind is counted separately, so refusals of one kind do not affect
 * requests of another kind from the same network.
 *
 * - `unknown`: requests to an address that this service has not issued, counted by network.
 * - `connection`: refused requests to the address of one connection, counted by network and
 * connection.
 * - `bodies`: a late, truncated or too large body at any address, or a wrong signature at the
 * address of the operator's application. Counted by network.
 */
type RefusalKind = 'unknown' | 'connection' | 'bodies';

/**
 * Limits the resources that senders without a valid signature can use. A vendor sends the webhooks
 * for all its customers from the same network. So refusals for one connection never block requests
 * to another connection.
 */
export class HookGuard {
  private readonly bodies = createFairLimit(BODY_LIMITS);
  private readonly suspectBodies = createFairLimit(SUSPECT_BODY_LIMITS);
  /** Maps each kind and sender over the limit to the end of the block, in ms since 1970. */
  private readonly overLimitUntil = new LRUCache<string, number>({ max: MAX_OVER_LIMIT });

  constructor(private readonly limiter: Limiter) {}

  /** @throws {AppError} 429 for a network with too many refused requests to this connection */
  assertMayCall(ctx: ApiContext, connectionId: string): void {
    if (this.isOverLimit('connection', buildCallKey(ctx, connectionId))) throw tooManyWebhooks();
  }

  /**
   * Reads the body and passes it to `use`, which verifies it. The body counts towards the memory
   * limit until `use` returns.
   * @throws {AppError} 429 if too many bodies wait for the memory limit
   */
  async readBody<T>(ctx: ApiContext, use: (body: Buffer) => T): Promise<T> {
    const group = findNetworkPrefix(ctx.ip);
    const limit = this.isOverLimit('bodies', group) ? this.suspectBodies : this.bodies;
    const place = { queue: 'bodies', group, site: findSitePrefix(ctx.ip) } as const;
    try {
      return await limit.run(place, async () => use(await this.readCounted(ctx)));
    } catch (error) {
      throw error instanceof TooManyWaitingError ? tooManyWebhooks() : error;
    }
  }

  private async readCounted(ctx: ApiContext): Promise<Buffer> {
    try {
      return await readRawBody(ctx, { maxBytes: MAX_BODY_BYTES, deadlineMs: BODY_DEADLINE_MS });
    } catch (error) {
      await this.countRefusal('bodies', findNetworkPrefix(ctx.ip));
      throw error;
    }
  }

  /** Refuses a request to an address that this service has not issued. */
  async refuseUnknown(ctx: ApiContext): Promise<never> {
    const network = findNetworkPrefix(ctx.ip);
    if (this.isOverLimit('unknown', network)) throw tooManyWebhooks();
    await this.countRefusal('unknown', network);
    throw unknownAddress();
  }

  /** Refuses a request to the address of a connection, for the given reason. */
  async refuseCall(ctx: ApiContext, connectionId: string, reason: AppError): Promise<never> {
    await this.countRefusal('connection', buildCallKey(ctx, connectionId));
    throw reason;
  }

  /** Refuses a request whose signature is not that of the operator's application. */
  async refuseSignature(ctx: ApiContext, reason: AppError): Promise<never> {
    await this.countRefusal('bodies', findNetworkPrefix(ctx.ip));
    throw reason;
  }

  private isOverLimit(kind: RefusalKind, key: string): boolean {
    return (this.overLimitUntil.get(`${kind} ${key}`) ?? 0) > Date.now();
  }

  private async countRefusal(kind: RefusalKind, key: string): Promise<void> {
    const points = { name: `hook-refusals-${kind}`, points: 1, perMinute: REFUSALS_PER_MINUTE };
    const { isGranted, resetMs } = await this.limiter.spendPoints(key, points);
    if (!isGranted) this.overLimitUntil.set(`${kind} ${key}`, Date.now() + resetMs);
  }
}

function buildCallKey(ctx: ApiContext, connectionId: string): string {
  return `${findNetworkPrefix(ctx.ip)}/${connectionId}`;
}

export function unknownAddress(): AppError {
  return notFound('address for webhooks');
}

export function tooManyWebhooks(): AppError {
  return new AppError('rate_limited', 'Too many requests. Send it again in a minute.', {
    headers: { 'Retry-After': '60' },
  });
}
