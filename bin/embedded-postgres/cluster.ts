import { randomBytes } from 'node:crypto';
import {
  chmod,
  lchown,
  lstat,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import { syncFolder } from '../../shared/platform/files/sync-folder.js';
import {
  endLeftoverProcesses,
  FAST_SHUTDOWN,
  findErrorCode,
  isAlive,
  isServerOf,
  readCommandLine,
  stopProcess,
} from './process.js';
import { findUnsearchableFolder, runProgram, type SystemAccount } from './system-account.js';

const INITDB_TIMEOUT_MS = 120_000;
/**
 * Folders to use if the server's account cannot reach DATA_DIR or the npm package. They are tried
 * in this order.
 */
const SYSTEM_FOLDERS = ['/var/lib/tow-dispatch', '/var/tmp/tow-dispatch'];

type Log = (o: object, m: string) => void;

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT' || findErrorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

export async function isClusterComplete(clusterDir: string): Promise<boolean> {
  return (
    (await exists(path.join(clusterDir, 'PG_VERSION'))) &&
    (await exists(path.join(clusterDir, 'global', 'pg_control')))
  );
}

/**
 * Creates the folder if it is missing. Returns the reason if the folder cannot be used, else
 * undefined.
 */
async function prepareSystemFolder(folder: string, account: SystemAccount): Promise<string | undefined> {
  try {
    await mkdir(folder, 0o755);
    // Set the mode again, because the umask may have removed bits from the mode of mkdir.
    await chmod(folder, 0o755);
  } catch (error) {
    if (findErrorCode(error) !== 'EEXIST') return `${folder}: ${String(error)}`;
  }
  // Accept only a folder of this process's user. Any user may create a folder in /var/tmp, and such
  // a folder could contain planted programs.
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.geteuid?.() || (found.mode & 0o022) !== 0) {
    return `${folder} exists, but is not a folder that only this user can write`;
  }
  const barrier = await findUnsearchableFolder(folder, account);
  return barrier === undefined ? undefined : `${account.name} may not enter ${barrier}`;
}

/**
 * Yields the usable folders of SYSTEM_FOLDERS in order. Creates each folder only when the caller
 * asks for it.
 * @throws with the reasons if no folder is usable
 */
export async function* findSystemFolders(account: SystemAccount): AsyncGenerator<string, void> {
  const reasons: string[] = [];
  for (const folder of SYSTEM_FOLDERS) {
    const reason = await prepareSystemFolder(folder, account);
    if (reason === undefined) yield folder;
    else reasons.push(reason);
  }
  if (reasons.length === SYSTEM_FOLDERS.length)
    throw new Error(`no folder for PostgreSQL: ${reasons.join('; ')}`);
}

/**
 * Chooses the path of a new cluster, in the form that postgres.json stores. The cluster goes to
 * `postgres` in DATA_DIR if the server's account can reach DATA_DIR. Otherwise it goes to a system
 * folder: to the path `planned` by an earlier run, or to a random name.
 */
export async function chooseClusterPath(
  dataDir: string,
  account: SystemAccount | undefined,
  planned: string | undefined,
  logger: { info: Log },
): Promise<string> {
  const barrier = await findUnsearchableFolder(dataDir, account);
  if (account === undefined || barrier === undefined) return 'postgres';
  const { value: folder } = await findSystemFolders(account).next();
  // Only the compiler needs this check. Without a usable folder, the call above throws.
  if (folder === undefined) throw new Error('no folder for PostgreSQL');
  if (planned !== undefined && path.dirname(planned) === folder) return planned;
  const cluster = path.join(folder, randomBytes(8).toString('hex'));
  logger.info(
    { cluster, account: account.name, barrier },
    'PostgreSQL data goes outside DATA_DIR, which the account that runs the server cannot reach',
  );
  return cluster;
}

/**
 * Cleans up after interrupted calls to `createCluster`: ends an initdb that still runs, and removes
 * its files.
 */
async function removeIncomplete(clusterDir: string): Promise<void> {
  const parent = path.dirname(clusterDir);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${path.basename(clusterDir)}.new-`)) continue;
    const leftover = path.join(parent, name);
    await endLeftoverProcesses(leftover);
    await rm(leftover, { recursive: true, force: true, maxRetries: 5 });
  }
}

/**
 * Runs initdb in a temporary folder and then renames it, so that the cluster appears complete or
 * not at all.
 */
async function createCluster(
  clusterDir: string,
  initdb: string,
  account: SystemAccount | undefined,
  password: string,
): Promise<void> {
  const draft = `${clusterDir}.new-${randomBytes(4).toString('hex')}`;
  const passwordFile = `${draft}.pw`;
  try {
    await mkdir(draft, 0o700);
    await writeFile(passwordFile, `${password}\n`, { flag: 'wx', mode: 0o600 });
    if (account !== undefined) {
      await lchown(draft, account.uid, account.gid);
      await lchown(passwordFile, account.uid, account.gid);
    }
    // With these options, text sorts in byte order, and upper() and lower() follow Unicode. The
    // system's locale has no effect.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const args = ['-D', draft, '--encoding=UTF8', ...locale, ...access, '--no-instructions'];
    const result = await runProgram(initdb, args, account, INITDB_TIMEOUT_MS);
    if (!result.ok) throw new Error(`initdb failed (${result.endReason}): ${result.output}`);
    await rename(draft, clusterDir);
    await syncFolder(path.dirname(clusterDir));
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Creates the cluster unless it exists. Moves an incomplete cluster aside instead of deleting it.
 * @throws with the output of initdb if initdb fails
 */
export async function ensureCluster(options: {
  clusterDir: string;
  initdb: string;
  account: SystemAccount | undefined;
  superuserPassword: string;
  logger: { info: Log; warn: Log };
}): Promise<void> {
  const { clusterDir, initdb, account, superuserPassword, logger } = options;
  await removeIncomplete(clusterDir);
  if (await isClusterComplete(clusterDir)) return;
  if (await exists(clusterDir)) {
    const aside = `${clusterDir}.broken-${Date.now()}`;
    await rename(clusterDir, aside);
    logger.warn(
      { cluster: clusterDir, aside },
      'incomplete PostgreSQL cluster moved aside; making a new one',
    );
  }
  logger.info({ cluster: clusterDir, account: account?.name }, 'making a PostgreSQL cluster');
  await createCluster(clusterDir, initdb, account, superuserPassword);
}

/**
 * Reads the pid in the first line of postmaster.pid (PostgreSQL manual, "Database File Layout").
 */
async function readPostmasterPid(pidFile: string): Promise<number | undefined> {
  try {
    const pid = Math.abs(Number((await readFile(pidFile, 'utf8')).split('\n')[0]));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (findErrorCode(error) === 'ENOENT' || findErrorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Stops the server that a killed process left running on this cluster. Also ends server processes
 * that outlived their postmaster. Call this only while this process owns DATA_DIR.
 * @throws if a process does not end
 */
export async function endAbandonedServer(clusterDir: string, logger: { warn: Log }): Promise<void> {
  const pidFile = path.join(clusterDir, 'postmaster.pid');
  const pid = await readPostmasterPid(pidFile);
  const isRunning = pid !== undefined && (await isAlive(pid));
  const isAbandoned = isRunning && (await isServerOf(pid, clusterDir));
  if (isAbandoned) {
    logger.warn({ pid, cluster: clusterDir }, 'stopping a PostgreSQL server whose owner was killed');
    await stopProcess(pid, FAST_SHUTDOWN);
  }
  const leftovers = await endLeftoverProcesses(clusterDir);
  if (leftovers > 0) logger.warn({ leftovers, cluster: clusterDir }, 'ended abandoned PostgreSQL processes');
  if (isRunning && !isAbandoned && (await readCommandLine(pid)).length > 0) {
    // An unrelated process has this pid, which is common after a container restart. PostgreSQL
    // would take that process for a running server and refuse to start.
    logger.warn({ pid, pidFile }, 'removing a postmaster.pid that names an unrelated process');
    await rm(pidFile, { force: true });
  }
}
