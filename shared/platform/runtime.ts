import type { Redis } from 'ioredis';
import { type Bus, createLocalBus, createRedisBus } from './bus.js';
import type { Config } from './config.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres/start.js';
import { Lifecycle } from './lifecycle.js';
import { createLimiter, type Limiter } from './limiter.js';
import { createLogger, type Logger } from './logger.js';
import { addCollectedGauge, createMetrics, type Metrics } from './metrics.js';
import { type Database, openDatabase } from './postgres.js';
import { connectRedis } from './redis.js';
import type { Foundation } from './run-process.js';
import { UnsentAnswers } from './unsent-answers.js';

/** What every part of a process stands on; built once from the configuration and passed in. */
export interface Runtime extends Foundation {
  metrics: Metrics;
  db: Database;
  bus: Bus;
  limiter: Limiter;
  /** What this process holds for clients that do not read. */
  unsentAnswers: UnsentAnswers;
  /** Connection string of the role that owns the database; sessions lower themselves from it. */
  databaseUrl: string;
  /** Undefined in the all-in-one way. */
  redis: { fast: Redis; patient: Redis; subscriber: Redis } | undefined;
  /** The migration that the database must have reached. */
  migrationHead: string;
  /**
   * What parts of this process add to `/readyz`, by name. No tenant and no cause of an error:
   * anybody may read it.
   */
  reports: Map<string, () => Promise<unknown>>;
}

export interface StoreOptions {
  /** Name of the process, as PostgreSQL and the logs show it. */
  name: string;
  databaseUrl: string;
  migrationHead: string;
}

/** Configuration, logger and lifecycle: what even a process that fails to start needs. */
export function createFoundation(config: Config, name: string): Foundation {
  const pretty = !config.production && Boolean(process.stdout.isTTY);
  const logger = createLogger({ level: config.logLevel, name, pretty });
  return { config, logger, lifecycle: new Lifecycle(logger), obstacles: new Map() };
}

/** Address of PostgreSQL: DATABASE_URL, or the embedded server, started here and stopped with the lifecycle. */
export async function resolveDatabaseUrl({ config, logger, lifecycle }: Foundation): Promise<string> {
  if (config.databaseUrl) return config.databaseUrl;
  const embedded: EmbeddedPostgres = await startEmbeddedPostgres({ dataDir: config.dataDir, logger });
  lifecycle.onClose('embedded postgres', () => embedded.stop());
  return embedded.databaseUrl;
}

/** Opens the stores and registers their closing. Nothing else in the code knows whether there is a Redis. */
export function createRuntime(foundation: Foundation, options: StoreOptions): Runtime {
  const { config, logger, lifecycle } = foundation;
  const { databaseUrl } = options;
  const metrics = createMetrics();
  const db = openDatabase({
    databaseUrl,
    poolSize: config.databasePoolSize,
    applicationName: `tow-${options.name}`,
    logger,
  });
  lifecycle.onClose('postgres pool', () => db.close());
  addCollectedGauge(metrics, {
    name: 'tow_postgres_connections',
    help: 'Connections of the pool by state; waiting: callers without one',
    labelNames: ['state'],
    collect: (set) => {
      for (const [state, count] of Object.entries(db.pool())) set({ state }, count);
    },
  });
  const redis = config.redisUrl ? connectStores(config.redisUrl, logger, lifecycle) : undefined;
  return {
    ...foundation,
    metrics,
    db,
    databaseUrl,
    redis,
    bus: redis ? createRedisBus(redis.fast, redis.subscriber) : createLocalBus(),
    limiter: createLimiter(redis?.fast),
    unsentAnswers: new UnsentAnswers(config.unsentBytesPerTenant),
    migrationHead: options.migrationHead,
    reports: new Map(),
  };
}

function connectStores(url: string, logger: Logger, lifecycle: Lifecycle) {
  const fast = connectRedis(url, 'fast', logger);
  const patient = connectRedis(url, 'patient', logger);
  const subscriber = connectRedis(url, 'patient', logger);
  lifecycle.onClose('redis', () => {
    for (const connection of [fast, patient, subscriber]) connection.disconnect();
  });
  return { fast, patient, subscriber };
}
