/**
 * Which system account runs PostgreSQL. An ordinary user runs it as himself; PostgreSQL refuses to run as root,
 * so root hands it to an unprivileged account, which must be able to reach the folders involved.
 */
import { type SpawnOptions, spawn } from 'node:child_process';
import { readFile, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

const ACCOUNT_NAMES = ['postgres', 'nobody'];
const OUTPUT_LIMIT = 8_000;

/** An account other than our own that runs the PostgreSQL programs. */
export interface Account {
  name: string;
  uid: number;
  gid: number;
  home: string;
}

/** How a program ended; `output` is the end of what it wrote (at most 8000 characters). */
export interface ProgramResult {
  ok: boolean;
  /** "exit code 1", "signal SIGKILL" or the reason why it could not be run. */
  how: string;
  output: string;
}

/** Whether this process has root's rights. */
export function isRoot(): boolean {
  return process.geteuid?.() === 0;
}

/** Accounts of /etc/passwd (passwd(5)). initdb looks its own account up there and fails without an entry. */
async function readAccounts(): Promise<Account[]> {
  const lines = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  return lines
    .filter((fields) => fields.length >= 7)
    .map(([name = '', , uid, gid, , home = '/']) => ({ name, uid: Number(uid), gid: Number(gid), home }))
    .filter(({ uid, gid }) => Number.isInteger(uid) && uid > 0 && Number.isInteger(gid) && gid > 0);
}

/**
 * The account to run PostgreSQL as, or undefined for our own.
 * @param clusterDir an existing cluster: its owner then runs it, whoever made it (a server refuses any other)
 * @throws when we are root and /etc/passwd has neither `postgres` nor `nobody`
 */
export async function chooseAccount(clusterDir: string | undefined): Promise<Account | undefined> {
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

/** Whether permission bits let the account search a folder; it runs without supplementary groups. */
function maySearch(folder: { mode: number; uid: number; gid: number }, account: Account): boolean {
  if (folder.uid === account.uid) return (folder.mode & 0o100) !== 0;
  if (folder.gid === account.gid) return (folder.mode & 0o010) !== 0;
  return (folder.mode & 0o001) !== 0;
}

/**
 * The outermost folder on the way to and including `folder` (which exists) that the account may not search, or
 * undefined when it can reach everything. Permission bits only: access control lists are not read.
 */
export async function findBarrier(folder: string, account: Account | undefined): Promise<string | undefined> {
  if (account === undefined) return undefined;
  let current = path.parse(folder).root;
  for (const part of ['', ...(await realpath(folder)).split(path.sep).filter(Boolean)]) {
    current = path.join(current, part);
    if (!maySearch(await stat(current), account)) return current;
  }
  return undefined;
}

/**
 * Spawn options that run a PostgreSQL program as the account, in a folder it can reach and with an environment
 * of its own: the caller's HOME, PG… and locale variables must not reach the server.
 */
export function spawnIdentity(account: Account | undefined): SpawnOptions {
  const env: NodeJS.ProcessEnv = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOME: account?.home ?? '/',
    LC_ALL: 'C',
    TZ: 'UTC',
  };
  if (account === undefined) return { cwd: '/', env };
  // With uid or gid given libuv also drops root's supplementary groups.
  return {
    cwd: '/',
    env: { ...env, USER: account.name, LOGNAME: account.name },
    uid: account.uid,
    gid: account.gid,
  };
}

/** Runs a program to its end as the account; killed after `timeoutMs`. Never rejects: see the result. */
export function runProgram(
  file: string,
  args: readonly string[],
  account: Account | undefined,
  timeoutMs: number,
): Promise<ProgramResult> {
  return new Promise((resolve) => {
    let output = '';
    const child = spawn(file, args, {
      ...spawnIdentity(account),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    // Not spawn's own `timeout`: that keeps its timer, and us, running when the program cannot be spawned.
    const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs);
    const finish = (result: ProgramResult): void => {
      clearTimeout(timer);
      resolve(result);
    };
    const collect = (chunk: Buffer): void => {
      output = (output + chunk.toString('utf8')).slice(-OUTPUT_LIMIT);
    };
    child.stdout?.on('data', collect);
    child.stderr?.on('data', collect);
    child.once('error', (error) => finish({ ok: false, how: error.message, output }));
    child.once('close', (code, signal) =>
      finish({
        ok: code === 0,
        how: signal ? `signal ${signal}` : `exit code ${code}`,
        output: output.trim(),
      }),
    );
  });
}
