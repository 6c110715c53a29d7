import type { Runtime } from '../../shared/platform/process/runtime.js';
import type { ExportJob } from '../../shared/queues/exports.js';
import { type DueExport, findDueExports } from '../../shared/resources/exports/sweeps.js';
import { FairExportQueue, LARGE_EXPORT_ROWS, type WaitingExport } from './fair-export-queue.js';
import { type ExportServices, runExport } from './run.js';

/** Runs exports in this process, and shares the process's slots fairly between tenants. */
export class Exporter {
  readonly #turns: FairExportQueue;
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  #isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly parts: ExportServices,
  ) {
    this.#turns = new FairExportQueue(runtime.config.exportsConcurrency);
  }

  get counts(): { running: number; waiting: number } {
    return this.#turns.counts;
  }

  /**
   * Queues the tenant's due export, if there is one, and starts queued exports while slots are
   * free.
   */
  async startDueExports({ tenantId }: Pick<ExportJob, 'tenantId'>): Promise<void> {
    const due = await this.runtime.db.transaction([tenantId], (tx) => findDueExports(tx));
    for (const { tenant_id, id, ...size } of due) this.#turns.add({ tenant_id, id, isLarge: isLarge(size) });
    this.#startWaiting();
  }

  /** Stops all running exports and releases them to other workers. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #startWaiting(): void {
    while (!this.#isClosing) {
      const next = this.#turns.takeNext();
      if (!next) return;
      const stop = new AbortController();
      this.#running.set(next.id, { stop, ended: this.#run(next, stop.signal) });
    }
  }

  async #run(waiting: WaitingExport, signal: AbortSignal): Promise<void> {
    const { tenant_id: tenantId, id } = waiting;
    const logFields = { exportId: id, tenant: tenantId };
    let hasSucceeded = false;
    try {
      await runExport(this.runtime, { ...this.parts, ref: waiting, signal });
      hasSucceeded = true;
    } catch (error) {
      // Do not retry immediately, because retries could loop forever. The clock wakes the export
      // when its lease has expired.
      this.runtime.logger.error({ err: error, ...logFields }, 'an export run failed unexpectedly');
    }
    this.#turns.finish(waiting);
    this.#running.delete(id);
    if (this.#isClosing) return;
    this.#startWaiting();
    if (!hasSucceeded) return;
    // Start the tenant's next export now. If the database is unreachable, the clock wakes that
    // export later.
    await this.startDueExports({ tenantId }).catch((error: unknown) => {
      this.runtime.logger.warn({ err: error, ...logFields }, 'could not check for the next export');
    });
  }
}

/**
 * True if the export may be large. A dump always counts as large: it contains logs and events,
 * whose number PostgreSQL's planner cannot estimate well.
 */
function isLarge({ estimated_rows, format }: Pick<DueExport, 'estimated_rows' | 'format'>): boolean {
  return format === 'dump' || estimated_rows === null || estimated_rows >= LARGE_EXPORT_ROWS;
}
