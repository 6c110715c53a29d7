import { mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getFreePort } from '../../stores.js';
import { killServer, type RedisServer, runRedisCli, startRedisServer } from '../programs.js';

const MAX_MEMORY_BYTES = 64 * 1024 * 1024;
const BALLAST = 'ballast';
const WAIT = '{tow}:writes:wait';

/** One Redis with a limit of its memory that appends each command to a file. */
export class AppendingRedis {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tow-appending-redis-'));
  #port = 0;
  #server: RedisServer | undefined;

  async start(): Promise<this> {
    this.#port = await getFreePort();
    await this.restart();
    return this;
  }

  get settings(): Record<string, string> {
    return { REDIS_URL: `redis://127.0.0.1:${this.#port}` };
  }

  run(...command: string[]): Promise<string> {
    return runRedisCli(['-p', `${this.#port}`, ...command]);
  }

  /** Counts the jobs of the writes queue that wait for a worker or are active. */
  async countJobs(...states: ('wait' | 'active')[]): Promise<number> {
    const counts = await Promise.all(states.map((state) => this.run('llen', `{tow}:writes:${state}`)));
    return counts.reduce((sum, count) => sum + Number(count), 0);
  }

  /** Stores a value as large as the limit, so that Redis refuses every write that needs memory. */
  async fillMemory(): Promise<void> {
    await this.run('setrange', BALLAST, `${MAX_MEMORY_BYTES}`, 'x');
  }

  async freeMemory(): Promise<void> {
    await this.run('del', BALLAST);
  }

  async kill(): Promise<void> {
    if (this.#server) await killServer(this.#server);
  }

  /**
   * Removes at least as many bytes from the end of the file. Then the file ends within the command
   * that gave a job to a worker, so the job waits again, although its writes were acknowledged.
   */
  cutFile(bytes: number): void {
    const folder = join(this.#folder, 'appendonlydir');
    const names = readdirSync(folder).filter((name) => name.endsWith('.incr.aof'));
    const file = join(folder, names.sort().at(-1) ?? '');
    const content = readFileSync(file);
    const end = content.lastIndexOf(`RPOPLPUSH\r\n$17\r\n${WAIT}`, content.length - bytes);
    if (end < 0) throw new Error('the file is too short');
    truncateSync(file, end);
  }

  /** @throws if Redis refuses to start */
  async restart(...args: string[]): Promise<void> {
    const limits = ['--maxmemory', `${MAX_MEMORY_BYTES}`, '--maxmemory-policy', 'noeviction'];
    const file = ['--dir', this.#folder, '--appendonly', 'yes'];
    this.#server = await startRedisServer({
      port: this.#port,
      args: ['--port', `${this.#port}`, ...limits, ...file, ...args],
    });
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
