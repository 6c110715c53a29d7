import type { Config } from '../../config/config.js';
import type { RedisLocation } from '../../config/redis/redis-location.js';
import { type Bus, createLocalBus, createRedisBus } from '../bus.js';
import { Lifecycle } from '../lifecycle.js';
import { createLimiter, type Limiter } from '../limits/limiter.js';
import { createLogger, type Logger } from '../logger.js';
import { addCollectedGauge, createMetrics, type Metrics } from '../metrics.js';
import { type Database, openDatabase } from '../postgres/database.js';
import { KnownPrimary } from '../primary/known-primary.js';
import { PrimaryWatch } from '../primary/primary-watch.js';
import type { NeededSchema } from './needed-schema.js';
import { connectRedis, type RedisClient } from './redis.js';
import type { Foundation } from './run-process.js';
import { createSharedTimelines } from './shared-timelines.js';
import { UnsentResponses } from './unsent-responses.js';

/** The objects that all parts of a process share, built once from the configuration. */
export interface Runtime extends Foundation {
  metrics: Metrics;
  db: Database;
  /** The newest primary of PostgreSQL that this process knows. */
  primary: KnownPrimary;
  primaryWatch: PrimaryWatch;
  bus: Bus;
  limiter: Limiter;
  /** Tracks responses that this process keeps in memory because clients have not read them. */
  unsentResponses: UnsentResponses;
  /**
   * Contains the login of the role that owns the database. Sessions connect as this role and switch
   * to the application's role.
   */
  databaseUrl: string;
  /** Undefined if REDIS_URL is not set. */
  redis: { fast: RedisClient; patient: RedisClient; subscriber: RedisClient } | undefined;
  neededSchema: NeededSchema;
  /**
   * The functions that compute the reports in `/readyz`, by name. Reports must not contain tenant
   * data or causes of errors, because unauthenticated clients can read `/readyz`.
   */
  reports: Map<string, () => Promise<unknown>>;
}

export interface StoreOptions {
  /** Name of the process in PostgreSQL and in logs. */
  name: string;
  databaseUrl: string;
  neededSchema: NeededSchema;
}

/** Creates the logger and the lifecycle, which even a process that fails to start needs. */
export function createFoundation(config: Config, name: string): Foundation {
  const pretty = !config.production && Boolean(process.stdout.isTTY);
  const logger = createLogger({ level: config.logLevel, name, pretty });
  return { config, logger, lifecycle: new Lifecycle(logger), startBlockers: new Map() };
}

/**
 * Opens the stores and registers their closers. Apart from this function, only the queue backend
 * and the health checks depend on whether Redis is configured.
 */
export function createRuntime(foundation: Foundation, options: StoreOptions): Runtime {
  const { config, logger, lifecycle } = foundation;
  const { databaseUrl } = options;
  const metrics = createMetrics();
  const redis = config.redis ? connectStores(config.redis, logger, lifecycle) : undefined;
  const primary = new KnownPrimary(redis && createSharedTimelines(redis.fast));
  const db = openDatabase({
    databaseUrl,
    poolSize: config.databasePoolSize,
    applicationName: `tow-${options.name}`,
    logger,
    primary,
  });
  lifecycle.onClose('postgres pool', () => db.close());
  const primaryWatch = new PrimaryWatch({ primary, query: (query) => db.query(query), logger });
  lifecycle.onClose('primary watch', () => primaryWatch.close());
  addCollectedGauge(metrics, {
    name: 'tow_postgres_connections',
    help: 'Connections of the pool by state; waiting: callers waiting for a connection',
    labelNames: ['state'],
    collect: (set) => {
      for (const [state, count] of Object.entries(db.getPoolStats())) set({ state }, count);
    },
  });
  return {
    ...foundation,
    metrics,
    db,
    primary,
    primaryWatch,
    databaseUrl,
    redis,
    bus: redis ? createRedisBus(redis.fast, redis.subscriber) : createLocalBus(),
    limiter: createLimiter(redis?.fast),
    unsentResponses: new UnsentResponses(config.unsentBytesPerTenant),
    neededSchema: options.neededSchema,
    reports: new Map(),
  };
}

function connectStores(location: RedisLocation, logger: Logger, lifecycle: Lifecycle) {
  const fast = connectRedis(location, 'fast', logger);
  const patient = connectRedis(location, 'patient', logger);
  const subscriber = connectRedis(location, 'patient', logger);
  lifecycle.onClose('redis', () => {
    for (const connection of [fast, patient, subscriber]) connection.disconnect();
  });
  return { fast, patient, subscriber };
}
