import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { getDomain } from 'tldts-icann';
import { PostponedError } from '../../../shared/outbound/outbound-error.js';
import type { Limiter } from '../../../shared/platform/limits/limiter.js';
import { findNetworkPrefix } from '../../../shared/platform/limits/network-prefix.js';

/**
 * The bytes that a request costs besides its body: headers, signature and a share of the TLS
 * handshake.
 */
const OVERHEAD_BYTES = 1024;
/** A process reserves at least 1/32 of the limit at a time, so that it seldom calls the limiter. */
const RESERVATIONS_PER_MINUTE = 32;
const MAX_CACHED_KEYS = 20_000;

/**
 * The bytes that this process may still send for an account to one domain or network. Times are in
 * ms since 1970.
 */
interface Allowance {
  left: number;
  endsAt: number;
  deniedUntil: number;
  reservation?: Promise<void>;
}

export interface Destination {
  tenantId: string;
  url: string;
  /** The address to which the socket is connected. */
  address: string;
}

/**
 * Limits the bytes that one account sends to one host per minute, over all endpoints and workers.
 * Without this limit, an account could create many endpoints at a third party's host, and flood
 * that host through this service. Each request counts twice: for the registered domain, and for the
 * network of the IP address. So an account cannot evade the limit with many names for one machine,
 * or with many addresses for one name.
 */
export class HostBudget {
  private readonly allowances = new LRUCache<string, Allowance>({ max: MAX_CACHED_KEYS });

  constructor(
    private readonly limiter: Pick<Limiter, 'spendPoints'>,
    private readonly bytesPerMinute: number,
  ) {}

  /**
   * Counts the bytes of a request before it is sent.
   * @throws {PostponedError} if the limit is used up. The caller must then send nothing
   */
  async admit({ tenantId, url, address }: Destination, bodyBytes: number): Promise<void> {
    for (const host of [getDomainKey(url), findNetworkPrefix(address)]) {
      if (host === undefined) continue;
      const waitMs = await this.spend(`${tenantId}/${host}`, bodyBytes + OVERHEAD_BYTES);
      if (waitMs > 0) throw new PostponedError(waitMs);
    }
  }

  /**
   * Spends bytes from the allowance of a key, and reserves more if too few are left.
   * @returns ms to wait; 0 if the bytes are spent
   */
  private async spend(key: string, bytes: number): Promise<number> {
    const allowance = this.allowances.get(key) ?? { left: 0, endsAt: 0, deniedUntil: 0 };
    this.allowances.set(key, allowance);
    for (;;) {
      const now = Date.now();
      if (allowance.endsAt <= now) allowance.left = 0;
      if (allowance.left >= bytes) {
        allowance.left -= bytes;
        return 0;
      }
      if (allowance.deniedUntil > now) return allowance.deniedUntil - now;
      allowance.reservation ??= this.reserve(key, allowance, bytes).finally(() => {
        delete allowance.reservation;
      });
      await allowance.reservation;
    }
  }

  private async reserve(key: string, allowance: Allowance, bytes: number): Promise<void> {
    const points = Math.max(bytes, Math.floor(this.bytesPerMinute / RESERVATIONS_PER_MINUTE));
    const { isGranted, resetMs } = await this.limiter.spendPoints(key, {
      name: 'webhook-host',
      points,
      perMinute: this.bytesPerMinute,
    });
    const until = Date.now() + Math.max(1, resetMs);
    if (!isGranted) {
      allowance.deniedUntil = until;
      return;
    }
    allowance.left += points;
    allowance.endsAt = until;
  }
}

/**
 * Returns the registered domain of the URL's host, such as example.co.uk. The limit counts by this
 * domain, because its owner can create any number of names below it. If the host name has no public
 * suffix, returns the whole host name. Returns undefined for an IP address.
 */
export function getDomainKey(url: string): string | undefined {
  const hostname = new URL(url).hostname.replace(/\.$/, '');
  if (hostname.startsWith('[') || isIP(hostname)) return undefined;
  return getDomain(hostname) ?? hostname;
}
