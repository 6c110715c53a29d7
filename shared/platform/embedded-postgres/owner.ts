/** The lock that gives one process at a time the use of a DATA_DIR: a file with the pid of its owner. */
import { randomBytes } from 'node:crypto';
import { link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { errorCode, isAlive, processBirth } from './process.js';

const MAX_ATTEMPTS = 5;

/** Held ownership. */
export interface OwnerLock {
  /** Gives the ownership up; does nothing when the file is no longer ours. */
  release(): Promise<void>;
}

/** Somebody who lives has it. */
export class OwnedError extends Error {
  constructor(
    readonly pid: number,
    message: string,
  ) {
    super(message);
    this.name = 'OwnedError';
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The pid in an owner file if that very process still runs (not another one that got the same pid later). */
async function livingOwner(content: string): Promise<number | undefined> {
  const [pidText = '', birth = ''] = content.split('\n');
  const pid = Number(pidText);
  if (!Number.isInteger(pid) || pid <= 0 || !(await isAlive(pid))) return undefined;
  return birth === '' || birth === (await processBirth(pid)) ? pid : undefined;
}

/**
 * Removes the file of an owner that is gone. Two starters may judge the same file at once; the slower one could
 * remove the new owner's file, so the file is moved away first, compared, and put back if it is not the judged one.
 */
async function removeStale(file: string, judged: string, aside: string): Promise<void> {
  try {
    await rename(file, aside);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  if ((await readFile(aside, 'utf8')) !== judged) await link(aside, file);
  await unlink(aside);
}

/**
 * Takes the ownership recorded in `file` (absolute; first line the pid, second the birth of that process).
 * A file left by a process that was killed is taken over.
 * @param place what is owned, for the message
 * @throws {OwnedError} `another process (pid N) already runs in DATA_DIR …` when the owner is alive
 */
export async function takeOwnership(file: string, place: string): Promise<OwnerLock> {
  const content = `${process.pid}\n${await processBirth(process.pid)}\n`;
  const draft = `${file}.${process.pid}-${randomBytes(4).toString('hex')}`;
  // link() makes the name and the whole content appear in one step, which writing in place would not.
  await writeFile(draft, content, { flag: 'wx', mode: 0o644 });
  try {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
      try {
        await link(draft, file);
        return { release: () => releaseOwnership(file, content) };
      } catch (error) {
        if (errorCode(error) !== 'EEXIST') throw error;
      }
      const found = await readIfThere(file);
      if (found === undefined) continue;
      const owner = await livingOwner(found);
      if (owner !== undefined) {
        const who = owner === process.pid ? 'this process' : 'another process';
        throw new OwnedError(
          owner,
          `${who} (pid ${owner}) already runs in DATA_DIR ${place}; stop it first (see ${file})`,
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
  if ((await readIfThere(file)) === content) await unlink(file);
}
