/**
 * Runs two works that need each other: when one fails, the signal ends the other, and neither is left behind.
 * @param signal ends both
 * @throws what failed first
 */
export async function together<T>(
  signal: AbortSignal | undefined,
  works: (signal: AbortSignal) => [Promise<T>, Promise<unknown>],
): Promise<T> {
  const failure = new AbortController();
  const either = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const [first, second] = works(either);
  const guard = <R>(work: Promise<R>): Promise<R> =>
    work.catch((error: unknown) => {
      failure.abort(error);
      throw error;
    });
  const [result] = await Promise.allSettled([guard(first), guard(second)]);
  if (failure.signal.aborted || result.status === 'rejected') throw failure.signal.reason;
  return result.value;
}

/** The work's result, unless the signal comes first; what becomes of the work then is for its owner to end. */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work;
  let stop = () => {};
  const aborted = new Promise<never>((_resolve, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
  });
  return Promise.race([work, aborted]).finally(() => signal.removeEventListener('abort', stop));
}
