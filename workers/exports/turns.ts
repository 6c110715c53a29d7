import { FairQueue } from '../../shared/platform/fair-queue.js';
import type { RecordRef } from '../../shared/resources/sets.js';

/** An export that waits for its turn. */
export interface Waiting extends RecordRef {
  isLarge: boolean;
}

/** Estimated rows from which on an export is large: seconds of work, at the speed of COPY. */
export const LARGE_ROWS = 200_000;

/** Where one runs: in the slot kept for small ones, or in any other. */
type Place = 'kept' | 'general';

/**
 * Whose turn it is. Tenants take turns, and one export of a tenant runs at a time. Of several slots one is kept for small exports: however many large ones there are, of
 * whomever, a small one waits for small ones only. In the others small and large ones alternate, so that neither starves.
 */
export class Turns {
  private readonly queues = { small: new FairQueue<Waiting>(), large: new FairQueue<Waiting>() };
  private readonly known = new Set<string>();
  /** By tenant. */
  private readonly running = new Map<string, Place>();
  private lastInGeneral: 'small' | 'large' = 'large';

  /** @param slots how many may run at once here */
  constructor(private readonly slots: number) {}

  /** Adds one at the end of its tenant's; one that waits or runs already is not added again. */
  add(waiting: Waiting): void {
    if (this.known.has(waiting.id)) return;
    this.known.add(waiting.id);
    this.queues[waiting.isLarge ? 'large' : 'small'].push(waiting.tenant_id, waiting);
  }

  /** Takes the next one, which from now on runs until {@link end}. */
  next(): Waiting | undefined {
    return this.takeKept() ?? this.takeGeneral();
  }

  end({ tenant_id, id }: Waiting): void {
    this.known.delete(id);
    this.running.delete(tenant_id);
  }

  get counts(): { running: number; waiting: number } {
    return { running: this.running.size, waiting: this.known.size - this.running.size };
  }

  private takeKept(): Waiting | undefined {
    return this.slots > 1 && this.countIn('kept') === 0 ? this.take('small', 'kept') : undefined;
  }

  private takeGeneral(): Waiting | undefined {
    if (this.countIn('general') >= Math.max(1, this.slots - 1)) return undefined;
    const [first, second] = this.lastInGeneral === 'large' ? SMALL_FIRST : LARGE_FIRST;
    return this.take(first, 'general') ?? this.take(second, 'general');
  }

  private take(size: 'small' | 'large', place: Place): Waiting | undefined {
    const taken = this.queues[size].shift((tenantId) => !this.running.has(tenantId));
    if (!taken) return undefined;
    this.running.set(taken.tenant_id, place);
    if (place === 'general') this.lastInGeneral = size;
    return taken;
  }

  private countIn(place: Place): number {
    return [...this.running.values()].filter((taken) => taken === place).length;
  }
}

const SMALL_FIRST = ['small', 'large'] as const;
const LARGE_FIRST = ['large', 'small'] as const;
