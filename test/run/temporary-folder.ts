import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { join } from 'node:path';

const IN_MEMORY = '/dev/shm';
/** What the data of one process of the tests may take. */
const NEEDED_BYTES = 4 * 1024 ** 3;
const NAME = /^tow-tests-(\d+)-/;

/**
 * Creates the folder in which a test run keeps its databases and other temporary files. Where there
 * is room, it is in memory: a clone of a database has a thousand files, which takes 36 ms there and
 * 170 ms on a disk. Removes the folders of runs that were killed.
 * @returns the folder and a function that removes it, or undefined where memory has no room, or the
 *   environment names a folder (`TMPDIR`)
 */
export function createTemporaryFolder(processes: number): { path: string; remove: () => void } | undefined {
  if (process.env.TMPDIR || !hasRoom(processes * NEEDED_BYTES)) return undefined;
  for (const name of readdirSync(IN_MEMORY)) {
    const pid = Number(NAME.exec(name)?.[1]);
    if (pid && !isAlive(pid)) remove(join(IN_MEMORY, name));
  }
  const path = mkdtempSync(join(IN_MEMORY, `tow-tests-${process.pid}-`));
  // As /tmp: PostgreSQL, and some tests, run as other system accounts.
  chmodSync(path, 0o1777);
  return { path, remove: () => remove(path) };
}

/** Removes a folder. Reports what stays, which a killed test may still write to or have mounted. */
function remove(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  } catch (error) {
    process.stderr.write(`${path} takes memory until you remove it: ${(error as Error).message}\n`);
  }
}

function hasRoom(bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(IN_MEMORY);
    return bavail * bsize >= bytes && process.availableMemory() >= bytes;
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process of another account.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
