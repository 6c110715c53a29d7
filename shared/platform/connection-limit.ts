import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from './config.js';
import type { Logger } from './logger.js';
import type { Metrics } from './metrics.js';
import { networkOf, siteOf } from './network-of.js';

/** A site has so many times the connections of one of its networks. */
const NETWORKS_PER_SITE = 4;
/** Refusals that follow one another are logged this often at most, in ms. */
const LOGGED_EVERY_MS = 60_000;

type Bound = 'process' | 'network' | 'site';
type Bounds = Pick<Config, 'connectionsPerProcess' | 'connectionsPerNetwork' | 'trustProxy'>;

/**
 * Bounds the open connections of a server: of the whole process, of each network and of each site.
 * Each connection holds a file descriptor, and without those a process can answer nobody.
 */
export class ConnectionLimit {
  private refused: Metrics['refusedConnections'] | undefined;
  /** Refusals before the process has metrics. */
  private readonly uncounted = new Map<Bound, number>();
  private readonly open = new Map<string, number>();
  private loggedAt = Number.NEGATIVE_INFINITY;
  private unlogged = 0;

  constructor(
    private readonly bounds: Bounds,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  /** Closes at once what this server accepts beyond the bounds. */
  apply(server: Server): void {
    server.maxConnections = this.bounds.connectionsPerProcess;
    server.on('drop', (dropped) => this.report('process', dropped?.remoteAddress));
    // All connections come from the proxy, which has to bound its own clients.
    if (this.bounds.trustProxy) return;
    server.prependListener('connection', (socket: Socket) => this.admit(socket));
  }

  /** Counts what is refused in these metrics, from the first refusal on. */
  countIn({ refusedConnections }: Metrics): void {
    this.refused = refusedConnections;
    for (const [bound, times] of this.uncounted) refusedConnections.inc({ bound }, times);
    this.uncounted.clear();
  }

  private admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const [network, site] = [networkOf(address), siteOf(address)];
    const bound = this.boundReached(network, site);
    if (bound) {
      socket.destroy();
      this.report(bound, address);
      return;
    }
    const holders = new Set([network, site]);
    for (const holder of holders) this.count(holder, 1);
    socket.once('close', () => {
      for (const holder of holders) this.count(holder, -1);
    });
  }

  private boundReached(network: string, site: string): Bound | undefined {
    const { connectionsPerNetwork } = this.bounds;
    if (this.countOf(network) >= connectionsPerNetwork) return 'network';
    return this.countOf(site) >= connectionsPerNetwork * NETWORKS_PER_SITE ? 'site' : undefined;
  }

  private countOf(holder: string): number {
    return this.open.get(holder) ?? 0;
  }

  private count(holder: string, change: 1 | -1): void {
    const count = this.countOf(holder) + change;
    if (count === 0) this.open.delete(holder);
    else this.open.set(holder, count);
  }

  private report(bound: Bound, address: string | undefined): void {
    if (this.refused) this.refused.inc({ bound });
    else this.uncounted.set(bound, (this.uncounted.get(bound) ?? 0) + 1);
    this.unlogged += 1;
    if (performance.now() - this.loggedAt < LOGGED_EVERY_MS) return;
    this.logger.warn({ bound, address, refused: this.unlogged }, 'connections refused: too many are open');
    this.loggedAt = performance.now();
    this.unlogged = 0;
  }
}
