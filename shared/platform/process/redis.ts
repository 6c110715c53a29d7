import { Cluster, type Redis, type RedisOptions } from 'ioredis';
import type { RedisLocation } from '../../config/redis/redis-location.js';
import type { Logger } from '../logger.js';
import { StartError } from '../start-failure.js';
import {
  BatchingRedis,
  type ClientOptions,
  EndingCluster,
  FailFastCluster,
  FailFastRedis,
} from './redis-clients.js';

/**
 * `fast` is for the API, which must respond quickly: no offline queue, one retry. `patient` is for
 * workers and subscriptions, which wait until Redis is reachable again (BullMQ documentation,
 * "failing fast" and "connections"). `probe` tries once, when its caller connects it.
 */
export type RedisMode = 'fast' | 'patient' | 'probe';

export type RedisClient = Redis | Cluster;

/** All keys of a queue share one hash tag, so that a cluster stores them on one node. */
export const QUEUE_PREFIX = '{tow}';

/** Resolves if the server that has the queues replies. */
export async function pingQueues(redis: RedisClient): Promise<void> {
  // A cluster answers PING with any of its nodes, but a command with a key with that key's master.
  await (redis instanceof Cluster ? redis.exists(`${QUEUE_PREFIX}:ping`) : redis.ping());
}

const CONNECT_TIMEOUT_MS = 3000;
/** A cluster's client asks this often which node has which keys, besides after a redirection. */
const SLOTS_REFRESH_MS = 5000;
/**
 * A patient client of a cluster tries a command again this often, mostly after 100 ms. The default
 * of 16 is shorter than an election with the default `cluster-node-timeout` of 15 s.
 */
const PATIENT_REDIRECTIONS = 1000;

const OPTIONS_BY_MODE = {
  fast: { enableOfflineQueue: false, maxRetriesPerRequest: 1 },
  patient: { maxRetriesPerRequest: null },
  probe: { lazyConnect: true, commandTimeout: CONNECT_TIMEOUT_MS },
} as const satisfies Record<RedisMode, ClientOptions>;

/** Creates a client. Its caller must listen to its errors. */
export function createRedisClient(location: RedisLocation, mode: RedisMode): RedisClient {
  const { nodes, username, password, tls, family } = location;
  const secured = tls && (tls.ca === undefined ? {} : { ca: tls.ca });
  const options: ClientOptions = {
    ...OPTIONS_BY_MODE[mode],
    connectTimeout: CONNECT_TIMEOUT_MS,
    username,
    password,
    tls: secured,
    family,
  };
  const retry = mode === 'probe' ? () => null : (times: number) => Math.min(50 * times, 1000);
  if (location.kind === 'cluster') {
    const { lazyConnect = false, enableOfflineQueue = true, ...redisOptions } = options;
    return new (mode === 'fast' ? FailFastCluster : EndingCluster)(nodes, {
      redisOptions,
      lazyConnect,
      enableOfflineQueue,
      clusterRetryStrategy: retry,
      slotsRefreshTimeout: CONNECT_TIMEOUT_MS,
      slotsRefreshInterval: SLOTS_REFRESH_MS,
      // Let the connection look the name up, because a certificate contains names.
      dnsLookup: (name, callback) => callback(null, name),
      ...(mode === 'patient' && { maxRedirections: PATIENT_REDIRECTIONS, retryDelayOnMoved: 50 }),
    });
  }
  return new (mode === 'fast' ? FailFastRedis : BatchingRedis)({
    ...options,
    ...(location.kind === 'single' ? nodes[0] : buildSentinelOptions(location, retry, secured)),
    db: location.db,
    retryStrategy: retry,
    // The value 2 makes ioredis reconnect and send the command again. READONLY comes from the old
    // node after a failover, LOADING from a node that is still starting.
    reconnectOnError: (error) => (mode !== 'probe' && /READONLY|LOADING/.test(error.message) ? 2 : false),
  });
}

function buildSentinelOptions(
  location: RedisLocation & { kind: 'sentinel' },
  retry: (times: number) => number | null,
  tls: RedisOptions['tls'],
): ClientOptions {
  return {
    sentinels: location.nodes,
    name: location.name,
    sentinelUsername: location.sentinelUsername,
    sentinelPassword: location.sentinelPassword,
    sentinelRetryStrategy: retry,
    sentinelTLS: tls,
    enableTLSForSentinelMode: tls !== undefined,
    // Reconnects when the sentinels announce another master. A master whose machine has lost its
    // power or its network closes no connection, so the client would not notice for minutes.
    failoverDetector: true,
  };
}

/**
 * Connects to Redis. While the connection is lost, tries to reconnect at least once a second.
 * Connection errors are logged and never crash the process.
 */
export function connectRedis(
  location: RedisLocation,
  patience: Exclude<RedisMode, 'probe'>,
  logger: Logger,
): RedisClient {
  const redis = createRedisClient(location, patience);
  let lastLoggedAt = 0;
  const log = (error: unknown) => {
    // An unreachable Redis causes many errors a second; one log entry per 5 s is enough.
    if (Date.now() - lastLoggedAt < 5000) return;
    lastLoggedAt = Date.now();
    logger.warn({ err: error }, 'redis connection error');
  };
  redis.on('error', log);
  // A cluster's client reports the errors of single nodes separately.
  redis.on('node error', log);
  return redis;
}

/**
 * Refuses a Redis that may evict keys under memory pressure, because Redis would evict BullMQ's
 * lock keys first. If the server does not show its policy, only logs a warning.
 * @throws {StartError} if maxmemory-policy is not noeviction
 */
export async function assertNoEviction(redis: RedisClient, logger: Logger): Promise<void> {
  const servers = redis instanceof Cluster ? redis.nodes('master') : [redis];
  for (const server of servers) await assertServerNoEviction(server, logger);
}

async function assertServerNoEviction(redis: Redis, logger: Logger): Promise<void> {
  // Not CONFIG GET, because a user who may call it can read the passwords of the configuration.
  const reply = await redis.info('memory').catch((error: unknown) => {
    if (!(error instanceof Error) || error.name !== 'ReplyError') throw error;
    return error.message;
  });
  const policy = /^maxmemory_policy:([\w-]+)/m.exec(reply)?.[1];
  if (policy === undefined) {
    logger.warn({ reason: reply.slice(0, 200) }, 'cannot read maxmemory_policy; make sure it is noeviction');
    return;
  }
  if (policy !== 'noeviction') {
    throw new StartError(
      `Redis has maxmemory-policy ${policy}: jobs would vanish under memory pressure.`,
      'Set it to noeviction (`redis-cli config set maxmemory-policy noeviction`, and in redis.conf).',
    );
  }
}
