/**
 * Batches items without a timer. The first batch starts at the end of this event-loop
 * tick. While it runs, the next batch collects. A single item never waits for others,
 * and many items share a transaction.
 */
export class Batcher<Item> {
  #waiting: Item[] = [];
  #running: Promise<void> | undefined;

  /**
   * @param run handles a batch; must not reject
   * @param max maximum number of items of a batch
   */
  constructor(
    private readonly run: (batch: Item[]) => Promise<void>,
    private readonly max = 500,
  ) {}

  /** Number of items that are in no batch yet. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Resolves when every item is handled. Undefined if there is none. */
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
    // In the event-loop tick of the last check, so that a later item starts a new loop.
    this.#running = undefined;
  }
}

export interface HalvesOptions<Item> {
  /** True if the error concerns all items alike. Such an error is thrown. */
  isTransient: (error: unknown) => boolean;
  /** Receives the error of an item that fails alone. */
  onFailure: (item: Item, error: unknown) => Promise<void> | void;
}

/**
 * Runs `work` on all items, and after an error on each half. An item that
 * fails does not hold up the others.
 * @throws a transient error of `work`
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
