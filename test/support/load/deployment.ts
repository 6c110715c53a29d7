/**
 * Runs the product as deployed: as real processes with their own stores, either all in one process
 * or scaled out.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import pg from 'pg';
import { buildDatabaseUrl as embeddedUrl, OWNER_ROLE } from '../../../bin/embedded-postgres/database.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../../bin/embedded-postgres/start.js';
import { readState } from '../../../bin/embedded-postgres/state.js';
import { migrate } from '../../../migrations/migrate.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { getAppRole } from '../../../shared/platform/postgres/session.js';
import { createTenantPair, createTenantPairIds } from '../../../shared/resources/tenants/create-tenant.js';
import { issueKey } from '../keys.js';
import { eventually } from '../poll.js';
import { killServer, type RedisServer } from '../redis/programs.js';
import { getFreePort, IS_SCALED, startRedis } from '../stores.js';
import { DeployedService, runTotals } from './deployed-service.js';
import { findClusterDir, NO_RATE_LIMITS, Processes, readProcfile } from './processes.js';

export const SECRET_KEY = 'a secret of the end-to-end tests, long enough';
const silent = createLogger({ level: 'silent', name: 'test', pretty: false });

export interface DeployedTenant {
  id: string;
  key: string;
}

export interface DeploymentOptions {
  /**
   * The number of web processes in a scaled-out deployment. An all-in-one deployment ignores this
   * number and those below, because one process does everything.
   */
  webs?: number;
  writers?: number;
  /** Default 0: no process of a scaled-out deployment delivers webhooks. */
  webhooks?: number;
  /** Default 0: no process of a scaled-out deployment serves agents. */
  mcps?: number;
  /** Default 0: no process of a scaled-out deployment writes exports. */
  exporters?: number;
  /** Default 0: no process of a scaled-out deployment calls vendors. */
  integrators?: number;
  /** The folder of the release that the deployment begins with; default: this checkout. */
  folder?: string;
  settings?: Record<string, string>;
  /** Starts the Redis of a scaled-out deployment; default: one server without a password. */
  startRedis?: () => Promise<StartedRedis>;
  /** The owner's connection string of a running PostgreSQL; default: the embedded server. */
  databaseUrl?: string;
}

/** The Redis of a deployment, and how the product reaches it. */
export interface StartedRedis {
  settings: Record<string, string>;
  stop: () => Promise<void>;
}

/**
 * A deployment of the product for one test. It has its own stores and processes, so a fault in it
 * affects no other test.
 */
export class Deployment {
  readonly processes = new Processes();
  /** The processes that serve HTTP requests. */
  webs: DeployedService[] = [];
  /** The processes that commit writes. In an all-in-one deployment, this is the web process. */
  writers: DeployedService[] = [];
  webhooks: DeployedService[] = [];
  /** The processes that serve agents. In an all-in-one deployment, this is the web process. */
  mcps: DeployedService[] = [];
  exporters: DeployedService[] = [];
  integrators: DeployedService[] = [];
  clock: DeployedService | undefined;
  /**
   * The process that sends messages. It exists only in a scaled-out deployment with an SMTP_URL.
   */
  messages: DeployedService | undefined;
  redis: RedisServer | undefined;
  postgres: EmbeddedPostgres | undefined;
  dataDir = '';
  #db: Database | undefined;
  #ownRedis: StartedRedis | undefined;
  #ownDatabaseUrl: string | undefined;

  /**
   * Prepares a deployment, calls `work`, and then always ends everything. `work` must start the
   * product's processes itself. If both `work` and the ending fail, throws the error of `work`.
   */
  static async run(
    options: DeploymentOptions,
    work: (deployment: Deployment) => Promise<void>,
  ): Promise<void> {
    const deployment = new Deployment();
    try {
      await deployment.#prepare(options);
      await work(deployment);
    } catch (error) {
      await deployment.end().catch((endError: unknown) => process.stderr.write(`${String(endError)}\n`));
      throw error;
    }
    await deployment.end();
  }

  async #prepare(options: DeploymentOptions): Promise<void> {
    this.dataDir = await this.processes.createDataDir();
    const settings = {
      NODE_ENV: 'test',
      LOG_LEVEL: 'warn',
      DATA_DIR: this.dataDir,
      SECRET_KEY,
      DEMO: 'false',
      ...NO_RATE_LIMITS,
      ...options.settings,
      ...(options.databaseUrl ? { DATABASE_URL: options.databaseUrl } : {}),
    };
    this.#ownDatabaseUrl = options.databaseUrl;
    if (!IS_SCALED) {
      this.webs = [await this.#createService(['node', 'dist/bin/start.js'], settings, options)];
      this.writers = this.webs;
      this.webhooks = this.webs;
      this.mcps = this.webs;
      this.exporters = this.webs;
      this.integrators = this.webs;
      return;
    }
    const stores = { ...settings, ...(await this.#startStores(options)) };
    const commandLines = await readProcfile();
    if (options.folder) await this.#release(commandLines.release ?? [], stores, options.folder);
    const services = (type: string, count: number) =>
      Promise.all(
        Array.from({ length: count }, () => this.#createService(commandLines[type] ?? [], stores, options)),
      );
    this.webs = await services('web', options.webs ?? 1);
    this.writers = await services('writes', options.writers ?? 1);
    this.webhooks = await services('webhooks', options.webhooks ?? 0);
    this.mcps = await services('mcp', options.mcps ?? 0);
    this.exporters = await services('exports', options.exporters ?? 0);
    this.integrators = await services('integrations', options.integrators ?? 0);
    [this.clock] = await services('clock', 1);
    if (options.settings?.SMTP_URL) [this.messages] = await services('messages', 1);
  }

  async #startStores({ startRedis: start, folder }: DeploymentOptions): Promise<Record<string, string>> {
    if (!this.#ownDatabaseUrl)
      this.postgres = await startEmbeddedPostgres({ dataDir: this.dataDir, logger: silent });
    const databaseUrl = await this.#databaseUrl();
    if (!folder) await migrate({ databaseUrl, appRole: getAppRole(databaseUrl), withQueue: false });
    if (start) {
      this.#ownRedis = await start();
      return { DATABASE_URL: databaseUrl, ...this.#ownRedis.settings };
    }
    this.redis = await startRedis();
    return { DATABASE_URL: databaseUrl, REDIS_URL: `redis://127.0.0.1:${this.redis.port}` };
  }

  async #createService(
    command: string[],
    env: Record<string, string>,
    { folder }: DeploymentOptions,
  ): Promise<DeployedService> {
    const service = new DeployedService(this.processes, command, { ...env }, await getFreePort());
    if (folder) service.folder = folder;
    return service;
  }

  async #release(command: string[], env: Record<string, string>, cwd: string): Promise<void> {
    const { code, output } = await this.processes.run({ command, env, cwd });
    if (code !== 0) throw new Error(`the release process of ${cwd} ended with ${code}:\n${output}`);
  }

  /** Runs the `release` process of a release's folder: it migrates the database. */
  async release(folder: string): Promise<void> {
    await this.#release((await readProcfile()).release ?? [], this.web.env, folder);
  }

  /** All services of the deployment, each once. */
  get services(): DeployedService[] {
    const others = [this.clock, this.messages].filter((service) => service !== undefined);
    return [
      ...new Set([
        ...this.webs,
        ...this.writers,
        ...this.webhooks,
        ...this.mcps,
        ...this.exporters,
        ...this.integrators,
        ...others,
      ]),
    ];
  }

  /** Starts the services that were never started, and waits until these are ready. */
  async start(): Promise<this> {
    await Promise.all(this.services.filter(({ process }) => !process).map((service) => service.start()));
    return this;
  }

  /** The first web process. */
  get web(): DeployedService {
    return this.webs[0] as DeployedService;
  }

  get writer(): DeployedService {
    return this.writers[0] as DeployedService;
  }

  /**
   * Returns the connection string for the owner of the tables.
   * @throws if PostgreSQL has never run
   */
  async #databaseUrl(): Promise<string> {
    if (this.#ownDatabaseUrl) return this.#ownDatabaseUrl;
    const state = await readState(this.dataDir);
    if (!state) throw new Error('there is no database yet');
    return embeddedUrl(OWNER_ROLE, state.ownerPassword, state.port);
  }

  /**
   * Returns a database that runs queries in the application's role. The first call opens it. Its
   * transactions do not look for frozen accounts, which the schemas of earlier versions lack.
   */
  async db(): Promise<Database> {
    if (this.#db) return this.#db;
    const databaseUrl = await this.#databaseUrl();
    const opened = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'tow-test', logger: silent });
    const transaction: Database['transaction'] = (ids, work) =>
      opened.transaction(ids, work, { mayWriteFrozen: true });
    this.#db = Object.assign(Object.create(opened) as Database, { transaction });
    return this.#db;
  }

  /**
   * Keeps the product from committing invoices while `act` runs. `act` must end before the
   * product's queries time out.
   */
  async withCommitsBlocked<T>(act: () => Promise<T>): Promise<T> {
    return this.withLock('invoices', 'share row exclusive', act);
  }

  /** Calls `act` while a table is locked. `act` may kill PostgreSQL, which releases the lock. */
  async withLock<T>(table: string, mode: string, act: () => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: await this.#databaseUrl() });
    client.on('error', () => undefined);
    await client.connect();
    await client.query(`begin; lock table ${table} in ${mode} mode`);
    return act().finally(() => client.end().catch(() => undefined));
  }

  /** Creates live tenants, each with an API key that has every permission. */
  async createTenants(count: number): Promise<DeployedTenant[]> {
    const db = await this.db();
    const tenants: DeployedTenant[] = [];
    for (let nth = 1; nth <= count; nth += 1) {
      const pair = createTenantPairIds();
      await db.transaction([pair.live, pair.sandbox], (tx) =>
        createTenantPair(tx, pair, { name: `Tenant ${nth}` }),
      );
      tenants.push({
        id: pair.live,
        key: await issueKey({ db, config: { secretKey: SECRET_KEY } }, pair.live),
      });
    }
    return tenants;
  }

  /** Kills Redis with SIGKILL, and restarts it on the same port without its data. */
  async restartRedisEmpty(): Promise<void> {
    const server = this.#redisServer();
    runTotals.kills += 1;
    await killServer(server);
    this.redis = await startRedis(server.port);
  }

  async flushRedis(): Promise<void> {
    await this.#withRedis((client) => client.flushall());
  }

  /**
   * Counts jobs in the writes queue. The state `wait` means that a job waits for a worker, `active`
   * that a worker is running it.
   */
  countJobs(state: 'wait' | 'active'): Promise<number> {
    return this.#withRedis((client) => client.llen(`{tow}:writes:${state}`));
  }

  #withRedis<T>(use: (client: Redis) => Promise<T>): Promise<T> {
    const client = new Redis(this.#redisServer().port, '127.0.0.1');
    return use(client).finally(() => client.disconnect());
  }

  /**
   * Kills the postmaster with SIGKILL. Resolves once the product has started another postmaster.
   */
  async killPostgres(): Promise<void> {
    const pid = await this.#postmaster();
    if (!pid) throw new Error('there is no PostgreSQL to kill');
    runTotals.kills += 1;
    process.kill(pid, 'SIGKILL');
    await eventually('another PostgreSQL', async () => {
      const next = await this.#postmaster();
      return next !== undefined && next !== pid;
    });
  }

  /**
   * Reads the postmaster's process id from postmaster.pid, because any of the processes may have
   * started the postmaster. Returns undefined if there is no such file.
   */
  async #postmaster(): Promise<number | undefined> {
    const cluster = await findClusterDir(this.dataDir);
    const text = await readFile(join(cluster ?? '', 'postmaster.pid'), 'utf8').catch(() => '');
    return Number(text.split('\n')[0]) || undefined;
  }

  /**
   * Runs `tow` with the deployment's environment, and returns the data that `tow` prints.
   * @throws if `tow` fails
   */
  async runTow<Data>(...args: string[]): Promise<Data> {
    const command = ['node', 'dist/bin/tow.js', ...args, '--json'];
    const { code, stdout, output } = await this.processes.run({ command, env: this.web.env });
    if (code !== 0) throw new Error(`tow ${args.join(' ')} ended with ${code}:\n${output}`);
    return JSON.parse(stdout).data;
  }

  #redisServer(): RedisServer {
    if (!this.redis) throw new Error('an all-in-one deployment has no Redis');
    return this.redis;
  }

  /** Ends all processes and stores in any state, and asserts that no process is left. */
  async end(): Promise<void> {
    await this.#db?.close();
    if (this.redis) await killServer(this.redis);
    await this.processes.endAll(() => this.postgres?.stop());
    await this.#ownRedis?.stop();
  }
}
