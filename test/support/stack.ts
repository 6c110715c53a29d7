import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { startApi } from '../../api/start-api.js';
import { createMcpListener } from '../../mcp/http.js';
import { NEEDED_SCHEMA } from '../../migrations/needed-schema.js';
import { loadConfig } from '../../shared/config/config.js';
import type { Vendors } from '../../shared/integrations/contract/vendor.js';
import { getErrorCode } from '../../shared/platform/errors.js';
import { createFoundation, createRuntime, type Runtime } from '../../shared/platform/process/runtime.js';
import { createTenantPair, createTenantPairIds } from '../../shared/resources/tenants/create-tenant.js';
import { QUEUES, type QueueName, startWorkers } from '../../workers/queues.js';
import { TestClient } from './client.js';
import { issueKey, type KeyOptions } from './keys.js';
import { createDatabase, createRedisUrl } from './stores.js';
import { recordQueries } from './tenancy/sent-queries.js';

export type { KeyOptions };

export interface TestTenant {
  id: string;
  sandboxId: string;
  client: TestClient;
  sandbox: TestClient;
}

export interface StackOptions {
  /** Environment variables, added to the stack's own or replacing them. */
  environment?: Record<string, string>;
  /** If false, no worker consumes the writes queue. */
  worker?: boolean;
  /**
   * If true, webhooks are delivered. A test whose endpoints have invented addresses must never set
   * this, because no traffic may leave this machine.
   */
  webhooks?: boolean;
  /** If true, a worker writes exports into the stack's own folder. */
  exports?: boolean;
  /** A migrated database; default: a new one on the test run's own server. */
  databaseUrl?: string;
  /** A stopped stack whose database (and Redis) the new stack uses. */
  previousStack?: TestStack;
  /** If true, the clock's schedules run. */
  clock?: boolean;
  /** If true, a worker calls the vendors of connections. These vendors must be on this machine. */
  integrations?: boolean;
  /** The vendors that accounts can connect; default: the product's. */
  vendors?: Vendors;
  /** Creates the tools, resources and prompts for agents; default: the product's. */
  createOffer?: Parameters<typeof createMcpListener>[1];
}

let startedStacks = 0;

/** Returns how many stacks this process has started. */
export const countStartedStacks = (): number => startedStacks;

/** An error code of PostgreSQL. */
const DEADLOCK_DETECTED = '40P01';

/** Runs the whole product in this process, with its own database (and Redis), on a real port. */
export class TestStack {
  private constructor(
    readonly runtime: Runtime,
    readonly databaseUrl: string,
    readonly redisUrl: string | undefined,
    readonly origin: string,
    private readonly dataDir: string,
  ) {}

  static async start(options: StackOptions = {}): Promise<TestStack> {
    startedStacks += 1;
    const databaseUrl = options.databaseUrl ?? options.previousStack?.databaseUrl ?? (await createDatabase());
    const redisUrl = options.previousStack?.redisUrl ?? (await createRedisUrl());
    const dataDir = mkdtempSync(join(tmpdir(), 'tow-stack-'));
    const config = loadConfig('all', {
      NODE_ENV: 'test',
      PORT: '0',
      DATABASE_URL: databaseUrl,
      DATA_DIR: dataDir,
      LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
      RATE_LIMIT_TIERS:
        '{"standard":{"minute":1000000,"hour":1000000},"starter":{"minute":1000000,"hour":1000000}}',
      // The tests slow the product down, because they share its event loop. Allow many open
      // requests, so that the product does not refuse requests for that reason.
      OPEN_REQUESTS_MIN: '5000',
      ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
      ...options.environment,
    });
    const runtime = createRuntime(createFoundation(config, 'test'), {
      name: 'test',
      databaseUrl,
      neededSchema: NEEDED_SCHEMA,
    });
    recordQueries(runtime.db);
    const isOff: Partial<Record<QueueName, boolean>> = {
      writes: options.worker === false,
      clock: !options.clock,
      webhooks: !options.webhooks,
      exports: !options.exports,
      integrations: !options.integrations,
    };
    await startWorkers(
      runtime,
      QUEUES.filter((name) => !isOff[name]),
      options.vendors,
    );
    const { port } = await startApi(runtime, await createMcpListener(runtime, options.createOffer), {
      vendors: options.vendors,
    });
    return new TestStack(runtime, databaseUrl, redisUrl, `http://127.0.0.1:${port}`, dataDir);
  }

  /** Creates a live tenant and its sandbox. Each of them gets a key with every permission. */
  async createTenant(
    name = 'Test Towing',
    settings: { taxRateBps?: number; timeZone?: string } = {},
  ): Promise<TestTenant> {
    const pair = createTenantPairIds();
    await this.runtime.db.transaction([pair.live, pair.sandbox], (tx) =>
      createTenantPair(tx, pair, { name, ...settings }),
    );
    return {
      id: pair.live,
      sandboxId: pair.sandbox,
      client: new TestClient(this.origin, await this.createKey(pair.live)),
      sandbox: new TestClient(this.origin, await this.createKey(pair.sandbox, {}, 'sandbox')),
    };
  }

  async createKey(
    tenantId: string,
    options: KeyOptions = {},
    environment: 'live' | 'sandbox' = 'live',
  ): Promise<string> {
    return issueKey(this.runtime, tenantId, options, environment);
  }

  createClient(key: string): TestClient {
    return new TestClient(this.origin, key);
  }

  /**
   * Runs a query in the application's role, which sees only this tenant's rows. Tests use this to
   * read or change rows without the API. They may change more rows than the product changes in one
   * query, so the query timeout is longer. If a worker locks the same rows in another sequence, and
   * PostgreSQL ends the test's query, runs it again.
   */
  async rows<R = Record<string, unknown>>(
    tenantId: string,
    text: string,
    values: unknown[] = [],
  ): Promise<R[]> {
    const run = this.runtime.db.transaction([tenantId], async (tx) => {
      await tx.query({ text: "set local statement_timeout = '1min'" });
      return tx.query<R>({ text, values });
    });
    return run.catch((error: unknown) => {
      if (getErrorCode(error) === DEADLOCK_DETECTED) return this.rows<R>(tenantId, text, values);
      throw error;
    });
  }

  /** Runs SQL as the owner of the tables, for changes that the application's role may not make. */
  async runAsOwner(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: this.databaseUrl });
    await client.connect();
    await client.query(text).finally(() => client.end());
  }

  async stop(): Promise<void> {
    const { lifecycle } = this.runtime;
    const isClean = await lifecycle.close(15_000);
    rmSync(this.dataDir, { recursive: true, force: true });
    if (!isClean) throw new Error(`the stack did not close cleanly: ${lifecycle.unclosed.join(', ')}`);
  }
}
