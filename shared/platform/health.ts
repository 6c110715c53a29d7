import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { errorCodeOf, isConnectionError } from './errors.js';
import type { HttpServer } from './http-server.js';
import { newId } from './ids.js';
import type { Database } from './postgres.js';
import { RedisTimeoutError } from './redis.js';
import type { Foundation } from './run-process.js';
import type { Runtime } from './runtime.js';

/** One thing a process needs, and how long it took to answer. */
export interface Check {
  name: string;
  run: () => Promise<void>;
  /**
   * True: reads do without it, so a process that answers requests stays in its balancer's rotation.
   */
  isForWrites?: boolean;
}

/** Why a check failed, in words fit for an unauthenticated reader: no address, user or SQL. */
export class CheckFailure extends Error {}

interface CheckResult {
  ok: boolean;
  ms: number;
  error?: string;
}

export interface Readiness {
  /** Requests can be answered, at least those that only read. */
  ok: boolean;
  /** Ready, but a check of writes failed. */
  degraded: boolean;
  checks: Record<string, CheckResult>;
}

const CHECK_TIMEOUT_MS = 2000;

/** PostgreSQL, the queue's store and the migrations: what every process needs to be of use. */
export function storeChecks(runtime: Runtime): Check[] {
  const { db, redis, migrationHead } = runtime;
  return [
    { name: 'postgres', run: async () => void (await db.query({ text: 'select 1' })) },
    {
      name: 'queue',
      // Without Redis the queue's tables are the queue.
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

/** What a process needs that answers requests: without the queue it still reads. */
export function servingChecks(runtime: Runtime): Check[] {
  return storeChecks(runtime).map((check) =>
    check.name === 'queue' ? { ...check, isForWrites: true } : check,
  );
}

/**
 * Why the database does not fit this version; undefined when it does. One that a later version has
 * migrated fits: migrations only expand what the version before them uses, so that a release can
 * replace its processes one by one.
 */
export async function findMissingMigration(db: Database, head: string): Promise<string | undefined> {
  const [row] = await db.query<{ newest: string | null; has_head: boolean }>({
    text: `select (select name from schema_migrations order by id desc limit 1) as newest,
                  exists (select from schema_migrations where name = $1) as has_head`,
    values: [head],
  });
  return row?.has_head ? undefined : `the database is at ${row?.newest ?? 'nothing'}, not at ${head}`;
}

/** Runs all checks side by side; each answers within two seconds. */
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
  const elapsed = () => Math.round((performance.now() - startedAt) * 10) / 10;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new CheckFailure(`no answer within ${CHECK_TIMEOUT_MS} ms`)),
      CHECK_TIMEOUT_MS,
    );
  });
  try {
    await Promise.race([check.run(), late]);
    return { ok: true, ms: elapsed() };
  } catch (error) {
    return { ok: false, ms: elapsed(), error: publicReason(error) };
  } finally {
    clearTimeout(timer);
  }
}

/** What parts of the process add. A report that cannot be had is left out: the checks say why. */
export async function readReports({ reports }: Runtime): Promise<Record<string, unknown>> {
  const read = [...reports].map(async ([name, report]) => [name, await report()] as const);
  const settled = await Promise.allSettled(read);
  return Object.fromEntries(settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
}

/** SQLSTATEs with which PostgreSQL answers instead of opening a session. */
const CONNECTION_REFUSALS: Record<string, string> = {
  '57P01': 'it is shutting down',
  '57P03': 'it is starting or stopping',
  '53300': 'it has too many connections',
};

/** Why a check failed, for the unauthenticated readers of /readyz. */
export function publicReason(error: unknown): string {
  if (error instanceof CheckFailure) return error.message;
  const code = errorCodeOf(error);
  const message = error instanceof Error ? error.message : '';
  if (error instanceof RedisTimeoutError) return 'no answer in time';
  // ioredis says so of every command while it has no connection.
  if (isConnectionError(error) || /Stream isn't writeable|Connection is closed/.test(message)) {
    const why = /^E[A-Z_]+$/.test(code) ? code : CONNECTION_REFUSALS[code];
    return why ? `cannot be reached (${why})` : 'cannot be reached';
  }
  // A reply of Redis begins with its code, such as READONLY, OOM or NOAUTH.
  const reply = /^[A-Z]{3,20}(?= )/.exec(message)?.[0];
  return code || reply ? `failed (${code || reply})` : 'failed';
}

/** Answers /healthz, /readyz and /metrics. False: the request is for something else. */
export type AnswerHealth = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** For the platform, not for tenants: these need no key and show no tenant. */
export function healthAnswers(runtime: Runtime, checks: Check[]): AnswerHealth {
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

/** Lets the server of a process that has no other purpose for it answer about its health. */
export function serveHealth(runtime: Runtime, server: HttpServer): void {
  const answer = healthAnswers(runtime, storeChecks(runtime));
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

/**
 * Answers while a process starts: it lives, it is not ready and says why, and everything else is
 * 503.
 */
export function answerWhileStarting({ obstacles }: Pick<Foundation, 'obstacles'>): RequestListener {
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
      const checks = [...obstacles].map(([name, error]) => [name, { ok: false, error }]);
      return send(503, { ok: false, degraded: false, starting: true, checks: Object.fromEntries(checks) });
    }
    const message = 'The service is starting. Send the request again in a moment.';
    return send(503, { ok: false, error: { code: 'service_unavailable', message, requestId } });
  };
}
