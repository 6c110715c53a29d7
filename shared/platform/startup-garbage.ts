import { Session } from 'node:inspector/promises';
import type { Logger } from './logger.js';

/** By then all that starting needs has been done: modules, schemas, documents. */
const AFTER_MS = 3000;

/**
 * Collects once what starting has left. V8 lets it lie until the heap grows again, which in a process that has nothing to do is never: a third of the
 * resident memory of an idle process was such garbage. It takes some 20 to 80 ms, once. The inspector's own command needs neither a flag nor an open port.
 */
export function collectStartupGarbage(logger: Logger): void {
  setTimeout(() => {
    collect().catch((error: unknown) => {
      logger.warn({ err: error }, 'what starting left in memory was not collected');
    });
  }, AFTER_MS).unref();
}

async function collect(): Promise<void> {
  const session = new Session();
  session.connect();
  try {
    await session.post('HeapProfiler.collectGarbage');
  } finally {
    session.disconnect();
  }
}
