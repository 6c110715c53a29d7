import { chmodSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';
import { migrate } from '../../../migrations/migrate.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { TestStack } from '../stack.js';
import { useShared } from '../use-stack.js';
import { Replica } from './replica.js';

/**
 * Returns a stack with a replica that several files share. Skips the tests elsewhere than on Linux,
 * because the fixture finds the executable of PostgreSQL through /proc.
 */
export function useReplicatedStack(): ReplicatedStack {
  before(function () {
    this.timeout(120_000);
    if (process.platform !== 'linux') this.skip();
  });
  return useShared('replicated', ReplicatedStack.start, (replicated) => replicated.stop());
}

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

/** A stack whose PostgreSQL has a streaming replica. Linux only. */
export class ReplicatedStack {
  private constructor(
    readonly stack: TestStack,
    readonly primary: EmbeddedPostgres,
    readonly replica: Replica,
    private readonly dataDir: string,
  ) {}

  static async start(): Promise<ReplicatedStack> {
    const dataDir = mkdtempSync(join(tmpdir(), 'tow-primary-'));
    chmodSync(dataDir, 0o755);
    const primary = await startEmbeddedPostgres({ dataDir, logger: silent });
    const { databaseUrl, superuserUrl } = primary;
    await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: true });
    const replica = await Replica.start(superuserUrl, readlinkSync(`/proc/${primary.pid()}/exe`));
    const environment = { DATABASE_REPLICA_URL: replica.toReplicaUrl(databaseUrl) };
    const stack = await TestStack.start({ exports: true, databaseUrl, environment });
    return new ReplicatedStack(stack, primary, replica, dataDir);
  }

  get replicaUrl(): string {
    return this.replica.toReplicaUrl(this.primary.databaseUrl);
  }

  /** Runs a query on the replica as superuser. */
  async queryReplica<T>(sql: string): Promise<T[]> {
    const client = new pg.Client({ connectionString: this.replica.toReplicaUrl(this.primary.superuserUrl) });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  /** Runs `work` while the replica receives the log but replays none of it. */
  async whileBehind<T>(work: () => Promise<T>): Promise<T> {
    await this.queryReplica('select pg_wal_replay_pause()');
    try {
      return await work();
    } finally {
      await this.queryReplica('select pg_wal_replay_resume()');
    }
  }

  async stop(): Promise<void> {
    await this.stack.stop();
    await this.replica.stop();
    await this.primary.stop();
    rmSync(this.dataDir, { recursive: true, force: true });
  }
}
