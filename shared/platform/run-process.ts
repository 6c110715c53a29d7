import { ConfigError } from './config.js';
import type { Lifecycle } from './lifecycle.js';
import type { Logger } from './logger.js';

/**
 * Runs an entry point: starts it, closes it on SIGTERM and SIGINT, and turns a failed start into a message and exit code 1. A fault that
 * nobody caught ends the process too: it may hold anything by then, and its supervisor starts a clean one.
 */
export async function runProcess(start: () => Promise<{ logger: Logger; lifecycle: Lifecycle }>): Promise<void> {
  try {
    const { logger, lifecycle } = await start();
    lifecycle.closeOnSignals();
    const die = (error: unknown, kind: string) => {
      logger.fatal({ err: error }, kind);
      void lifecycle.close(5000).then(() => process.exit(1));
    };
    process.on('uncaughtException', (error) => die(error, 'uncaught exception'));
    process.on('unhandledRejection', (error) => die(error, 'unhandled rejection'));
  } catch (error) {
    process.stderr.write(`${error instanceof ConfigError ? error.message : describe(error)}\n`);
    process.exit(1);
  }
}

function describe(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}
