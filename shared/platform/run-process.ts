import { type Config, ConfigError } from './config.js';
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

function describe(error: unknown): string {
  if (error instanceof ConfigError) return error.message;
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
