import { openWritesQueue, type WritesQueue } from '../../../shared/queues/writes.js';
import type { TestStack } from '../stack.js';

export interface PausedWrites {
  queue: WritesQueue;
  /** Lets the worker run the writes that wait in the queue. */
  resume: () => Promise<void>;
}

/**
 * Pauses the writes queue before each test of a `describe`, so that no worker commits a write while
 * the client waits. Resumes the queue after each test.
 */
export function usePausedWrites(stack: TestStack): PausedWrites {
  let queue: WritesQueue;
  const resume = () => queue.resume();
  before(() => {
    queue = openWritesQueue(stack.runtime);
  });
  beforeEach(() => queue.pause());
  afterEach(resume);
  return {
    get queue() {
      return queue;
    },
    resume,
  };
}
