import { type Config, ConfigError } from './config.js';
import { errorCodeOf } from './errors.js';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './logger.js';

export interface Foundation {
  config: Config;
  logger: Logger;
  lifecycle: Lifecycle;
}

/**
 * Runs an entry point: starts it, closes it on SIGTERM and SIGINT, and turns a failed start into a message and exit code 1, with whatever was
 * opened closed again. A fault that nobody caught ends the process too: it may hold anything by then, and its supervisor starts a clean one.
 */
export async function runProcess(
  prepare: () => Foundation,
  start: (foundation: Foundation) => Promise<void>,
): Promise<void> {
  const foundation = prepareOrExit(prepare);
  const { logger, lifecycle } = foundation;
  const die = (error: unknown, kind: string) => {
    logger.fatal({ err: error }, kind);
    void lifecycle.close(5000).then(() => process.exit(1));
  };
  process.on('uncaughtException', (error) => die(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => die(error, 'unhandled rejection'));
  const started = start(foundation);
  lifecycle.closeOnSignals(started);
  try {
    await started;
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    await lifecycle.close();
    process.exit(1);
  }
}

function prepareOrExit(prepare: () => Foundation): Foundation {
  try {
    return prepare();
  } catch (error) {
    process.stderr.write(`${describe(error)}\n`);
    process.exit(1);
  }
}

/** What a person is told about a failed start: a sentence where it is theirs to mend, the whole stack where it is ours. */
function describe(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  if (errorCodeOf(error) === 'EADDRINUSE')
    return describeTakenPort(error as { address?: string; port?: number });
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function describeTakenPort({ address, port }: { address?: string; port?: number }): string {
  return `The port ${port} of ${address} is taken by another program. Stop that one, or set PORT to a free port (for example PORT=${Number(port) + 1}).`;
}
