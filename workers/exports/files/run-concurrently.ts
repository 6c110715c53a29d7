/**
 * Waits for both tasks. If one fails, the signal aborts the other.
 * @param signal aborts both
 * @throws the first error
 */
export async function runConcurrently<T>(
  signal: AbortSignal | undefined,
  startTasks: (signal: AbortSignal) => [Promise<T>, Promise<unknown>],
): Promise<T> {
  const failure = new AbortController();
  const combined = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const [first, second] = startTasks(combined);
  const guard = <R>(task: Promise<R>): Promise<R> =>
    task.catch((error: unknown) => {
      failure.abort(error);
      throw error;
    });
  const [result] = await Promise.allSettled([guard(first), guard(second)]);
  if (failure.signal.aborted || result.status === 'rejected') throw failure.signal.reason;
  return result.value;
}

/** Rejects if the signal is aborted first. The caller must then end the abandoned task. */
export async function rejectOnAbort<T>(task: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return task;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  return Promise.race([task, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
