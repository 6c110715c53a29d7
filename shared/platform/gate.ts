/** Lets a few pieces of work run at a time and a few more wait. */
export interface Gate {
  /** Runs the work when it is its turn. @throws {GateFullError} at once when too many wait already. */
  run<T>(work: () => Promise<T>): Promise<T>;
}

export class GateFullError extends Error {
  override readonly name = 'GateFullError';
}

export function createGate({ atOnce, waiting }: { atOnce: number; waiting: number }): Gate {
  let running = 0;
  const queue: (() => void)[] = [];
  const enter = async () => {
    if (running < atOnce) {
      running += 1;
      return;
    }
    if (queue.length >= waiting) throw new GateFullError('too many are waiting');
    // Whoever leaves hands its place over, so `running` stays as it is.
    await new Promise<void>((resolve) => queue.push(resolve));
  };
  const leave = () => {
    const next = queue.shift();
    if (next) next();
    else running -= 1;
  };
  return {
    async run(work) {
      await enter();
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}
