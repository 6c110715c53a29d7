import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import type { Config } from '../config/config.js';
import { findNetworkPrefix, findSitePrefix } from '../platform/limits/network-prefix.js';
import type { Logger } from '../platform/logger.js';
import type { Metrics } from '../platform/metrics.js';

/** A site (see {@link findSitePrefix}) may hold this many times the connections of a network. */
const NETWORKS_PER_SITE = 4;
/** Refusals are logged at most once in this interval. */
const LOG_INTERVAL_MS = 60_000;

type LimitKind = 'process' | 'network' | 'site';
type ConnectionSettings = Pick<Config, 'connectionsPerProcess' | 'connectionsPerNetwork' | 'trustProxy'>;

/**
 * Limits the open connections of a server: in total, per network and per site. Each connection uses
 * a file descriptor, and a process without free descriptors cannot accept any client.
 */
export class ConnectionLimit {
  private refused: Metrics['refusedConnections'] | undefined;
  /** Refusals that happened before {@link reportTo} was called. */
  private readonly uncounted = new Map<LimitKind, number>();
  private readonly open = new Map<string, number>();
  private loggedAt = Number.NEGATIVE_INFINITY;
  private unlogged = 0;

  constructor(
    private readonly bounds: ConnectionSettings,
    private readonly logger: Pick<Logger, 'warn'>,
  ) {}

  apply(server: Server): void {
    server.maxConnections = this.bounds.connectionsPerProcess;
    server.on('drop', (dropped) => this.report('process', dropped?.remoteAddress));
    // Behind a proxy, all connections come from the proxy's address, so the proxy must limit its
    // own clients.
    if (this.bounds.trustProxy) return;
    server.prependListener('connection', (socket: Socket) => this.admit(socket));
  }

  /** Reports all refusals to these metrics, including earlier ones. */
  reportTo({ refusedConnections }: Metrics): void {
    this.refused = refusedConnections;
    for (const [bound, times] of this.uncounted) refusedConnections.inc({ bound }, times);
    this.uncounted.clear();
  }

  private admit(socket: Socket): void {
    const address = socket.remoteAddress ?? '';
    const [network, site] = [findNetworkPrefix(address), findSitePrefix(address)];
    const bound = this.findReachedLimit(network, site);
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

  private findReachedLimit(network: string, site: string): LimitKind | undefined {
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

  private report(bound: LimitKind, address: string | undefined): void {
    if (this.refused) this.refused.inc({ bound });
    else this.uncounted.set(bound, (this.uncounted.get(bound) ?? 0) + 1);
    this.unlogged += 1;
    if (performance.now() - this.loggedAt < LOG_INTERVAL_MS) return;
    this.logger.warn({ bound, address, refused: this.unlogged }, 'connections refused: too many are open');
    this.loggedAt = performance.now();
    this.unlogged = 0;
  }
}
