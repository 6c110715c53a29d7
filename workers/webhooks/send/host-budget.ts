import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import { getDomain } from 'tldts-icann';
import { PostponedError } from '../../../shared/outbound/outbound-error.js';
import type { Limiter } from '../../../shared/platform/limits/limiter.js';
import { findNetworkPrefix } from '../../../shared/platform/limits/network-prefix.js';

/** Bytes that a request costs besides its body: headers, signature and its share of TLS. */
const OVERHEAD_BYTES = 1024;
/** A process reserves at least 1/32 of the limit at a time, to query the limiter rarely. */
const RESERVATIONS_PER_MINUTE = 32;
const MAX_CACHED_KEYS = 20_000;

/** The bytes that this process may still send under one key. Times in ms since 1970. */
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
 * Otherwise many endpoints at a third party's host could misuse this service as an amplifier. Each
 * request counts twice: for the domain with all its names, and for the network of the address. So
 * neither many names of one machine nor many addresses of one name evade the limit.
 */
export class HostBudget {
  private readonly allowances = new LRUCache<string, Allowance>({ max: MAX_CACHED_KEYS });

  constructor(
    private readonly limiter: Pick<Limiter, 'spendPoints'>,
    private readonly bytesPerMinute: number,
  ) {}

  /** @throws {PostponedError} if the limit is used up; the caller must send nothing then */
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
 * Returns the part of a host name that its owner has registered, such as example.co.uk, because the
 * owner can create all names below that part. Returns a name without a public suffix whole, and
 * undefined for an IP address.
 */
export function getDomainKey(url: string): string | undefined {
  const hostname = new URL(url).hostname.replace(/\.$/, '');
  if (hostname.startsWith('[') || isIP(hostname)) return undefined;
  return getDomain(hostname) ?? hostname;
}
