import type { Config } from './config.js';

/**
 * Kills this process with SIGKILL if FAILPOINTS contains `name`. Only tests set FAILPOINTS;
 * production refuses it. Failpoints mark the places where a power failure would do the most damage.
 */
export function failpoint(config: Config, name: string): void {
  if (config.failpoints.has(name)) process.kill(process.pid, 'SIGKILL');
}
