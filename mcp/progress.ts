import type { ToolCall } from './tools/tool.js';

/** What is answered within it is answered as ever, in one JSON answer. */
const EVERY_MS = 1000;

/**
 * Tells the client of a call that waits for its worker, each second, when it asked to be told (`_meta.progressToken`): so it knows that the call
 * lives, and may wait on. There is no total: nobody knows how long a queue takes.
 */
export async function toldOf<T>({ meta, aside }: ToolCall, work: Promise<T>): Promise<T> {
  const { progressToken } = meta;
  if (!aside || (typeof progressToken !== 'string' && typeof progressToken !== 'number')) return work;
  let progress = 0;
  const timer = setInterval(() => {
    progress += 1;
    const message = progress === 1 ? 'Queued.' : `Waiting for the worker, ${progress} seconds so far.`;
    aside.tell({ method: 'notifications/progress', params: { progressToken, progress, message } });
  }, EVERY_MS);
  return work.finally(() => clearInterval(timer));
}
