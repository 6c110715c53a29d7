import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Puts all files of a command into one folder, which the exit handler removes. Call it after the
 * modules that end programs were imported, because handlers run in the order of their addition.
 */
export function useOwnFolder(prefix: string): void {
  const folder = mkdtempSync(join(tmpdir(), prefix));
  // PostgreSQL runs as another account if root runs the command.
  chmodSync(folder, 0o755);
  process.env.TMPDIR = folder;
  process.once('exit', () =>
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }),
  );
}
