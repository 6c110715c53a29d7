import { type KnownPrimary, StalePrimaryError } from './known-primary.js';
import { type PrimaryIdentity, type READ_IDENTITY, readIdentity } from './primary-identity.js';

type QuerySender = (query: typeof READ_IDENTITY) => Promise<{ rows: Record<string, unknown>[] }>;

/**
 * Knows which server each connection of a pool leads to. A primary keeps its timeline as long as
 * its connections last, so a connection asks once, before its first transaction.
 */
export class GuardedConnections {
  /** By connection. `unreadable`: a server that does not show its identity, and is not refused. */
  private readonly servers = new WeakMap<object, PrimaryIdentity | 'unreadable'>();

  constructor(private readonly primary: KnownPrimary) {}

  /**
   * Resolves with a function that throws as soon as another server has replaced the connection's
   * server. Call this function before each step that must not happen on an old primary.
   * @throws {StalePrimaryError} if the server is a standby or an old primary
   */
  async guard(connection: object, send: QuerySender): Promise<() => void> {
    const server = this.servers.get(connection) ?? (await this.admit(connection, send));
    if (server === 'unreadable') return () => undefined;
    const assertPrimary = () => this.primary.assertNewest(server);
    assertPrimary();
    return assertPrimary;
  }

  private async admit(connection: object, send: QuerySender): Promise<PrimaryIdentity | 'unreadable'> {
    const server = await readIdentity(async (query) => (await send(query)).rows);
    if (server === 'unreadable') {
      this.servers.set(connection, server);
      return server;
    }
    if (!server) throw new StalePrimaryError('refused a server of PostgreSQL that is a standby');
    await this.primary.admit(server);
    this.servers.set(connection, server);
    return server;
  }
}
