import type { Config } from '../../config/config.js';
import { type Lifecycle, ShutdownRequested, type SignalOptions } from '../lifecycle.js';
import type { Logger } from '../logger.js';
import { describeStartFailure } from '../start-failure.js';

export interface Foundation {
  config: Config;
  logger: Logger;
  lifecycle: Lifecycle;
  /**
   * The reasons why the start is still waiting, by name of the check. /readyz shows them during the
   * start.
   */
  startBlockers: Map<string, string>;
}

/**
 * Runs an entry point, and closes the process on SIGTERM and SIGINT. If the start fails, closes the
 * opened parts, prints one line to stderr and exits with 1. An uncaught error also ends the
 * process, because its state is then unknown. The supervisor starts a new process.
 */
export async function runProcess(
  prepare: () => Foundation,
  start: (foundation: Foundation) => Promise<void>,
  options: Pick<SignalOptions, 'startGraceMs'> = {},
): Promise<void> {
  const foundation = prepareOrExit(prepare);
  const { config, logger, lifecycle } = foundation;
  const closeAndExit = (error: unknown, kind: string) => {
    logger.fatal({ err: error }, kind);
    void lifecycle.close(5000).then(() => process.exit(1));
  };
  process.on('uncaughtException', (error) => closeAndExit(error, 'uncaught exception'));
  process.on('unhandledRejection', (error) => closeAndExit(error, 'unhandled rejection'));
  for (const warning of config.warnings) logger.warn(warning);
  const started = start(foundation).catch((error: unknown) => {
    if (!(error instanceof ShutdownRequested)) throw error;
  });
  lifecycle.closeOnSignals(started, { ...options, delayMs: config.shutdownDelayMs });
  try {
    await started;
  } catch (error) {
    process.stderr.write(`${describeStartFailure(error)}\n`);
    logger.debug({ err: error }, 'start failed');
    // If a stop signal arrived during the start, the signal's handler closes the process and exits.
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
