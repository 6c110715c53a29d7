import { type QueuePlace, SiteQueue } from './site-queue.js';
import { TimeShares } from './time-shares.js';

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
   * @throws {TooManyWaitingError} at once when there is no place, for anybody or for this group;
   * later when the place is given to another group, or when the work has waited too long
   */
  run<T>(place: WaitingPlace<Queue>, work: () => Promise<T>): Promise<T>;
}

export interface FairLimitOptions<Queue extends string> {
  queues: readonly Queue[];
  maxRunning: number;
  /** How much of it one queue may take. Default: all of it. */
  maxRunningPerQueue?: number;
  /** How much of it one group may take in each queue. Default: all of it. */
  maxRunningPerGroup?: number;
  /** In each queue. Default: unbounded. */
  maxQueued?: number;
  /** Of one group in each queue. Default: as many as the queue has places. */
  maxQueuedPerGroup?: number;
  /** Default: for ever. */
  maxWaitMs?: number;
  /**
   * The group whose work has run for the least time comes next, so a newcomer overtakes those that
   * flood. Only for groups that nobody can invent. Default: groups take turns.
   */
  leastTimeFirst?: boolean;
  /** Milliseconds that only grow. Default: the process's own clock. */
  now?: () => number;
}

/** Work that waited too long, or found no place to wait in. */
export class TooManyWaitingError extends Error {
  override readonly name = 'TooManyWaitingError';
}

interface Waiter {
  group: string;
  start: () => void;
  refuse: (reason: TooManyWaitingError) => void;
}

/** What waits in a queue, and what runs that came through it. */
interface QueueState {
  waiting: SiteQueue<Waiter>;
  running: number;
  runningOf: Map<string, number>;
  times: TimeShares | undefined;
}

export function createFairLimit<Queue extends string>(options: FairLimitOptions<Queue>): FairLimit<Queue> {
  const { maxRunning, maxRunningPerQueue = maxRunning, maxRunningPerGroup = maxRunning } = options;
  const { maxQueued = Number.POSITIVE_INFINITY, maxQueuedPerGroup = maxQueued, maxWaitMs } = options;
  const queues = new Map(options.queues.map((name) => [name, createQueue(options)]));
  let running = 0;

  const mayRun = (queue: QueueState, group: string) =>
    running < maxRunning &&
    queue.running < maxRunningPerQueue &&
    (queue.runningOf.get(group) ?? 0) < maxRunningPerGroup;
  const count = (queue: QueueState, group: string, change: 1 | -1) => {
    running += change;
    queue.running += change;
    const left = (queue.runningOf.get(group) ?? 0) + change;
    if (left === 0) queue.runningOf.delete(group);
    else queue.runningOf.set(group, left);
  };
  const enter = async (queue: QueueState, place: QueuePlace): Promise<void> => {
    if (mayRun(queue, place.group)) return count(queue, place.group, 1);
    const { waiting } = queue;
    if (waiting.countOf(place) >= maxQueuedPerGroup) throw tooManyWaiting();
    if (waiting.size >= maxQueued) makeRoom(waiting, place);
    await wait(waiting, place, maxWaitMs);
  };
  const startNext = () => {
    for (const [name, queue] of queues) {
      const { times } = queue;
      const waiter = queue.waiting.shift(
        (group) => mayRun(queue, group),
        times && ((group) => times.msOf(group)),
      );
      if (!waiter) continue;
      // To the end of the round: a Map keeps the order of insertion.
      queues.delete(name);
      queues.set(name, queue);
      count(queue, waiter.group, 1);
      waiter.start();
      return;
    }
  };
  return {
    async run(place, work) {
      const { group } = place;
      const queue = queues.get(place.queue) as QueueState;
      const { times } = queue;
      times?.join(group);
      try {
        await enter(queue, place);
        try {
          return await (times ? times.measure(group, work) : work());
        } finally {
          count(queue, group, -1);
          startNext();
        }
      } finally {
        times?.leave(group);
      }
    },
  };
}

function createQueue({ leastTimeFirst, now }: FairLimitOptions<string>): QueueState {
  const times = leastTimeFirst ? new TimeShares(now) : undefined;
  return { waiting: new SiteQueue(), running: 0, runningOf: new Map(), times };
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
      reject(new TooManyWaitingError('waited too long'));
    };
    const timer = maxWaitMs === undefined ? undefined : setTimeout(giveUp, maxWaitMs);
    queue.push(place, waiter);
  });
}

/**
 * @throws {TooManyWaitingError} when no other site or group has more places than this would have
 * then
 */
function makeRoom(queue: SiteQueue<Waiter>, place: QueuePlace): void {
  const dropped = queue.dropFor(place);
  if (!dropped) throw tooManyWaiting();
  dropped.refuse(tooManyWaiting());
}

const tooManyWaiting = () => new TooManyWaitingError('too many are waiting');
