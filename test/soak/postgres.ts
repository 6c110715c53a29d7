import { readlinkSync } from 'node:fs';
import pg from 'pg';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../bin/embedded-postgres/start.js';
import { eventually } from '../support/poll.js';
import { Replica } from '../support/replica/replica.js';

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };
/**
 * The processes of a run open more connections than those of one test. The WAL is small, so that a
 * small disk holds it.
 */
const SETTINGS = { max_connections: '400', min_wal_size: '32MB', max_wal_size: '96MB' };
/** A new standby reads the WAL since its copy began. */
const PAIR_SETTINGS = { ...SETTINGS, wal_keep_size: '1GB' };
const IN_SYNC_MS = 60_000;

/** The PostgreSQL of a run, on which faults act. */
export interface SoakPostgres {
  /** The port of the server that has the data now. */
  readonly port: number;
  /** The superuser's connection string of the server that has the data now. */
  readonly superuserUrl: string;
  /** The owner's connection string of the product's database. */
  readonly databaseUrl: string;
  /** Ends the server. Resolves once a server has the data, with true if it is another one. */
  end(signal: 'SIGKILL' | 'SIGQUIT'): Promise<boolean>;
  /** Gives the server a standby, if it should have one. */
  complete(): Promise<void>;
  stop(): Promise<void>;
}

/** One server, which is started again after each end. */
export class SinglePostgres implements SoakPostgres {
  private constructor(private readonly server: EmbeddedPostgres) {}

  /** @param prepare gets the folder of a stopped server, before the server starts for the run */
  static async start(dataDir: string, prepare: () => Promise<void>): Promise<SinglePostgres> {
    const options = { dataDir, logger: silent, settings: SETTINGS };
    await (await startEmbeddedPostgres(options)).stop();
    await prepare();
    return new SinglePostgres(await startEmbeddedPostgres(options));
  }

  get port(): number {
    return this.server.port;
  }

  get superuserUrl(): string {
    return this.server.superuserUrl;
  }

  get databaseUrl(): string {
    return this.server.databaseUrl;
  }

  async end(signal: 'SIGKILL' | 'SIGQUIT'): Promise<boolean> {
    const before = this.server.pid();
    if (before === undefined) throw new Error('there is no PostgreSQL to end');
    process.kill(before, signal);
    await eventually('another PostgreSQL', () => {
      const pid = this.server.pid();
      return pid !== undefined && pid !== before;
    });
    return false;
  }

  async complete(): Promise<void> {}

  stop(): Promise<void> {
    return this.server.stop();
  }
}

/**
 * A primary that acknowledges only what its standby has. After each end of the primary, its standby
 * takes over, and gets a standby of its own. The ended server does not come back.
 */
export class PostgresPair implements SoakPostgres {
  private constructor(
    private readonly first: Pick<EmbeddedPostgres, 'superuserUrl' | 'databaseUrl'>,
    private readonly program: string,
    private primary: Replica,
    private standby: Replica,
  ) {}

  static async start(dataDir: string): Promise<PostgresPair> {
    const first = await startEmbeddedPostgres({ dataDir, logger: silent, settings: SETTINGS });
    const program = readlinkSync(`/proc/${first.pid()}/exe`);
    const primary = await Replica.start(first.superuserUrl, program, PAIR_SETTINGS);
    await first.stop();
    await promote(primary.toReplicaUrl(first.superuserUrl));
    const standby = await startStandby(primary.toReplicaUrl(first.superuserUrl), program);
    return new PostgresPair(first, program, primary, standby);
  }

  get port(): number {
    return this.primary.port;
  }

  get superuserUrl(): string {
    return this.primary.toReplicaUrl(this.first.superuserUrl);
  }

  get databaseUrl(): string {
    return this.primary.toReplicaUrl(this.first.databaseUrl);
  }

  async end(signal: 'SIGKILL' | 'SIGQUIT'): Promise<boolean> {
    await this.primary.kill(signal);
    this.primary = this.standby;
    await promote(this.superuserUrl);
    // Until it has a standby, the primary acknowledges without one.
    return true;
  }

  async complete(): Promise<void> {
    this.standby = await startStandby(this.superuserUrl, this.program);
  }

  async stop(): Promise<void> {
    await Promise.all([...new Set([this.primary, this.standby])].map((server) => server.stop()));
  }
}

/** Makes a standby the primary, which waits for no standby. */
async function promote(superuserUrl: string): Promise<void> {
  await runQueries(superuserUrl, ['select pg_promote(true, 60)']);
}

/** Starts a standby. From then on, the primary acknowledges only what the standby has stored. */
async function startStandby(primaryUrl: string, program: string): Promise<Replica> {
  const standby = await Replica.start(primaryUrl, program, PAIR_SETTINGS);
  await runQueries(primaryUrl, [
    "alter system set synchronous_standby_names = '*'",
    'select pg_reload_conf()',
  ]);
  await eventually(
    'the standby to be synchronous',
    async () =>
      (await runQueries(primaryUrl, ["select from pg_stat_replication where sync_state = 'sync'"])) > 0,
    IN_SYNC_MS,
  );
  return standby;
}

/** Runs queries one after the other. Returns the number of rows of the last one. */
export async function runQueries(url: string, texts: string[]): Promise<number> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  let count = 0;
  try {
    for (const text of texts) count = (await client.query(text)).rowCount ?? 0;
  } finally {
    await client.end();
  }
  return count;
}
