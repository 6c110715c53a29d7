import type { Caller } from '../context/caller.js';
import type { ToolCall } from '../tools/tool.js';

/**
 * Interval of progress notifications. A write that ends within the first interval gets one JSON
 * response without progress.
 */
const PROGRESS_INTERVAL_MS = 1000;

/**
 * Waits for `work` and returns its result. Sends a progress notification each second during the
 * wait, if the client sent `_meta.progressToken`. The client can then extend its time limit. The
 * notifications have no total, because the server cannot predict how long the queue takes.
 */
export async function reportProgress<T>(
  { notify }: Caller,
  { meta: { progressToken } }: ToolCall,
  work: Promise<T>,
): Promise<T> {
  if (!notify || (typeof progressToken !== 'string' && typeof progressToken !== 'number')) return work;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const message = progress === 1 ? 'Queued.' : `Waiting for the worker, ${progress} seconds so far.`;
    notify({ method: 'notifications/progress', params: { progressToken, progress, message } });
  }, PROGRESS_INTERVAL_MS);
  return work.finally(() => clearInterval(timer));
}
