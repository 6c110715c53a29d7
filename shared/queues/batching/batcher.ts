/**
 * Batches items without a timer. The first batch starts at the end of the event-loop tick. Items
 * that arrive while a batch runs form the next batch. A single item therefore does not wait for
 * more items. Under load, many items share one call of `run`, and therefore one transaction.
 */
export class Batcher<Item> {
  #waiting: Item[] = [];
  #running: Promise<void> | undefined;

  /**
   * @param run must process a batch, and must not reject
   * @param max maximum number of items in a batch
   */
  constructor(
    private readonly run: (batch: Item[]) => Promise<void>,
    private readonly max = 500,
  ) {}

  /** Number of items that are in no batch yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when all items have been processed; undefined if there are no items. */
  get running(): Promise<void> | undefined {
    return this.#running;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#running ??= this.#runAll();
  }

  async #runAll(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#waiting.length > 0) await this.run(this.#waiting.splice(0, this.max));
    // Reset in the same event-loop tick as the loop's last check, so that an item added later
    // starts a new loop.
    this.#running = undefined;
  }
}

export interface HalvesOptions<Item> {
  /**
   * True if the error affects all items alike, for example because a store is unreachable. {@link
   * runInHalves} throws such an error.
   */
  isTransient: (error: unknown) => boolean;
  /** Called for each item that fails even when `work` runs on it alone. */
  onFailure: (item: Item, error: unknown) => Promise<void> | void;
}

/**
 * Runs `work` on all items. After an error, runs `work` on each half, down to single items. So an
 * item that fails does not stop the others.
 * @throws an error of `work` that is transient
 */
export async function runInHalves<Item>(
  items: Item[],
  work: (items: Item[]) => Promise<void>,
  options: HalvesOptions<Item>,
): Promise<void> {
  try {
    await work(items);
  } catch (error) {
    if (options.isTransient(error)) throw error;
    if (items.length === 1) return options.onFailure(items[0] as Item, error);
    const middle = Math.ceil(items.length / 2);
    await runInHalves(items.slice(0, middle), work, options);
    await runInHalves(items.slice(middle), work, options);
  }
}
