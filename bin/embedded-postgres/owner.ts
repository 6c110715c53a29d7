/** A lock that lets only one process at a time use a DATA_DIR: a file with the pid of its owner. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { findErrorCode, isAlive, readProcessStartId } from './process.js';

const MAX_ATTEMPTS = 5;

export interface OwnerLock {
  /** Removes the file, unless another process has taken the lock over. */
  release(): Promise<void>;
}

/** Thrown if a running process owns the lock. */
export class AlreadyOwnedError extends Error {
  constructor(
    readonly pid: number,
    message: string,
  ) {
    super(message);
    this.name = 'AlreadyOwnedError';
  }
}

async function readIfExists(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Returns the pid in a lock file if that process still runs. The start id shows whether the system
 * has given the pid to a later process.
 */
async function findRunningOwner(content: string): Promise<number | undefined> {
  const [pidText = '', startId = ''] = content.split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || !(await isAlive(pid))) return undefined;
  return startId === '' || startId === (await readProcessStartId(pid)) ? pid : undefined;
}

/**
 * Removes the lock file of an owner that has ended. Two starting processes may read the same file.
 * The slower process could then remove the file of the new owner. So the file is first moved away
 * and compared. If its content has changed, the file is put back.
 */
async function removeStale(file: string, expectedContent: string, aside: string): Promise<void> {
  try {
    await rename(file, aside);
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== expectedContent) await link(aside, file);
  await unlink(aside);
}

/**
 * Creates the lock file with the pid and the start id of its owner, one per line. Replaces a file
 * that a killed process left.
 * @param file an absolute path
 * @param place the owned folder, for the error message
 * @throws {AlreadyOwnedError} `another process (pid N) already runs in DATA_DIR …` if the owner is
 * running
 */
export async function acquireOwnerLock(file: string, place: string): Promise<OwnerLock> {
  const content = `${process.pid}\n${await readProcessStartId(process.pid)}\n`;
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  // Write a draft first, because link() creates the lock file with its whole content in one step.
  await writeFile(draft, content, { flag: 'wx', mode: 0o644 });
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        await link(draft, file);
        return { release: () => releaseOwnership(file, content) };
      } catch (error) {
        if (findErrorCode(error) !== 'EEXIST') throw error;
      }
      const found = await readIfExists(file);
      if (found === undefined) continue;
      const owner = await findRunningOwner(found);
      if (owner !== undefined) {
        const ownerLabel = owner === process.pid ? 'this process' : 'another process';
        throw new AlreadyOwnedError(
          owner,
          `${ownerLabel} (pid ${owner}) already runs in DATA_DIR ${place}; stop it first (see ${file})`,
        );
      }
      await removeStale(file, found, `${draft}.stale`);
    }
    throw new Error(`cannot take over ${file}: other processes keep changing it`);
  } finally {
    await unlink(draft);
  }
}

async function releaseOwnership(file: string, content: string): Promise<void> {
  if ((await readIfExists(file)) === content) await unlink(file);
}
