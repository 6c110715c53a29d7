import { chmodSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';
import { migrate } from '../../../migrations/migrate.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { TcpForwarder } from '../network/tcp-forwarder.js';
import { eventually } from '../poll.js';
import { Replica } from '../replica/replica.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

function withPort(url: string, port: number): string {
  const copy = new URL(url);
  copy.port = `${port}`;
  return copy.href;
}

/**
 * A primary of PostgreSQL and a replica with asynchronous replication, behind one address that a
 * test moves. The primary keeps running after the promotion of the replica.
 */
export class Failover {
  private constructor(
    private readonly dataDir: string,
    private readonly primary: EmbeddedPostgres,
    private readonly replica: Replica,
    /** The address that the product uses. */
    private readonly address: TcpForwarder,
    /** The way of the WAL from the primary to the replica. */
    private readonly replication: TcpForwarder,
  ) {}

  static async start(): Promise<Failover> {
    const dataDir = mkdtempSync(join(tmpdir(), 'tow-failover-'));
    chmodSync(dataDir, 0o755);
    const primary = await startEmbeddedPostgres({ dataDir, logger: silent });
    const { databaseUrl, superuserUrl } = primary;
    await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });
    const port = Number(new URL(superuserUrl).port);
    const replication = await TcpForwarder.start(port);
    const executable = readlinkSync(`/proc/${primary.pid()}/exe`);
    const replica = await Replica.start(withPort(superuserUrl, replication.port), executable);
    return new Failover(dataDir, primary, replica, await TcpForwarder.start(port), replication);
  }

  /** The connection string of the address that moves. */
  get databaseUrl(): string {
    return withPort(this.primary.databaseUrl, this.address.port);
  }

  /** The superuser's connection string of the product's database on the primary. */
  private get superuserUrl(): string {
    const url = new URL(this.primary.superuserUrl);
    url.pathname = new URL(this.primary.databaseUrl).pathname;
    return url.href;
  }

  leadToOldPrimary(): void {
    this.address.leadTo(Number(new URL(this.primary.superuserUrl).port));
  }

  leadToReplica(): void {
    this.address.leadTo(this.replica.port);
  }

  queryPrimary<R>(text: string, values: unknown[] = []): Promise<R[]> {
    return this.query(this.superuserUrl, text, values);
  }

  queryReplica<R>(text: string, values: unknown[] = []): Promise<R[]> {
    return this.query(this.replica.toReplicaUrl(this.superuserUrl), text, values);
  }

  async waitForReplication(): Promise<void> {
    const [at] = await this.queryPrimary<{ lsn: string }>('select pg_current_wal_lsn()::text as lsn');
    await eventually('the replica to have replayed all', async () => {
      const text = 'select pg_last_wal_replay_lsn() >= $1::pg_lsn as is_current';
      const [row] = await this.queryReplica<{ is_current: boolean }>(text, [at?.lsn]);
      return row?.is_current;
    });
  }

  /** Keeps further WAL from the replica. The primary does not wait for the replica. */
  holdReplication(): void {
    this.replication.hold();
  }

  /** Promotes the replica. The address does not move yet. */
  async promoteReplica(): Promise<void> {
    await this.queryReplica('select pg_promote(true, 60)');
  }

  async stop(): Promise<void> {
    await this.address.stop();
    await this.replication.stop();
    await this.replica.stop();
    await this.primary.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }

  private async query<R>(url: string, text: string, values: unknown[]): Promise<R[]> {
    const client = new pg.Client({ connectionString: url });
    client.on('error', () => undefined);
    await client.connect();
    return client
      .query(text, values)
      .then(({ rows }) => rows as R[])
      .finally(() => client.end());
  }
}
