/**
 * Chooses the account that runs PostgreSQL, and runs programs as that account. A normal user runs
 * PostgreSQL under their own account. PostgreSQL refuses to run as root, so root runs it as an
 * unprivileged account. That account must be able to reach the folders of the programs and of the
 * data.
 */
import { type SpawnOptions, spawn } from 'node:child_process';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';
import { isRoot } from '../../shared/platform/files/is-root.js';

const ACCOUNT_NAMES = ['postgres', 'nobody'];
const MAX_OUTPUT_CHARS = 8_000;

export interface SystemAccount {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** `output` is the end of the program's output (at most 8000 characters). */
export interface ProgramResult {
  ok: boolean;
  /** "exit code 1", "signal SIGKILL", or the reason why the program could not be started. */
  endReason: string;
  output: string;
}

/**
 * Reads the accounts other than root from /etc/passwd (passwd(5)). initdb fails if that file does
 * not list its account.
 */
async function readAccounts(): Promise<SystemAccount[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  return lines
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, gid, , home = '/']) => ({ name, uid: Number(uid), gid: Number(gid), home }))
    .filter(({ uid, gid }) => Number.isInteger(uid) && uid > 0 && Number.isInteger(gid) && gid > 0);
}

/**
 * Returns the account that must run PostgreSQL. Returns undefined if this process's own account can
 * run it.
 * @param clusterDir an existing cluster, if any; only the cluster's owner can run PostgreSQL on it
 * @throws when this process runs as root and /etc/passwd has neither `postgres` nor `nobody`
 */
export async function chooseSystemAccount(
  clusterDir: string | undefined,
): Promise<SystemAccount | undefined> {
  if (!isRoot()) return undefined;
  const accounts = await readAccounts();
  if (clusterDir !== undefined) {
    const { uid, gid } = await stat(clusterDir);
    if (uid !== 0) {
      return accounts.find((account) => account.uid === uid) ?? { name: `uid ${uid}`, uid, gid, home: '/' };
    }
  }
  for (const name of ACCOUNT_NAMES) {
    const account = accounts.find((candidate) => candidate.name === name);
    if (account) return account;
  }
  throw new Error(
    `PostgreSQL does not run as root and /etc/passwd has no account ${ACCOUNT_NAMES.join(' or ')} to run it as`,
  );
}

/**
 * True if the account may enter the folder. Supplementary groups do not count, because the server
 * runs without them.
 */
function canSearch(folder: { mode: number; uid: number; gid: number }, account: SystemAccount): boolean {
  if (folder.uid === account.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === account.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

/**
 * Checks `folder` and the folders above it. Returns the outermost one that the account may not
 * enter, or undefined if the account can reach `folder`. The folder must exist. Checks permission
 * bits, not access control lists.
 */
export async function findUnsearchableFolder(
  folder: string,
  account: SystemAccount | undefined,
): Promise<string | undefined> {
  if (account === undefined) return undefined;
  let current = path.parse(folder).root;
  for (const part of ['', ...(await realpath(folder)).split(path.sep).filter(Boolean)]) {
    current = path.join(current, part);
    if (!canSearch(await stat(current), account)) return current;
  }
  return undefined;
}

/**
 * Returns the options to run a program as the account. The working folder is `/`, which every
 * account can reach. The environment is new, so the caller's HOME, PG… and locale variables do not
 * reach the program.
 */
export function buildSpawnOptions(account: SystemAccount | undefined): SpawnOptions {
  const env: NodeJS.ProcessEnv = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: account?.home ?? '/',
    LC_ALL: 'C',
    TZ: 'UTC',
  };
  if (account === undefined) return { cwd: '/', env };
  // If uid or gid is set, Node.js (libuv) also drops root's supplementary groups.
  return {
    cwd: '/',
    env: { ...env, USER: account.name, LOGNAME: account.name },
    uid: account.uid,
    gid: account.gid,
  };
}

/**
 * Runs a program as the account, and kills it after `timeoutMs`. Never rejects: after a failure,
 * `ok` is false.
 */
export function runProgram(
  file: string,
  args: readonly string[],
  account: SystemAccount | undefined,
  timeoutMs: number,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(file, args, {
      ...buildSpawnOptions(account),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Use a separate timer. The `timeout` of spawn would keep this process running if the program
    // cannot be spawned.
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const finish = (result: ProgramResult): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-MAX_OUTPUT_CHARS);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => finish({ ok: false, endReason: error.message, output }));
    child.once('close', (code, signal) =>
      finish({
        ok: code === 0,
        endReason: signal ? `signal ${signal}` : `exit code ${code}`,
        output: output.trim(),
      }),
    );
  });
}
