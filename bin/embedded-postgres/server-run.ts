import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync } from 'node:fs';
import { openLog } from './log.js';
import { buildClusterName } from './process.js';
import { buildSpawnOptions, type SystemAccount } from './system-account.js';

export interface ServerSettings {
  postgres: string;
  clusterDir: string;
  port: number;
  account: SystemAccount | undefined;
  /** PostgreSQL settings that replace those in `serverArguments`. */
  settings: Record<string, string>;
  logger: {
    info(o: object, m: string): void;
    warn(o: object, m: string): void;
    error(o: object, m: string): void;
  };
}

interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  error?: unknown;
}

/** One run of the postmaster as a child process. */
export interface ServerRun {
  pid: number | undefined;
  /** Set once the process has ended. */
  exit: Exit | undefined;
  exited: Promise<Exit>;
  startedAt: number;
  /** Size of the log in bytes when the process started. The entries of this run begin there. */
  logFrom: number;
}

function serverArguments({ clusterDir, port, settings }: ServerSettings): string[] {
  const all = {
    cluster_name: buildClusterName(clusterDir),
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    shared_buffers: '64MB',
    max_connections: '100',
    // Prevents PostgreSQL from starting worker processes for read-ahead, which cost more than they
    // gain on a laptop.
    io_method: 'sync',
    // PostgreSQL looks this often for tables to analyze. A table that has just grown has no
    // statistics before, so that queries may search it by the wrong index. By default that would
    // last a minute or two.
    autovacuum_naptime: '10s',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_destination: 'stderr',
    logging_collector: 'off',
    // Set these defaults explicitly, so that no configuration file can turn them off. Without them,
    // a power failure could lose commits.
    fsync: 'on',
    synchronous_commit: 'on',
    full_page_writes: 'on',
    ...settings,
  };
  const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', clusterDir, '-p', String(port), ...options];
}

/**
 * Starts the postmaster. Never throws: if the start fails, it returns a run that ends immediately.
 */
export function launchServer(settings: ServerSettings, logFile: string): ServerRun {
  const run: ServerRun = {
    pid: undefined,
    exit: undefined,
    exited: Promise.resolve({ code: null, signal: null }),
    startedAt: Date.now(),
    logFrom: 0,
  };
  try {
    const log = openLog(logFile, settings.account);
    run.logFrom = log.size;
    try {
      watchProcess(run, spawnServer(settings, log.fd));
    } finally {
      closeSync(log.fd);
    }
  } catch (error) {
    run.exit = { code: null, signal: null, error };
    run.exited = Promise.resolve(run.exit);
  }
  return run;
}

function spawnServer(settings: ServerSettings, logFd: number): ChildProcess {
  return spawn(settings.postgres, serverArguments(settings), {
    ...buildSpawnOptions(settings.account),
    // Run the server in its own session, so that Ctrl-C in the terminal does not reach it. The
    // server must stop after the processes that use it.
    detached: true,
    stdio: ['ignore', logFd, logFd],
  });
}

function watchProcess(run: ServerRun, child: ChildProcess): void {
  run.pid = child.pid;
  run.exited = new Promise((resolve) => {
    const end = (exit: Exit): void => {
      run.exit ??= exit;
      resolve(run.exit);
    };
    child.once('exit', (code, signal) => end({ code, signal }));
    child.once('error', (error) => end({ code: null, signal: null, error }));
  });
}
