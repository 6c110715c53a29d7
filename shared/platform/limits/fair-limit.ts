import { type FairShareKey, SiteQueue } from './site-queue.js';
import { RunTimeShares } from './time-shares.js';

export interface FairLimitKey<Queue extends string> extends FairShareKey {
  /**
   * Name of the queue in which the work waits. Free capacity goes round-robin to the queues, so a
   * full queue does not block the others.
   */
  queue: Queue;
}

/** A concurrency limit that shares its capacity fairly between the waiting groups. */
export interface FairLimit<Queue extends string> {
  /**
   * Runs the work as soon as the limits and fair sharing allow. A full queue makes room by refusing
   * a waiting item of a larger site or group (see {@link SiteQueue.makeRoomFor}).
   * @throws {TooManyWaitingError} immediately if too much work of the group waits, or if a full
   * queue cannot make room. Thrown later if this work loses its place to work of another group, or
   * has waited `maxWaitMs`
   */
  run<T>(place: FairLimitKey<Queue>, work: () => Promise<T>): Promise<T>;
}

export interface FairLimitOptions<Queue extends string> {
  queues: readonly Queue[];
  maxRunning: number;
  /** Maximum running items per queue. Default: maxRunning. */
  maxRunningPerQueue?: number;
  /** Maximum running items per group in each queue. Default: maxRunning. */
  maxRunningPerGroup?: number;
  /** Maximum waiting items per queue. Default: unbounded. */
  maxQueued?: number;
  /** Maximum waiting items per group in each queue. Default: maxQueued. */
  maxQueuedPerGroup?: number;
  /** Default: no time limit. */
  maxWaitMs?: number;
  /**
   * If true, the group whose work has run for the least time is next. A new group then overtakes
   * groups that flood the limit. Safe only if clients cannot invent groups, because each invented
   * group would overtake the others. Default: round-robin between groups.
   */
  leastTimeFirst?: boolean;
  /** A monotonic clock in milliseconds. Default: `performance.now()`. */
  now?: () => number;
}

/** Thrown if the work waited too long or was refused because the queue was full. */
export class TooManyWaitingError extends Error {
  override readonly name = 'TooManyWaitingError';
}

interface Waiter {
  group: string;
  start: () => void;
  refuse: (reason: TooManyWaitingError) => void;
}

/** The waiting work of a queue, and counts of its running work. */
interface QueueState {
  waiting: SiteQueue<Waiter>;
  running: number;
  runningByGroup: Map<string, number>;
  times: RunTimeShares | undefined;
}

export function createFairLimit<Queue extends string>(options: FairLimitOptions<Queue>): FairLimit<Queue> {
  const { maxRunning, maxRunningPerQueue = maxRunning, maxRunningPerGroup = maxRunning } = options;
  const { maxQueued = Number.POSITIVE_INFINITY, maxQueuedPerGroup = maxQueued, maxWaitMs } = options;
  const queues = new Map(options.queues.map((name) => [name, createQueue(options)]));
  let running = 0;

  const canRun = (queue: QueueState, group: string) =>
    running < maxRunning &&
    queue.running < maxRunningPerQueue &&
    (queue.runningByGroup.get(group) ?? 0) < maxRunningPerGroup;
  const adjustRunning = (queue: QueueState, group: string, change: 1 | -1) => {
    running += change;
    queue.running += change;
    const remaining = (queue.runningByGroup.get(group) ?? 0) + change;
    if (remaining === 0) queue.runningByGroup.delete(group);
    else queue.runningByGroup.set(group, remaining);
  };
  const enter = async (queue: QueueState, place: FairShareKey): Promise<void> => {
    if (canRun(queue, place.group)) return adjustRunning(queue, place.group, 1);
    const { waiting } = queue;
    if (waiting.countMembers(place) >= maxQueuedPerGroup) throw createTooManyWaitingError();
    if (waiting.size >= maxQueued) makeRoom(waiting, place);
    await waitForStart(waiting, place, maxWaitMs);
  };
  const startNext = () => {
    for (const [name, queue] of queues) {
      const { times } = queue;
      const waiter = queue.waiting.shift(
        (group) => canRun(queue, group),
        times && ((group) => times.getRunTimeMs(group)),
      );
      if (!waiter) continue;
      // Move the queue to the end of the round: a Map iterates in insertion order.
      queues.delete(name);
      queues.set(name, queue);
      adjustRunning(queue, waiter.group, 1);
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
          adjustRunning(queue, group, -1);
          startNext();
        }
      } finally {
        times?.leave(group);
      }
    },
  };
}

function createQueue({ leastTimeFirst, now }: FairLimitOptions<string>): QueueState {
  const times = leastTimeFirst ? new RunTimeShares(now) : undefined;
  return { waiting: new SiteQueue(), running: 0, runningByGroup: new Map(), times };
}

function waitForStart(
  queue: SiteQueue<Waiter>,
  place: FairShareKey,
  maxWaitMs: number | undefined,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const finish = (finishPromise: () => void) => {
      clearTimeout(timer);
      finishPromise();
    };
    const waiter: Waiter = {
      group: place.group,
      start: () => finish(resolve),
      refuse: (reason) => finish(() => reject(reason)),
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
 * Refuses a waiting item so that the new item can wait.
 * @throws {TooManyWaitingError} if {@link SiteQueue.makeRoomFor} finds no item to refuse
 */
function makeRoom(queue: SiteQueue<Waiter>, place: FairShareKey): void {
  const dropped = queue.makeRoomFor(place);
  if (!dropped) throw createTooManyWaitingError();
  dropped.refuse(createTooManyWaitingError());
}

const createTooManyWaitingError = () => new TooManyWaitingError('too many are waiting');
