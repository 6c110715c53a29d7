import { FairQueue } from '../../shared/platform/limits/fair-queue.js';
import type { RecordRef } from '../../shared/records/record-refs.js';

export interface WaitingExport extends RecordRef {
  isLarge: boolean;
}

/**
 * An export of at least this many estimated rows counts as large. COPY takes seconds for so many
 * rows.
 */
export const LARGE_EXPORT_ROWS = 200_000;

/** One slot is reserved for small exports; all others are general. */
type Slot = 'reserved' | 'general';

/**
 * Selects the next export, round-robin between tenants. A tenant runs one export at a time. The
 * reserved slot runs only small exports, so that a small export need not wait for large exports.
 * The general slots alternate between small and large exports, so that neither size starves.
 */
export class FairExportQueue {
  private readonly queues = { small: new FairQueue<WaitingExport>(), large: new FairQueue<WaitingExport>() };
  private readonly unfinishedIds = new Set<string>();
  /** The slot of each tenant's running export. */
  private readonly running = new Map<string, Slot>();
  private lastInGeneral: 'small' | 'large' = 'large';

  /** @param slots maximum number of concurrent exports in this process */
  constructor(private readonly slots: number) {}

  /** Ignores an export that already waits or runs. */
  add(waiting: WaitingExport): void {
    if (this.unfinishedIds.has(waiting.id)) return;
    this.unfinishedIds.add(waiting.id);
    this.queues[waiting.isLarge ? 'large' : 'small'].push(waiting.tenant_id, waiting);
  }

  /**
   * Removes and returns the next export; undefined if no export may start now. The export counts as
   * running until {@link finish}.
   */
  takeNext(): WaitingExport | undefined {
    return this.takeReserved() ?? this.takeGeneral();
  }

  finish({ tenant_id, id }: WaitingExport): void {
    this.unfinishedIds.delete(id);
    this.running.delete(tenant_id);
  }

  get counts(): { running: number; waiting: number } {
    return { running: this.running.size, waiting: this.unfinishedIds.size - this.running.size };
  }

  private takeReserved(): WaitingExport | undefined {
    return this.slots > 1 && this.countIn('reserved') === 0 ? this.take('small', 'reserved') : undefined;
  }

  private takeGeneral(): WaitingExport | undefined {
    if (this.countIn('general') >= Math.max(1, this.slots - 1)) return undefined;
    const [first, second] = this.lastInGeneral === 'large' ? SMALL_FIRST : LARGE_FIRST;
    return this.take(first, 'general') ?? this.take(second, 'general');
  }

  private take(size: 'small' | 'large', slot: Slot): WaitingExport | undefined {
    const taken = this.queues[size].shift((tenantId) => !this.running.has(tenantId));
    if (!taken) return undefined;
    this.running.set(taken.tenant_id, slot);
    if (slot === 'general') this.lastInGeneral = size;
    return taken;
  }

  private countIn(slot: Slot): number {
    return [...this.running.values()].filter((taken) => taken === slot).length;
  }
}

const SMALL_FIRST = ['small', 'large'] as const;
const LARGE_FIRST = ['large', 'small'] as const;
