import type { Line } from './line.js';

/** Maximum number of idle sockets. A TLS socket holds about 50 kB. */
const MAX_IDLE = 1000;

/** Idle connections that can be reused. It stores nothing per origin beyond the open sockets. */
export class IdleLines {
  /** Ordered by idle time, longest first. */
  readonly #all = new Set<Line>();
  readonly #byOrigin = new Map<string, Line[]>();

  /** Takes the most recently used connection, which the server is least likely to close. */
  take(origin: string): Line | undefined {
    for (;;) {
      const connection = this.#byOrigin.get(origin)?.at(-1);
      if (!connection) return undefined;
      this.remove(connection);
      if (connection.isFit) return connection;
      connection.destroy();
    }
  }

  put(connection: Line): void {
    this.#all.add(connection);
    const others = this.#byOrigin.get(connection.origin);
    if (others) others.push(connection);
    else this.#byOrigin.set(connection.origin, [connection]);
    const [longestIdle] = this.#all;
    if (this.#all.size > MAX_IDLE && longestIdle) this.#close(longestIdle);
  }

  /** @returns whether the connection was idle in this pool */
  remove(connection: Line): boolean {
    if (!this.#all.delete(connection)) return false;
    const connections = this.#byOrigin.get(connection.origin) ?? [];
    connections.splice(connections.lastIndexOf(connection), 1);
    if (connections.length === 0) this.#byOrigin.delete(connection.origin);
    return true;
  }

  endAll(): void {
    for (const connection of [...this.#all]) this.#close(connection);
  }

  #close(connection: Line): void {
    this.remove(connection);
    connection.destroy();
  }
}
