const PAUSE_MS = 50;

/** The pause between two loads of a page. A load takes some 50 ms of CPU time. */
export const RELOAD_PAUSE_MS = 1000;

/**
 * Calls the probe repeatedly until it returns a value other than undefined and false, and resolves
 * with this value.
 * @param pauseMs the pause between two calls, longer if a call takes much CPU time
 * @throws {Error} after `timeoutMs`, with the condition in the message
 */
export async function eventually<T>(
  condition: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 20_000,
  pauseMs = PAUSE_MS,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`did not happen within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
