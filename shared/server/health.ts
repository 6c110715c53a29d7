import type { RequestListener } from 'node:http';
import { renderError, toAppError } from '../http/error-response.js';
import { assertReadMethod, identifyRequest, readPath } from '../http/request.js';
import { AppError, getErrorCode, isConnectionError, serviceUnavailable } from '../platform/errors.js';
import type { Logger } from '../platform/logger.js';
import { pingQueues } from '../platform/process/redis.js';
import { RedisTimeoutError } from '../platform/process/redis-clients.js';
import type { Foundation } from '../platform/process/run-process.js';
import type { Runtime } from '../platform/process/runtime.js';
import { describeWriteRefusal, getRedisErrorCode } from '../platform/redis-refusal.js';
import { assertQueuesWritable } from './assert-queues-writable.js';
import { addCheckGauge } from './check-gauge.js';
import { findMissingMigration } from './missing-migration.js';

export interface Check {
  name: string;
  run: () => Promise<void>;
  /**
   * True if only writes need the checked dependency. If the check fails, the process still handles
   * reads, and /readyz stays 200.
   */
  isForWrites?: boolean;
}

/**
 * Says why a check failed. Clients without a key see the message, so it must contain no addresses,
 * users or SQL.
 */
export class CheckFailure extends Error {}

interface CheckResult {
  ok: boolean;
  ms: number;
  error?: string;
}

export interface Readiness {
  /** True if the process can handle at least reads. */
  ok: boolean;
  /** True if the process can handle reads, but a check that only writes need has failed. */
  degraded: boolean;
  checks: Record<string, CheckResult>;
}

const CHECK_TIMEOUT_MS = 2000;

/** Creates the checks that the stores respond, and that they have the tables of this version. */
export function createStoreChecks(runtime: Runtime): Check[] {
  const { db, primaryWatch, redis, neededSchema } = runtime;
  return [
    {
      name: 'postgres',
      run: async () => {
        await db.query({ text: 'select 1' });
        if (primaryWatch.problem) throw new CheckFailure(primaryWatch.problem);
      },
    },
    {
      name: 'queue',
      // Without Redis the queue is a set of PostgreSQL tables.
      run: async () =>
        void (redis
          ? await pingQueues(redis.fast)
          : await db.query({ text: 'select 1 from bullmq.job limit 1' })),
    },
    {
      name: 'migrations',
      run: async () => {
        const missing = await findMissingMigration(db, neededSchema);
        if (missing) throw new CheckFailure(missing);
      },
    },
  ];
}

/**
 * Creates the checks of a process that handles requests. Such a process needs the queue only for
 * writes. Workers do not check that Redis takes writes, because they continue while it is full.
 */
export function createServingChecks(runtime: Runtime): Check[] {
  const { redis } = runtime;
  return createStoreChecks(runtime).map((check) =>
    check.name === 'queue'
      ? {
          name: check.name,
          isForWrites: true,
          run: redis ? () => assertQueuesWritable(redis.fast) : check.run,
        }
      : check,
  );
}

/** Runs all checks in parallel. A check without a result after two seconds fails. */
export async function checkReadiness(checks: Check[]): Promise<Readiness> {
  const results = await Promise.all(checks.map(async (check) => ({ check, result: await runCheck(check) })));
  const failed = results.filter(({ result }) => !result.ok);
  const ok = failed.every(({ check }) => check.isForWrites);
  return {
    ok,
    degraded: ok && failed.length > 0,
    checks: Object.fromEntries(results.map(({ check, result }) => [check.name, result])),
  };
}

async function runCheck(check: Check): Promise<CheckResult> {
  const startedAt = performance.now();
  const getElapsedMs = () => Math.round((performance.now() - startedAt) * 10) / 10;
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CheckFailure(`no answer within ${CHECK_TIMEOUT_MS} ms`)),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    await Promise.race([check.run(), timeout]);
    return { ok: true, ms: getElapsedMs() };
  } catch (error) {
    return { ok: false, ms: getElapsedMs(), error: describeCheckFailure(error) };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Reads the reports that /readyz shows besides the checks. Omits a report that fails, because the
 * checks show the reason.
 */
async function readReports({ reports }: Runtime): Promise<Record<string, unknown>> {
  const read = [...reports].map(async ([name, report]) => [name, await report()] as const);
  const outcomes = await Promise.allSettled(read);
  return Object.fromEntries(outcomes.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
}

/** SQLSTATEs with which PostgreSQL refuses to open a session. */
const CONNECTION_REFUSALS: Record<string, string> = {
  '57P01': 'it is shutting down',
  '57P03': 'it is starting or stopping',
  '53300': 'it has too many connections',
};

export function describeCheckFailure(error: unknown): string {
  if (error instanceof CheckFailure) return error.message;
  const code = getErrorCode(error);
  const message = error instanceof Error ? error.message : '';
  if (error instanceof RedisTimeoutError) return 'no answer in time';
  // While ioredis is disconnected, it fails every command with one of these messages.
  if (isConnectionError(error) || /Stream isn't writeable|Connection is closed/.test(message)) {
    const why = /^E[A-Z_]+$/.test(code) ? code : CONNECTION_REFUSALS[code];
    return why ? `cannot be reached (${why})` : 'cannot be reached';
  }
  const known = code || getRedisErrorCode(error);
  return describeWriteRefusal(error) ?? (known ? `failed (${known})` : 'failed');
}

export interface HealthResponse {
  status: number;
  contentType: string;
  body: string;
  headers?: Record<string, string>;
}

/** The hosting platform reads these paths. They need no key and show no tenant data. */
export const HEALTH_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Returns a function that builds the response to one of {@link HEALTH_PATHS}.
 * @param checks decide whether /readyz is 200 or 503
 */
export function createHealthReader(
  runtime: Runtime,
  checks: Check[],
): (path: string) => Promise<HealthResponse> {
  addCheckGauge(runtime, () => checkReadiness(checks));
  return async (path) => {
    if (path === '/healthz') return HEALTHY;
    if (path === '/metrics') {
      const { registry } = runtime.metrics;
      return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
    }
    const readiness = await checkReadiness(checks);
    const isReady = readiness.ok && !runtime.lifecycle.isClosing;
    return toJsonResponse(isReady ? 200 : 503, { ...readiness, ...(await readReports(runtime)) });
  };
}

/**
 * Creates the listener for {@link HEALTH_PATHS} in a process without a Koa application. Any other
 * path is 404.
 * @param purpose a sentence for the message of the 404, such as "The MCP endpoint is /mcp."
 */
export function createHealthListener(runtime: Runtime, checks: Check[], purpose: string): RequestListener {
  const readHealth = createHealthReader(runtime, checks);
  return createListener(runtime.logger, async (path) => {
    if (HEALTH_PATHS.has(path)) return readHealth(path);
    throw new AppError('not_found', `Nothing is served at this path. ${purpose}`);
  });
}

/**
 * Creates the listener that responds while the process starts. /healthz is 200, /readyz is 503 with
 * the reasons, and all other paths are 503.
 */
export function createStartupListener({
  logger,
  startBlockers,
}: Pick<Foundation, 'logger' | 'startBlockers'>): RequestListener {
  return createListener(logger, async (path) => {
    if (path === '/healthz') return HEALTHY;
    if (path !== '/readyz')
      throw serviceUnavailable('The service is starting. Send the request again in a moment.');
    const checks = [...startBlockers].map(([name, error]) => [name, { ok: false, error }]);
    const readiness = { ok: false, degraded: false, starting: true, checks: Object.fromEntries(checks) };
    return { ...toJsonResponse(503, readiness), headers: { 'Retry-After': '1' } };
  });
}

const HEALTHY = toJsonResponse(200, { ok: true });

function toJsonResponse(status: number, body: object): HealthResponse {
  return { status, contentType: 'application/json', body: JSON.stringify(body) };
}

/**
 * Creates a listener that sends the response from `read` or, if `read` fails, an error response.
 */
function createListener(
  logger: Pick<Logger, 'error'>,
  read: (path: string) => Promise<HealthResponse>,
): RequestListener {
  return (request, response) => {
    const { requestId } = identifyRequest(request, response);
    const send = ({ status, contentType, body, headers }: HealthResponse) =>
      response
        .writeHead(status, { 'Content-Type': contentType, 'Cache-Control': 'no-store', ...headers })
        .end(body);
    const respond = async () => {
      const path = readPath(request);
      if (HEALTH_PATHS.has(path)) assertReadMethod(request.method);
      return read(path);
    };
    respond().then(send, (error: unknown) => {
      if (!(error instanceof AppError)) logger.error({ err: error, requestId }, 'request failed');
      const known = toAppError(error);
      const body = renderError(known.toBody(), requestId);
      send({ status: known.status, contentType: 'application/json', body, headers: known.headers });
    });
  };
}
