import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { getErrorCode, isConnectionError } from '../platform/errors.js';
import { newId } from '../platform/ids.js';
import type { Database } from '../platform/postgres/database.js';
import { RedisTimeoutError } from '../platform/process/redis.js';
import type { Foundation } from '../platform/process/run-process.js';
import type { Runtime } from '../platform/process/runtime.js';
import type { HttpServer } from './http-server.js';

export interface Check {
  name: string;
  run: () => Promise<void>;
  /** Without this dependency the process still serves reads and stays in the rotation. */
  isForWrites?: boolean;
}

/** Says why a check failed, for unauthenticated clients: without addresses, users or SQL. */
export class CheckFailure extends Error {}

interface CheckResult {
  ok: boolean;
  ms: number;
  error?: string;
}

export interface Readiness {
  /** The process can serve at least reads. */
  ok: boolean;
  /** The process is ready, but a check that only writes need has failed. */
  degraded: boolean;
  checks: Record<string, CheckResult>;
}

const CHECK_TIMEOUT_MS = 2000;

export function createStoreChecks(runtime: Runtime): Check[] {
  const { db, redis, migrationHead } = runtime;
  return [
    { name: 'postgres', run: async () => void (await db.query({ text: 'select 1' })) },
    {
      name: 'queue',
      // Without Redis the queue is a set of PostgreSQL tables.
      run: async () =>
        void (redis ? await redis.fast.ping() : await db.query({ text: 'select 1 from bullmq.job limit 1' })),
    },
    {
      name: 'migrations',
      run: async () => {
        const missing = await findMissingMigration(db, migrationHead);
        if (missing) throw new CheckFailure(missing);
      },
    },
  ];
}

/** Without the queue such a process still serves reads. */
export function createServingChecks(runtime: Runtime): Check[] {
  return createStoreChecks(runtime).map((check) =>
    check.name === 'queue' ? { ...check, isForWrites: true } : check,
  );
}

/**
 * Returns why the database does not fit this version, or undefined. A database that a later
 * version has migrated also fits: migrations only extend what the previous version uses, so a
 * release can replace processes one by one.
 */
export async function findMissingMigration(db: Database, head: string): Promise<string | undefined> {
  const [row] = await db.query<{ newest: string | null; has_head: boolean }>({
    text: `select (select name from schema_migrations order by id desc limit 1) as newest,
                  exists (select from schema_migrations where name = $1) as has_head`,
    values: [head],
  });
  return row?.has_head ? undefined : `the database is at ${row?.newest ?? 'nothing'}, not at ${head}`;
}

/** Each check ends within two seconds. */
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

/** Omits a report that fails, because the checks show the reason. */
export async function readReports({ reports }: Runtime): Promise<Record<string, unknown>> {
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
  // ioredis reports these for every command while it is disconnected.
  if (isConnectionError(error) || /Stream isn't writeable|Connection is closed/.test(message)) {
    const why = /^E[A-Z_]+$/.test(code) ? code : CONNECTION_REFUSALS[code];
    return why ? `cannot be reached (${why})` : 'cannot be reached';
  }
  // An error reply of Redis starts with a code such as READONLY, OOM or NOAUTH.
  const redisCode = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  return code || redisCode ? `failed (${code || redisCode})` : 'failed';
}

/** Handles /healthz, /readyz and /metrics. Resolves with false for any other URL. */
export type HealthHandler = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** The hosting platform reads these endpoints. They need no key and show no tenant data. */
export function createHealthHandler(runtime: Runtime, checks: Check[]): HealthHandler {
  return async ({ url }, response) => {
    const send = (status: number, type: string, body: string) =>
      response.writeHead(status, { 'Content-Type': type, 'Cache-Control': 'no-store' }).end(body);
    if (url === '/healthz') {
      send(200, 'application/json', '{"ok":true}');
    } else if (url === '/metrics') {
      const { registry } = runtime.metrics;
      send(200, registry.contentType, await registry.metrics());
    } else if (url === '/readyz') {
      const readiness = await checkReadiness(checks);
      const isReady = readiness.ok && !runtime.lifecycle.isClosing;
      const reports = await readReports(runtime);
      send(isReady ? 200 : 503, 'application/json', JSON.stringify({ ...readiness, ...reports }));
    } else {
      return false;
    }
    return true;
  };
}

/** For a process whose HTTP server has no other purpose. */
export function serveHealth(runtime: Runtime, server: HttpServer): void {
  const answer = createHealthHandler(runtime, createStoreChecks(runtime));
  const listener: RequestListener = (request, response) => {
    answer(request, response)
      .then((isAnswered) => {
        if (!isAnswered) response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"ok":false}');
      })
      .catch((error: unknown) => {
        runtime.logger.error({ err: error }, 'health request failed');
        response.writeHead(500).end();
      });
  };
  server.serve(listener, runtime.metrics);
}

/** While the process starts: /healthz is 200, /readyz 503 with the reasons, all others 503. */
export function createStartupListener({ startBlockers }: Pick<Foundation, 'startBlockers'>): RequestListener {
  return ({ url }, response) => {
    const requestId = newId();
    const send = (status: number, body: object) =>
      response
        .writeHead(status, {
          'Content-Type': 'application/json',
          'Cache-Control': 'no-store',
          'X-Request-Id': requestId,
          ...(status === 503 ? { 'Retry-After': '1' } : {}),
        })
        .end(JSON.stringify(body));
    if (url === '/healthz') return send(200, { ok: true });
    if (url === '/readyz') {
      const checks = [...startBlockers].map(([name, error]) => [name, { ok: false, error }]);
      return send(503, { ok: false, degraded: false, starting: true, checks: Object.fromEntries(checks) });
    }
    const message = 'The service is starting. Send the request again in a moment.';
    return send(503, { ok: false, error: { code: 'service_unavailable', message, requestId } });
  };
}
