/** The log file the server writes to. */
import { closeSync, constants, fchownSync, fstatSync, ftruncateSync, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Account } from './account.js';

const LIMIT_BYTES = 10 * 1024 * 1024;
const TAIL_BYTES = 4_000;

/**
 * Opens the log for appending, as the account's file (mode 0600); emptied first when it has grown over 10 MB.
 * Returns an open descriptor, for the caller to close, and the size in bytes.
 */
export function openLog(file: string, account: Account | undefined): { fd: number; size: number } {
  // The folder belongs to the account: as root, do not follow a link it may have put there.
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_APPEND | constants.O_NOFOLLOW;
  const fd = openSync(file, flags, 0o600);
  try {
    if (account !== undefined) fchownSync(fd, account.uid, account.gid);
    if (fstatSync(fd).size > LIMIT_BYTES) ftruncateSync(fd, 0);
    return { fd, size: fstatSync(fd).size };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** What was written to the log after its first `from` bytes; the last 4000 bytes of it when it is more. */
export async function logTail(file: string, from: number): Promise<string> {
  const handle = await open(file, 'r');
  try {
    const start = Math.max(from, (await handle.stat()).size - TAIL_BYTES);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(TAIL_BYTES), 0, TAIL_BYTES, start);
    return buffer.toString('utf8', 0, bytesRead).trim();
  } finally {
    await handle.close();
  }
}
