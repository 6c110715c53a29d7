/**
 * Starts two tasks, waits for both, and returns the result of the first. Both tasks get the same
 * signal, which is aborted when one of them fails.
 * @param signal aborts both tasks
 * @throws the error of the task that failed first
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

/**
 * Waits for a task, but rejects as soon as the signal is aborted. The task itself continues, so the
 * caller must end it.
 */
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
