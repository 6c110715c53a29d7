const PAUSE_MS = 50;

/**
 * Calls the probe repeatedly until it returns a value other than undefined and false, and resolves
 * with this value.
 * @throws {Error} after `timeoutMs`, with the condition in the message
 */
export async function eventually<T>(
  condition: string,
  probe: () => Promise<T | undefined | false> | T | undefined | false,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > deadline) throw new Error(`did not happen within ${timeoutMs} ms: ${condition}`);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}
