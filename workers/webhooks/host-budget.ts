import { isIP } from 'node:net';
import { LRUCache } from 'lru-cache';
import type { Limiter } from '../../shared/platform/limiter.js';
import { networkOf } from '../../shared/platform/network-of.js';
import { HeldBackError } from '../../shared/platform/outbound/outbound-error.js';

/** What a request costs beside its body: headers, signature and its share of TLS. */
const OVERHEAD_BYTES = 1024;
/**
 * A process takes its bytes in shares of the bound, so that one in many requests asks the limiter.
 */
const SHARES = 32;
const MAX_KEYS = 20_000;

/** What this process may still send under one key. Times are of Date.now(). */
interface Allowance {
  left: number;
  endsAt: number;
  deniedUntil: number;
  /** The share that is being asked for. */
  asking?: Promise<void>;
}

/** Where a request goes. */
export interface Destination {
  tenantId: string;
  url: string;
  /** That its socket is connected to. */
  address: string;
}

/**
 * Bounds what one account sends to one host in a minute, over all endpoints and workers: many
 * endpoints at somebody else's host must not make us an amplifier. A host is counted twice, by its
 * name with all names beside it and by the network of its address: neither many names of one
 * machine nor many addresses of one name go around.
 */
export class HostBudget {
  private readonly allowances = new LRUCache<string, Allowance>({ max: MAX_KEYS });

  constructor(
    private readonly limiter: Pick<Limiter, 'spend'>,
    private readonly bytesPerMinute: number,
  ) {}

  /**
   * @throws {HeldBackError} when the account has sent its share to this host; nothing may be sent
   * then
   */
  async admit({ tenantId, url, address }: Destination, bodyBytes: number): Promise<void> {
    for (const host of [nameKey(url), networkOf(address)]) {
      if (host === undefined) continue;
      const waitMs = await this.take(`${tenantId}/${host}`, bodyBytes + OVERHEAD_BYTES);
      if (waitMs > 0) throw new HeldBackError(waitMs);
    }
  }

  /**
   * Takes bytes from the allowance of a key, asking for more when they do not suffice. @returns ms
   * to wait; 0: they are taken
   */
  private async take(key: string, bytes: number): Promise<number> {
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
      allowance.asking ??= this.ask(key, allowance, bytes).finally(() => {
        delete allowance.asking;
      });
      await allowance.asking;
    }
  }

  private async ask(key: string, allowance: Allowance, bytes: number): Promise<void> {
    const share = Math.max(bytes, Math.floor(this.bytesPerMinute / SHARES));
    const { isGranted, resetMs } = await this.limiter.spend(key, {
      name: 'webhook-host',
      points: share,
      perMinute: this.bytesPerMinute,
    });
    const until = Date.now() + Math.max(1, resetMs);
    if (!isGranted) {
      allowance.deniedUntil = until;
      return;
    }
    allowance.left += share;
    allowance.endsAt = until;
  }
}

/** The last two labels of a name: all names that one owner may make. Nothing of an address. */
export function nameKey(url: string): string | undefined {
  const hostname = new URL(url).hostname.replace(/\.$/, '');
  if (hostname.startsWith('[') || isIP(hostname)) return undefined;
  return hostname.split('.').slice(-2).join('.');
}
