import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isConnectionError } from './errors.js';
import type { Runtime } from './runtime.js';

/** One thing a process needs, and how long it took to answer. */
export interface Check {
  name: string;
  run: () => Promise<void>;
}

interface CheckResult {
  ok: boolean;
  ms: number;
  error?: string;
}

export interface Readiness {
  ok: boolean;
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
        const [row] = await db.query<{ name: string }>({
          text: 'select name from schema_migrations order by id desc limit 1',
        });
        if (row?.name !== migrationHead)
          throw new Error(`the database is at ${row?.name ?? 'nothing'}, not at ${migrationHead}`);
      },
    },
  ];
}

/** Runs all checks side by side; each answers within two seconds. */
export async function checkReadiness(checks: Check[]): Promise<Readiness> {
  const results = await Promise.all(
    checks.map(async (check) => [check.name, await runCheck(check)] as const),
  );
  return { ok: results.every(([, result]) => result.ok), checks: Object.fromEntries(results) };
}

async function runCheck(check: Check): Promise<CheckResult> {
  const startedAt = performance.now();
  const elapsed = () => Math.round((performance.now() - startedAt) * 10) / 10;
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS} ms`)), CHECK_TIMEOUT_MS);
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

/** A reason fit for an unauthenticated reader: no address, user or SQL. */
function publicReason(error: unknown): string {
  if (isConnectionError(error)) return 'cannot be reached';
  const message = error instanceof Error ? error.message : '';
  return /^(no answer within|the database is at)/.test(message) ? message : 'failed';
}

/** Answers /healthz, /readyz and /metrics. False: the request is for something else. */
export type AnswerHealth = (request: IncomingMessage, response: ServerResponse) => Promise<boolean>;

/** For the platform, not for tenants: these need no key and show no tenant. */
export function healthAnswers(runtime: Runtime): AnswerHealth {
  const checks = storeChecks(runtime);
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

/** The HTTP server of a process that has no other. Resolves with its port. */
export async function startHealthServer(runtime: Runtime): Promise<number> {
  const { config, lifecycle, logger } = runtime;
  const answer = healthAnswers(runtime);
  const server = createServer((request, response) => {
    answer(request, response)
      .then((isAnswered) => {
        if (!isAnswered) response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"ok":false}');
      })
      .catch((error: unknown) => {
        logger.error({ err: error }, 'health request failed');
        response.writeHead(500).end();
      });
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(config.port, config.host, resolve);
  });
  lifecycle.onClose('health server', () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  });
  return (server.address() as AddressInfo).port;
}
