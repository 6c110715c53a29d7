import { loadConfig } from '../../shared/config/config.js';
import type { ProcessKind } from '../../shared/config/config-contradictions.js';
import type { Foundation } from '../../shared/platform/process/run-process.js';
import { createFoundation } from '../../shared/platform/process/runtime.js';
import { EXIT, type ExitCode, toCliError } from '../cli/exit-codes.js';

const CLOSE_DEADLINE_MS = 20_000;

/**
 * Runs a task that ends by itself, such as a release, and closes what it opened. Resolves with exit
 * code 0 or 1 and prints the reason of a failure on standard error. Never rejects.
 */
export async function runOnce(
  { kind, name }: { kind: ProcessKind; name: string },
  task: (foundation: Foundation) => Promise<void>,
): Promise<ExitCode> {
  let foundation: Foundation | undefined;
  try {
    foundation = createFoundation(loadConfig(kind), name);
    const running = task(foundation);
    foundation.lifecycle.closeOnSignals(running);
    await running;
    return EXIT.ok;
  } catch (error) {
    process.stderr.write(`${name}: ${toCliError(error).message}\n`);
    foundation?.logger.debug({ err: error }, `${name} failed`);
    return EXIT.failed;
  } finally {
    await foundation?.lifecycle.close(CLOSE_DEADLINE_MS);
  }
}
