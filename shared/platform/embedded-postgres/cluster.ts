/** The cluster folder: where it is, that it is complete, and that nothing else still works on it. */
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
import { syncFolder } from '../sync-folder.js';
import { type Account, findBarrier, runProgram } from './account.js';
import {
  commandLine,
  endLeftoverProcesses,
  errorCode,
  FAST_SHUTDOWN,
  isAlive,
  isServerOf,
  stopProcess,
} from './process.js';

const INITDB_TIMEOUT_MS = 120_000;
/** For clusters and programs that cannot be in DATA_DIR or the checkout; the first usable one is taken. */
const SYSTEM_FOLDERS = ['/var/lib/tow-dispatch', '/var/tmp/tow-dispatch'];

type Log = (o: object, m: string) => void;

async function exists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return false;
    throw error;
  }
}

/** Whether the folder holds a cluster that initdb finished. */
export async function isComplete(clusterDir: string): Promise<boolean> {
  return (
    (await exists(path.join(clusterDir, 'PG_VERSION'))) &&
    (await exists(path.join(clusterDir, 'global', 'pg_control')))
  );
}

/** Creates a system folder if missing; the reason why it cannot be used, if so. */
async function whyUnusableFolder(folder: string, account: Account): Promise<string | undefined> {
  try {
    await mkdir(folder, 0o755);
    // The mode given to mkdir is cut by the umask.
    await chmod(folder, 0o755);
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') return `${folder}: ${String(error)}`;
  }
  // In /var/tmp anyone could have made it first, to plant programs for us to run.
  const found = await lstat(folder);
  if (!found.isDirectory() || found.uid !== process.geteuid?.() || (found.mode & 0o022) !== 0) {
    return `${folder} exists, but is not a folder that only this user can write`;
  }
  const barrier = await findBarrier(folder, account);
  return barrier === undefined ? undefined : `${account.name} may not enter ${barrier}`;
}

/**
 * Folders outside DATA_DIR that root can use for the account, best first, each made only when it is asked for.
 * @throws with the reasons when there is none
 */
export async function* systemFolders(account: Account): AsyncGenerator<string, void> {
  const reasons: string[] = [];
  for (const folder of SYSTEM_FOLDERS) {
    const reason = await whyUnusableFolder(folder, account);
    if (reason === undefined) yield folder;
    else reasons.push(reason);
  }
  if (reasons.length === SYSTEM_FOLDERS.length)
    throw new Error(`no folder for PostgreSQL: ${reasons.join('; ')}`);
}

/**
 * The place for a new cluster, as kept in postgres.json: `postgres` in DATA_DIR if the account can reach that, else
 * the place planned before (`planned`), else a new random one in a system folder.
 */
export async function placeCluster(
  dataDir: string,
  account: Account | undefined,
  planned: string | undefined,
  logger: { info: Log },
): Promise<string> {
  const barrier = await findBarrier(dataDir, account);
  if (account === undefined || barrier === undefined) return 'postgres';
  const { value: folder } = await systemFolders(account).next();
  // Only for the compiler: without a usable folder the line above throws.
  if (folder === undefined) throw new Error('no folder for PostgreSQL');
  if (planned !== undefined && path.dirname(planned) === folder) return planned;
  const cluster = path.join(folder, randomBytes(8).toString('hex'));
  logger.info(
    { cluster, account: account.name, barrier },
    'PostgreSQL data goes outside DATA_DIR, which the account that runs the server cannot reach',
  );
  return cluster;
}

/** Removes what an interrupted makeCluster left beside the cluster folder, its running initdb included. */
async function removeHalfMade(clusterDir: string): Promise<void> {
  const parent = path.dirname(clusterDir);
  for (const name of await readdir(parent)) {
    if (!name.startsWith(`${path.basename(clusterDir)}.new-`)) continue;
    const leftover = path.join(parent, name);
    await endLeftoverProcesses(leftover);
    await rm(leftover, { recursive: true, force: true, maxRetries: 5 });
  }
}

/** Runs initdb in a folder with another name and renames it: the cluster appears complete or not at all. */
async function makeCluster(
  clusterDir: string,
  initdb: string,
  account: Account | undefined,
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
    // Byte order for sorting, but Unicode rules for upper and lower case; no dependence on system locales.
    const locale = ['--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
    const access = ['--username=postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`];
    const args = ['-D', draft, '--encoding=UTF8', ...locale, ...access, '--no-instructions'];
    const result = await runProgram(initdb, args, account, INITDB_TIMEOUT_MS);
    if (!result.ok) throw new Error(`initdb failed (${result.how}): ${result.output}`);
    await rename(draft, clusterDir);
    await syncFolder(path.dirname(clusterDir));
  } finally {
    await rm(passwordFile, { force: true });
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Makes the cluster unless it is complete. One that is there but incomplete is moved aside, not deleted.
 * @throws with initdb's output when it fails
 */
export async function ensureCluster(options: {
  clusterDir: string;
  initdb: string;
  account: Account | undefined;
  superuserPassword: string;
  logger: { info: Log; warn: Log };
}): Promise<void> {
  const { clusterDir, initdb, account, superuserPassword, logger } = options;
  await removeHalfMade(clusterDir);
  if (await isComplete(clusterDir)) return;
  if (await exists(clusterDir)) {
    const aside = `${clusterDir}.broken-${Date.now()}`;
    await rename(clusterDir, aside);
    logger.warn(
      { cluster: clusterDir, aside },
      'incomplete PostgreSQL cluster moved aside; making a new one',
    );
  }
  logger.info({ cluster: clusterDir, account: account?.name }, 'making a PostgreSQL cluster');
  await makeCluster(clusterDir, initdb, account, superuserPassword);
}

/** The pid in postmaster.pid (first line; manual, "Database File Layout"), or undefined. */
async function recordedPostmaster(pidFile: string): Promise<number | undefined> {
  try {
    const pid = Math.abs(Number((await readFile(pidFile, 'utf8')).split('\n')[0]));
    return Number.isInteger(pid) && pid > 0 ? pid : undefined;
  } catch (error) {
    if (errorCode(error) === 'ENOENT' || errorCode(error) === 'ENOTDIR') return undefined;
    throw error;
  }
}

/**
 * Ends whatever a killed owner left running on the cluster. Call only while holding the ownership of DATA_DIR.
 * @throws when a process does not end
 */
export async function endAbandonedServer(clusterDir: string, logger: { warn: Log }): Promise<void> {
  const pidFile = path.join(clusterDir, 'postmaster.pid');
  const pid = await recordedPostmaster(pidFile);
  const alive = pid !== undefined && (await isAlive(pid));
  const abandoned = alive && (await isServerOf(pid, clusterDir));
  if (abandoned) {
    logger.warn({ pid, cluster: clusterDir }, 'stopping a PostgreSQL server whose owner was killed');
    await stopProcess(pid, FAST_SHUTDOWN);
  }
  const leftovers = await endLeftoverProcesses(clusterDir);
  if (leftovers > 0) logger.warn({ leftovers, cluster: clusterDir }, 'ended abandoned PostgreSQL processes');
  if (alive && !abandoned && (await commandLine(pid)).length > 0) {
    // The pid now belongs to something else (usual after a container restart); PostgreSQL would refuse to start.
    logger.warn({ pid, pidFile }, 'removing a postmaster.pid that names an unrelated process');
    await rm(pidFile, { force: true });
  }
}
