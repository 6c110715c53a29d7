import { closeSync, constants, fchownSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { SystemAccount } from './system-account.js';

const MAX_LOG_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 4_000;

/**
 * Opens the log for appending, with mode 0600 and owned by the account. First empties a log of more
 * than 10 MiB. The caller closes `fd`.
 */
export function openLog(file: string, account: SystemAccount | undefined): { fd: number; size: number } {
  // The account owns the folder and could put a symbolic link in place of the log. O_NOFOLLOW keeps
  // root from following it.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  const fd = openSync(file, flags, 0o600);
  try {
    if (account !== undefined) fchownSync(fd, account.uid, account.gid);
    if (fstatSync(fd).size > MAX_LOG_BYTES) ftruncateSync(fd, 0);
    return { fd, size: fstatSync(fd).size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** Returns what was written after the first `from` bytes, at most the last 4000 bytes. */
export async function readLogEnd(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const start = Math.max(from, (await handle.stat()).size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}
