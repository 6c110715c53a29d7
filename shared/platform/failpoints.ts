import type { Config } from './config.js';

/**
 * Kills this process with SIGKILL when a test switched the named place on (FAILPOINTS); does nothing otherwise, and production refuses the
 * setting. It stands where a power cut would do the most harm.
 */
export function failpoint(config: Config, name: string): void {
  if (config.failpoints.has(name)) process.kill(process.pid, 'SIGKILL');
}
