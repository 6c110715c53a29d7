import { GateFullError } from './gate.js';
import { type QueuePlace, SiteQueue } from './site-queue.js';

/** Where a piece of work waits. */
export interface WaitingPlace<Queue extends string> extends QueuePlace {
  /** Queues take turns, so that a full one keeps no other waiting. */
  queue: Queue;
}

/** Bounds how much work runs at once, and shares it fairly among those that wait. */
export interface FairLimit<Queue extends string> {
  /**
   * Runs the work when it is its turn. A full queue makes room for a site or group that has fewer
   * waiting: the one that has the most loses its last.
   * @throws {GateFullError} at once when there is no place, for anybody or for this group; later when
   * the place is given to another group, or when the work has waited too long
   */
  run<T>(place: WaitingPlace<Queue>, work: () => Promise<T>): Promise<T>;
}

export interface FairLimitOptions<Queue extends string> {
  queues: readonly Queue[];
  maxRunning: number;
  /** How much of it one group may take. Default: all of it. */
  maxRunningPerGroup?: number;
  /** In each queue. Default: unbounded. */
  maxQueued?: number;
  /** Of one group in each queue. Default: as many as the queue has places. */
  maxQueuedPerGroup?: number;
  /** Default: for ever. */
  maxWaitMs?: number;
}

interface Waiter {
  group: string;
  start: () => void;
  refuse: (reason: GateFullError) => void;
}

export function createFairLimit<Queue extends string>(options: FairLimitOptions<Queue>): FairLimit<Queue> {
  const { maxRunning, maxRunningPerGroup = maxRunning, maxQueued = Number.POSITIVE_INFINITY } = options;
  const { maxQueuedPerGroup = maxQueued, maxWaitMs } = options;
  const queues = new Map(options.queues.map((name) => [name, new SiteQueue<Waiter>()]));
  const runningOf = new Map<string, number>();
  let running = 0;

  const mayRun = (group: string) => running < maxRunning && (runningOf.get(group) ?? 0) < maxRunningPerGroup;
  const count = (group: string, change: 1 | -1) => {
    running += change;
    const left = (runningOf.get(group) ?? 0) + change;
    if (left === 0) runningOf.delete(group);
    else runningOf.set(group, left);
  };
  const enter = async (place: WaitingPlace<Queue>): Promise<void> => {
    const { queue: name, group } = place;
    if (mayRun(group)) return count(group, 1);
    const queue = queues.get(name) as SiteQueue<Waiter>;
    if (queue.countOf(place) >= maxQueuedPerGroup) throw queueFull();
    if (queue.size >= maxQueued) makeRoom(queue, place);
    await wait(queue, place, maxWaitMs);
  };
  const leave = (group: string) => {
    count(group, -1);
    for (const [name, queue] of queues) {
      const waiter = queue.shift(mayRun);
      if (!waiter) continue;
      // To the end of the round: a Map keeps the order of insertion.
      queues.delete(name);
      queues.set(name, queue);
      count(waiter.group, 1);
      waiter.start();
      return;
    }
  };
  return {
    async run(place, work) {
      await enter(place);
      try {
        return await work();
      } finally {
        leave(place.group);
      }
    },
  };
}

function wait(queue: SiteQueue<Waiter>, place: QueuePlace, maxWaitMs: number | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      settle();
    };
    const waiter: Waiter = {
      group: place.group,
      start: () => end(resolve),
      refuse: (reason) => end(() => reject(reason)),
    };
    const giveUp = () => {
      queue.remove(place, waiter);
      reject(new GateFullError('waited too long'));
    };
    const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
    queue.push(place, waiter);
  });
}

/** @throws {GateFullError} when no site or group has more places than this one would have then */
function makeRoom(queue: SiteQueue<Waiter>, place: QueuePlace): void {
  const dropped = queue.dropFor(place);
  if (!dropped) throw queueFull();
  dropped.refuse(queueFull());
}

const queueFull = () => new GateFullError('too many are waiting');
