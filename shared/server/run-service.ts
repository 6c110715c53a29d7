import { loadConfig } from '../config/config.js';
import type { NeededSchema } from '../platform/process/needed-schema.js';
import { runProcess } from '../platform/process/run-process.js';
import { createFoundation, createRuntime, type Runtime } from '../platform/process/runtime.js';
import { startTracing } from '../platform/tracing.js';
import { waitForConnections, waitForStores } from './await-stores.js';
import { createStartupListener } from './health.js';
import { type HttpServer, openHttpServer } from './http-server.js';

/**
 * The time that a start in progress may continue after a stop signal. It is short, so that the
 * process ends within 5 s of the signal.
 */
const START_GRACE_MS = 3000;

export interface ServiceOptions {
  kind: 'web' | 'worker';
  /** Name of the process in PostgreSQL and in logs. */
  name: string;
  neededSchema: NeededSchema;
}

/**
 * Runs one process of a scaled-out deployment. It responds to /healthz immediately, waits for its
 * stores, and then calls `start`.
 */
export async function runService(
  { kind, name, neededSchema }: ServiceOptions,
  start: (runtime: Runtime, server: HttpServer) => Promise<void>,
): Promise<void> {
  await runProcess(
    () => createFoundation(loadConfig(kind), name),
    async (foundation) => {
      const { config, lifecycle, logger } = foundation;
      await startTracing(config, name, lifecycle);
      const server = await openHttpServer(foundation, createStartupListener(foundation));
      logger.info({ port: server.port }, 'starting');
      const databaseUrl = config.databaseUrl as string;
      await waitForStores(foundation, { databaseUrl, neededSchema });
      const runtime = createRuntime(foundation, { name, databaseUrl, neededSchema });
      await waitForConnections(runtime);
      await start(runtime, server);
    },
    { startGraceMs: START_GRACE_MS },
  );
}
