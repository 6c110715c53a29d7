import type { Config } from './config.js';
import { type Lifecycle, ShutdownRequested, type SignalOptions } from './lifecycle.js';
import type { Logger } from './logger.js';
import { describeStartFailure } from './start-failure.js';

export interface Foundation {
  config: Config;
  logger: Logger;
  lifecycle: Lifecycle;
  /** What the start waits for and why, by check. /readyz shows it until the process has started. */
  obstacles: Map<string, string>;
}

/**
 * Runs an entry point: starts it, closes it on SIGTERM and SIGINT, and turns a failed start into
 * one line and exit code 1, with whatever was opened closed again. A fault that nobody caught ends
 * the process too: it may hold anything by then, and its supervisor starts a clean one.
 */
export async function runProcess(
  prepare: () => Foundation,
  start: (foundation: Foundation) => Promise<void>,
  options: Pick<SignalOptions, 'startGraceMs'> = {},
): Promise<void> {
  const foundation = prepareOrExit(prepare);
  const { config, logger, lifecycle } = foundation;
  const die = (error: unknown, kind: string) => {
    logger.fatal({ err: error }, kind);
    void lifecycle.close(5000).then(() => process.exit(1));
  };
  process.on('uncaughtException', (error) => die(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => die(error, 'unhandled rejection'));
  for (const warning of config.warnings) logger.warn(warning);
  const started = start(foundation).catch((error: unknown) => {
    if (!(error instanceof ShutdownRequested)) throw error;
  });
  lifecycle.closeOnSignals(started, { ...options, delayMs: config.shutdownDelayMs });
  try {
    await started;
  } catch (error) {
    process.stderr.write(`${describeStartFailure(error)}\n`);
    logger.debug({ err: error }, 'the start failed');
    // The handler of a signal that came meanwhile closes and exits.
    if (lifecycle.isClosing) return;
    await lifecycle.close();
    process.exit(1);
  }
}

function prepareOrExit(prepare: () => Foundation): Foundation {
  try {
    return prepare();
  } catch (error) {
    process.stderr.write(`${describeStartFailure(error)}\n`);
    process.exit(1);
  }
}
