import type { Runtime } from '../../shared/platform/runtime.js';
import type { ExportJob } from '../../shared/queues/exports.js';
import { type DueExport, findDueExports } from '../../shared/resources/exports/sweeps.js';
import { type ExportParts, runExport } from './run.js';
import { LARGE_ROWS, Turns, type Waiting } from './turns.js';

/** The exports of one process: what waits, what runs, and whose turn is next. */
export class Exporter {
  readonly #turns: Turns;
  readonly #running = new Map<string, { stop: AbortController; ended: Promise<void> }>();
  #isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly parts: ExportParts,
  ) {
    this.#turns = new Turns(runtime.config.exportsConcurrency);
  }

  get counts(): { running: number; waiting: number } {
    return this.#turns.counts;
  }

  /** Looks at what a tenant has due. A job too many does nothing; a lost one is found by the clock. */
  async look({ tenantId }: Pick<ExportJob, 'tenantId'>): Promise<void> {
    const due = await this.runtime.db.transaction([tenantId], (tx) => findDueExports(tx));
    for (const { tenant_id, id, ...size } of due) this.#turns.add({ tenant_id, id, isLarge: isLarge(size) });
    this.#fill();
  }

  /** Stops what runs, gives it back to the others, and waits until it has stopped. */
  async close(): Promise<void> {
    this.#isClosing = true;
    for (const { stop } of this.#running.values()) stop.abort();
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  #fill(): void {
    while (!this.#isClosing) {
      const next = this.#turns.next();
      if (!next) return;
      const stop = new AbortController();
      this.#running.set(next.id, { stop, ended: this.#run(next, stop.signal) });
    }
  }

  async #run(waiting: Waiting, signal: AbortSignal): Promise<void> {
    const { tenant_id: tenantId, id } = waiting;
    const about = { exportId: id, tenant: tenantId };
    let hasEnded = false;
    try {
      await runExport(this.runtime, { ...this.parts, ref: waiting, signal });
      hasEnded = true;
    } catch (error) {
      // Its lease runs out, and the clock brings it again. To look for it at once could go on for ever.
      this.runtime.logger.error({ err: error, ...about }, 'an export broke off');
    }
    this.#turns.end(waiting);
    this.#running.delete(id);
    if (this.#isClosing) return;
    this.#fill();
    if (!hasEnded) return;
    // The tenant's next one does not wait for the clock, unless the store is away.
    await this.look({ tenantId }).catch((error: unknown) => {
      this.runtime.logger.warn({ err: error, ...about }, 'could not look for the next export');
    });
  }
}

/** What nobody could estimate is large, and so is a dump: logs and events are most of it, and of those the planner knows little. */
function isLarge({ estimated_rows, format }: Pick<DueExport, 'estimated_rows' | 'format'>): boolean {
  return format === 'dump' || estimated_rows === null || estimated_rows >= LARGE_ROWS;
}
