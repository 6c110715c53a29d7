import type { PinnedConnection } from './pinned-connection.js';

/** Limits the memory of idle sockets. A TLS socket takes about 50 kB. */
const MAX_IDLE = 1000;

/**
 * Keeps idle connections for later requests to the same origin. An origin without idle connections
 * takes no memory.
 */
export class ConnectionPool {
  /** All idle connections, longest idle first. */
  readonly #all = new Set<PinnedConnection>();
  readonly #byOrigin = new Map<string, PinnedConnection[]>();

  /**
   * Removes and returns the most recently used connection, because its socket is the least likely
   * to have been closed by the server.
   */
  acquire(origin: string): PinnedConnection | undefined {
    for (;;) {
      const connection = this.#byOrigin.get(origin)?.at(-1);
      if (!connection) return undefined;
      this.remove(connection);
      if (connection.isReusable) return connection;
      connection.destroy();
    }
  }

  release(connection: PinnedConnection): void {
    this.#all.add(connection);
    const others = this.#byOrigin.get(connection.origin);
    if (others) others.push(connection);
    else this.#byOrigin.set(connection.origin, [connection]);
    const [longestIdle] = this.#all;
    if (this.#all.size > MAX_IDLE && longestIdle) this.#close(longestIdle);
  }

  /** @returns whether the connection was idle in this pool */
  remove(connection: PinnedConnection): boolean {
    if (!this.#all.delete(connection)) return false;
    const connections = this.#byOrigin.get(connection.origin) ?? [];
    connections.splice(connections.lastIndexOf(connection), 1);
    if (connections.length === 0) this.#byOrigin.delete(connection.origin);
    return true;
  }

  closeAll(): void {
    for (const connection of [...this.#all]) this.#close(connection);
  }

  #close(connection: PinnedConnection): void {
    this.remove(connection);
    connection.destroy();
  }
}
