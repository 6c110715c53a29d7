import { setTimeout as sleep } from 'node:timers/promises';
import { isConnectionError } from '../../platform/errors.js';
import type { PrimaryIdentity } from '../../platform/primary/primary-identity.js';
import type { Runtime } from '../../platform/process/runtime.js';
import { type AcknowledgedWrite, AcknowledgedWrites } from './acknowledged-writes.js';
import { findMissingWrites, type PrimaryReplacement, storeLostWrites } from './lost-write-rows.js';

/**
 * A missing write counts as lost if it is still missing after this time. The queue may have kept
 * its job, and runs it again within 20 s (`STALL_SETTINGS` of shared/queues/backend.ts).
 */
const CONFIRM_MS = 30_000;
const RETRY_MS = 1000;
const CLOSE_MS = 5000;
const WRITES_PER_LOG_ENTRY = 100;

type CheckRuntime = Pick<Runtime, 'config' | 'db' | 'logger' | 'metrics'>;

/**
 * Finds acknowledged writes that a promoted standby has not received. Checks the writes that this
 * process has acknowledged, after PostgreSQL's primary has changed.
 */
export class LostWriteCheck {
  private replacement: PrimaryReplacement | undefined;
  private running: Promise<void> | undefined;
  /** The lost writes that were counted. A later change of the primary finds them missing again. */
  private readonly reported = new Set<string>();
  private readonly closing = new AbortController();

  constructor(
    private readonly runtime: CheckRuntime,
    private readonly acknowledged = new AcknowledgedWrites(),
    private readonly confirmMs = CONFIRM_MS,
  ) {}

  /** Starts a check. If one is running, another one follows. */
  start(from: PrimaryIdentity, to: PrimaryIdentity): void {
    this.replacement = { from: this.replacement?.from ?? from, to };
    this.running ??= this.run();
  }

  /**
   * Ends a running check. It then logs what it has not checked twice, and reports none of it: a
   * worker may run these writes again.
   */
  async close(): Promise<void> {
    this.closing.abort();
    // A query may hang until the server that does not answer is given up.
    await Promise.race([this.running, sleep(CLOSE_MS, undefined, { ref: false })]);
  }

  private async run(): Promise<void> {
    try {
      while (this.replacement) {
        const { replacement } = this;
        this.replacement = undefined;
        await this.check(replacement);
      }
    } finally {
      this.running = undefined;
    }
  }

  /** Looks for each write twice. Writes that are acknowledged between two looks are included. */
  private async check(replacement: PrimaryReplacement): Promise<void> {
    const { logger } = this.runtime;
    let checked = 0;
    let lost = 0;
    let fromNumber = 0;
    let missing: AcknowledgedWrite[] = [];
    for (let look = 1; look <= 2 || missing.length > 0; look += 1) {
      if (look > 1) await this.wait(this.confirmMs);
      const range = { from: fromNumber, to: this.acknowledged.nextNumber };
      fromNumber = range.to;
      const found = await this.tryUntilClosing(() => this.look(missing, range, replacement));
      if (!found) {
        const unchecked = [...missing, ...[...this.acknowledged.list(range)].flat()];
        this.report(unchecked, replacement, 'could not check whether acknowledged writes were lost');
        return;
      }
      checked += found.checked;
      const confirmed = found.confirmed.filter(({ command_id }) => !this.reported.has(command_id));
      for (const { command_id } of confirmed) this.reported.add(command_id);
      this.runtime.metrics.lostWrites.inc(confirmed.length);
      this.report(
        confirmed,
        replacement,
        'acknowledged writes were lost: the new primary had not received them',
      );
      lost += confirmed.length;
      missing = found.missing;
    }
    logger.info(
      { ...replacement, checked, lost },
      'checked the acknowledged writes after a change of the primary',
    );
  }

  /** Stores the writes that are still missing, and looks for those of a range. */
  private async look(
    missingBefore: AcknowledgedWrite[],
    range: { from: number; to: number },
    replacement: PrimaryReplacement,
  ) {
    const { db } = this.runtime;
    const confirmed = await findMissingWrites(db, missingBefore);
    await storeLostWrites(this.runtime, confirmed, replacement);
    const missing: AcknowledgedWrite[] = [];
    let checked = 0;
    for (const writes of this.acknowledged.list(range)) {
      missing.push(...(await findMissingWrites(db, writes)));
      checked += writes.length;
    }
    return { confirmed, missing, checked };
  }

  /** Resolves with undefined if the work fails while the process closes. */
  private async tryUntilClosing<T>(work: () => Promise<T>): Promise<T | undefined> {
    while (!this.closing.signal.aborted) {
      try {
        return await work();
      } catch (err) {
        // PostgreSQL is often unreachable for a while after a promotion.
        const level = isConnectionError(err) ? 'debug' : 'error';
        this.runtime.logger[level]({ err }, 'the check for lost writes failed; it is tried again');
        await this.wait(RETRY_MS);
      }
    }
    return undefined;
  }

  private async wait(ms: number): Promise<void> {
    await sleep(ms, undefined, { ref: false, signal: this.closing.signal }).catch(() => undefined);
  }

  private report(writes: readonly AcknowledgedWrite[], replacement: PrimaryReplacement, text: string): void {
    for (let start = 0; start < writes.length; start += WRITES_PER_LOG_ENTRY) {
      const listed = writes.slice(start, start + WRITES_PER_LOG_ENTRY);
      this.runtime.logger.error({ ...replacement, count: listed.length, writes: listed }, text);
    }
  }
}
