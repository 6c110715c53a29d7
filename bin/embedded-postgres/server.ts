import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readLogEnd } from './log.js';
import { endLeftoverProcesses, FAST_SHUTDOWN, signalProcess, stopProcess } from './process.js';
import { launchServer, type ServerRun, type ServerSettings } from './server-run.js';

const PROBE_INTERVAL_MS = 50;
const FIRST_BACKOFF_MS = 100;
const LAST_BACKOFF_MS = 5_000;
/** After a run of at least this length, the delay before a restart starts again from zero. */
const STABLE_MS = 10_000;
/**
 * These failures mean that processes of a killed server are still ending. So another attempt to
 * start may succeed.
 */
const TRANSIENT_FAILURE = /pre-existing shared memory block|lock file "[^"]*" already exists/;
const PORT_TAKEN = /could not bind|could not create any TCP\/IP sockets/;

/** Thrown if another program is listening on the port. */
export class PortTakenError extends Error {
  override readonly name = 'PortTakenError';
}

/**
 * Returns the restart delay after `shortRuns` short runs in a row. The delay is 0, then 100 ms, and
 * then doubles after each short run, up to 5 s.
 */
export function computeRestartDelayMs(shortRuns: number): number {
  return shortRuns === 0 ? 0 : Math.min(FIRST_BACKOFF_MS * 2 ** (shortRuns - 1), LAST_BACKOFF_MS);
}

/**
 * Starts the postmaster of one server, restarts it when it ends unexpectedly, and stops it. Call
 * start() and stop() once per instance.
 */
export class PostgresServer {
  readonly #settings: ServerSettings;
  readonly #logFile: string;
  readonly #stopping = new AbortController();
  readonly #stopAtExit = () => this.#sendFastShutdown();
  #run: ServerRun | undefined;
  #supervision: Promise<void> = Promise.resolve();
  #stopped: Promise<void> | undefined;

  constructor(settings: ServerSettings) {
    this.#settings = settings;
    this.#logFile = path.join(settings.clusterDir, 'postgres.log');
  }

  /** Process id of the postmaster; undefined while it is not running. */
  pid(): number | undefined {
    return this.#run?.exit === undefined ? this.#run?.pid : undefined;
  }

  /**
   * Starts the postmaster and waits until the server is ready. After an error, call stop() to make
   * sure that no process is left.
   * @param answers a function that resolves with true once the server is ready, and rejects if
   *   waiting does not help
   * @throws PortTakenError, or Error with the end of the server's log
   */
  async start(answers: () => Promise<boolean>, deadlineMs: number): Promise<void> {
    const deadline = Date.now() + deadlineMs;
    process.once('exit', this.#stopAtExit);
    for (let attempt = 1; ; attempt += 1) {
      const run = this.#launch();
      if (await this.#waitUntilReady(run, answers, deadline)) break;
      await this.#assertRetryable(run, deadline);
      await sleep(computeRestartDelayMs(attempt));
      await endLeftoverProcesses(this.#settings.clusterDir);
    }
    this.#supervision = this.#supervise();
  }

  /**
   * Stops the server with PostgreSQL's fast shutdown. If the server still runs after 10 s, tries
   * the immediate shutdown, and after 5 s more SIGKILL. Later calls only wait until the first call
   * has stopped the server.
   */
  stop(): Promise<void> {
    this.#stopped ??= this.#shutDown();
    return this.#stopped;
  }

  async #waitUntilReady(run: ServerRun, answers: () => Promise<boolean>, deadline: number): Promise<boolean> {
    while (run.exit === undefined && Date.now() < deadline) {
      if (await answers()) return run.exit === undefined;
      await sleep(PROBE_INTERVAL_MS);
    }
    return false;
  }

  /** Resolves if another attempt to start may succeed, and throws otherwise. */
  async #assertRetryable(run: ServerRun, deadline: number): Promise<void> {
    // Read no log of a process that did not start, because the log may not exist.
    const logEnd =
      run.pid === undefined ? String(run.exit?.error) : await readLogEnd(this.#logFile, run.logFrom);
    if (PORT_TAKEN.test(logEnd)) throw new PortTakenError(`port ${this.#settings.port} is taken: ${logEnd}`);
    if (run.exit !== undefined && TRANSIENT_FAILURE.test(logEnd) && Date.now() < deadline) return;
    const { exit } = run;
    const how = exit === undefined ? 'no answer in time' : `exit code ${exit.code}, signal ${exit.signal}`;
    throw new Error(`PostgreSQL did not start (${how}). End of ${this.#logFile}:\n${logEnd}`, {
      cause: exit?.error,
    });
  }

  #launch(): ServerRun {
    this.#run = launchServer(this.#settings, this.#logFile);
    return this.#run;
  }

  async #supervise(): Promise<void> {
    const { logger, clusterDir, port } = this.#settings;
    let shortRuns = 0;
    while (this.#run !== undefined) {
      const run = this.#run;
      const { code, signal, error } = await run.exited;
      if (this.#stopping.signal.aborted) return;
      if (Date.now() - run.startedAt >= STABLE_MS) shortRuns = 0;
      const delayMs = computeRestartDelayMs(shortRuns);
      shortRuns += 1;
      logger.warn(
        { pid: run.pid, code, signal, err: error, port, delayMs },
        'PostgreSQL ended unexpectedly; restarting',
      );
      await this.#pause(delayMs);
      try {
        await endLeftoverProcesses(clusterDir);
      } catch (err) {
        // While these processes run, the server cannot start. It ends at once, and this loop
        // repeats.
        logger.error(
          { err, cluster: clusterDir },
          'processes of the previous PostgreSQL server are still running',
        );
      }
      if (this.#stopping.signal.aborted) return;
      this.#launch();
    }
  }

  async #pause(ms: number): Promise<void> {
    try {
      await sleep(ms, undefined, { signal: this.#stopping.signal });
    } catch (error) {
      if (!this.#stopping.signal.aborted) throw error;
    }
  }

  /**
   * Stops the server if this process exits without stop(). The server has its own session, so it
   * would otherwise keep running.
   */
  #sendFastShutdown(): void {
    const pid = this.pid();
    if (pid !== undefined) signalProcess(pid, FAST_SHUTDOWN[0]?.[0] ?? 'SIGINT');
  }

  async #shutDown(): Promise<void> {
    this.#stopping.abort();
    const pid = this.pid();
    if (pid !== undefined) await stopProcess(pid, FAST_SHUTDOWN);
    await this.#supervision;
    await this.#run?.exited;
    process.off('exit', this.#stopAtExit);
    // After SIGKILL, child processes of the server may be left.
    await endLeftoverProcesses(this.#settings.clusterDir);
  }
}
