import { FairQueue } from './fair-queue.js';
import { GateFullError } from './gate.js';

/** Where a piece of work waits. */
export interface WaitingPlace<Queue extends string> {
  /** Queues take turns, so that a full one keeps no other waiting. */
  queue: Queue;
  /** Groups of a queue take turns, and share its places: one group keeps no other out. */
  group: string;
}

/** Bounds how much work runs at once, and shares it fairly among those that wait. */
export interface FairLimit<Queue extends string> {
  /**
   * Runs the work when it is its turn. A full queue makes room for a group that has fewer waiting:
   * the group that has the most loses its last.
   * @throws {GateFullError} at once when there is no place, for anybody or for this group, or later
   * when the place is given to another group
   */
  run<T>(place: WaitingPlace<Queue>, work: () => Promise<T>): Promise<T>;
}

export interface FairLimitOptions<Queue extends string> {
  queues: readonly Queue[];
  maxRunning: number;
  /** In each queue. */
  maxQueued: number;
  /** Of one group in each queue. Default: as many as the queue has places. */
  maxQueuedPerGroup?: number;
}

interface Waiter {
  start: () => void;
  refuse: (reason: GateFullError) => void;
}

export function createFairLimit<Queue extends string>(options: FairLimitOptions<Queue>): FairLimit<Queue> {
  const queues = new Map(options.queues.map((name) => [name, new FairQueue<Waiter>()]));
  let running = 0;
  const enter = async ({ queue: name, group }: WaitingPlace<Queue>): Promise<void> => {
    if (running < options.maxRunning) {
      running += 1;
      return;
    }
    const queue = queues.get(name) as FairQueue<Waiter>;
    if (queue.countOf(group) >= (options.maxQueuedPerGroup ?? options.maxQueued)) throw queueFull();
    if (queue.size >= options.maxQueued) makeRoom(queue, group);
    // Work that ends hands its place over, so `running` stays as it is.
    await new Promise<void>((start, refuse) => queue.push(group, { start, refuse }));
  };
  const leave = () => {
    for (const [name, queue] of queues) {
      const waiter = queue.shift();
      if (!waiter) continue;
      // To the end of the round: a Map keeps the order of insertion.
      queues.delete(name);
      queues.set(name, queue);
      waiter.start();
      return;
    }
    running -= 1;
  };
  return {
    async run(place, work) {
      await enter(place);
      try {
        return await work();
      } finally {
        leave();
      }
    },
  };
}

/** @throws {GateFullError} when no other group has more places than this one would have then */
function makeRoom(queue: FairQueue<Waiter>, group: string): void {
  if (queue.largestCount <= queue.countOf(group) + 1) throw queueFull();
  queue.dropOfLargest()?.refuse(queueFull());
}

const queueFull = () => new GateFullError('too many are waiting');
