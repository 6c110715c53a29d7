import { tmpdir } from 'node:os';
import { expect } from 'chai';
import { NEEDED_SCHEMA } from '../../../migrations/needed-schema.js';
import { createFoundation, createRuntime, type Runtime } from '../../../shared/platform/process/runtime.js';
import { startWorkers } from '../../../workers/queues.js';
import { buildBundledCommand } from '../bundles/bundle-programs.js';
import { TestProcess } from '../load/processes.js';
import type { TestStack } from '../stack.js';
import { WORKER_VENDORS } from './worker-vendors.js';

const WORKER = 'test/support/vendors/integrations-worker.ts';

/**
 * Workers of the queue `integrations`, for a stack that starts none. A worker that a test kills
 * runs in a separate process. All other workers run in the tests' process, where a worker starts
 * within milliseconds.
 */
export class KillableWorkers {
  #process: TestProcess | undefined;
  #survivor: Runtime | undefined;

  constructor(private readonly stack: TestStack) {}

  /**
   * Starts a worker process.
   * @param failpoint the place in the code where the process kills itself; by default nowhere
   * @param environment more environment variables of the process
   */
  async startProcess(failpoint = '', environment: Record<string, string> = {}): Promise<TestProcess> {
    const { databaseUrl, redisUrl, runtime } = this.stack;
    const started = new TestProcess({
      command: buildBundledCommand(WORKER),
      env: {
        NODE_ENV: 'test',
        HOME: tmpdir(),
        DATABASE_URL: databaseUrl,
        DATA_DIR: runtime.config.dataDir,
        SECRET_KEY: runtime.config.secretKey,
        INTEGRATIONS: JSON.stringify(runtime.config.integrations),
        LOG_LEVEL: 'trace',
        ...(redisUrl ? { REDIS_URL: redisUrl } : {}),
        ...(failpoint ? { FAILPOINTS: failpoint } : {}),
        ...environment,
      },
    });
    this.#process = started;
    await started.waitForOutput(/working/);
    return started;
  }

  /** Starts a worker that no test kills. */
  async start(): Promise<void> {
    const { databaseUrl, runtime } = this.stack;
    this.#survivor = createRuntime(createFoundation(runtime.config, 'integrations'), {
      name: 'integrations',
      databaseUrl,
      neededSchema: NEEDED_SCHEMA,
    });
    await startWorkers(this.#survivor, ['integrations'], WORKER_VENDORS);
  }

  /**
   * Waits until the worker has killed itself, and starts another one. Ends the dead worker's
   * leases, which would otherwise last 15 s more.
   */
  async replace(dying: TestProcess, tenantId: string): Promise<void> {
    expect(await dying.waitForExit()).to.deep.equal({ code: null, signal: 'SIGKILL' });
    await this.start();
    await this.endLeases(tenantId);
  }

  /** Ends the leases of a dead worker. */
  async endLeases(tenantId: string): Promise<void> {
    const text = 'update connection_queues set owner = null, lease_until = null where tenant_id = $1';
    await this.stack.rows(tenantId, text, [tenantId]);
  }

  /** Stops all workers. */
  async stop(): Promise<void> {
    await this.#process?.stop('SIGTERM');
    await this.#survivor?.lifecycle.close(10_000);
    this.#process = undefined;
    this.#survivor = undefined;
  }
}
