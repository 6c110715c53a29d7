import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TcpForwarder } from '../support/network/tcp-forwarder.js';
import { eventually } from '../support/poll.js';
import { killServer, type RedisServer, runRedisCli } from '../support/redis/programs.js';
import { SentinelSet } from '../support/redis/topologies/sentinels.js';
import { getFreePort, startRedis } from '../support/stores.js';

const FAILOVER_MS = 30_000;
/** The folder in which Redis keeps its appended file. */
const FILES = 'appendonlydir';

/** The Redis of a run, on which faults act. */
export interface SoakRedis {
  readonly settings: Record<string, string>;
  /** The way to Redis, if faults can stop the bytes on it. */
  readonly way?: TcpForwarder;
  flush(): Promise<void>;
  /** Kills the server in use and starts it again. Resolves with true if another one took over. */
  kill(): Promise<boolean>;
  suspend(): Promise<void>;
  /** Resolves with true if another server took over meanwhile. */
  resume(): Promise<boolean>;
  stop(): Promise<void>;
}

/** One server, which comes back without its data. The product reaches it through a forwarder. */
export class SingleRedis implements SoakRedis {
  private constructor(
    private server: RedisServer,
    readonly way: TcpForwarder,
    /** The folder of the appended file, if there is one. */
    private readonly folder: string | undefined,
  ) {}

  /** @param withFile true to append each write to a file, as docs/deploy/redis does */
  static async start(withFile = false): Promise<SingleRedis> {
    const folder = withFile ? mkdtempSync(join(tmpdir(), 'tow-appended-')) : undefined;
    const server = await startRedis(await getFreePort(), buildFileArgs(folder));
    return new SingleRedis(server, await TcpForwarder.start(server.port), folder);
  }

  get settings(): Record<string, string> {
    return { REDIS_URL: `redis://127.0.0.1:${this.way.port}` };
  }

  async flush(): Promise<void> {
    const reply = await runRedisCli(['-p', `${this.server.port}`, 'flushall']);
    if (reply !== 'OK') throw new Error(`FLUSHALL: ${reply}`);
  }

  async kill(): Promise<boolean> {
    await killServer(this.server);
    if (this.folder) rmSync(join(this.folder, FILES), { recursive: true, force: true });
    this.server = await startRedis(this.server.port, buildFileArgs(this.folder));
    return false;
  }

  async suspend(): Promise<void> {
    this.server.process.kill('SIGSTOP');
  }

  async resume(): Promise<boolean> {
    this.server.process.kill('SIGCONT');
    return false;
  }

  async stop(): Promise<void> {
    await this.way.stop();
    await killServer(this.server);
    if (this.folder) rmSync(this.folder, { recursive: true, force: true });
  }
}

function buildFileArgs(folder: string | undefined): string[] {
  return folder ? ['--appendonly', 'yes', '--appendfsync', 'everysec', '--dir', folder] : [];
}

/** A master and a replica behind sentinels. Each death of the master is a failover. */
export class SentinelRedis implements SoakRedis {
  private suspended: RedisServer | undefined;

  private constructor(private readonly sentinels: SentinelSet) {}

  static async start(): Promise<SentinelRedis> {
    return new SentinelRedis(await new SentinelSet().start());
  }

  get settings(): Record<string, string> {
    return this.sentinels.settings;
  }

  flush(): Promise<void> {
    return this.sentinels.flush();
  }

  async kill(): Promise<boolean> {
    const killed = await this.sentinels.killMaster();
    await eventually('another master', () => this.isReplaced(killed), FAILOVER_MS);
    await this.sentinels.restart(killed);
    return true;
  }

  async suspend(): Promise<void> {
    this.suspended = await this.sentinels.findMaster();
    this.suspended.process.kill('SIGSTOP');
  }

  async resume(): Promise<boolean> {
    const { suspended } = this;
    if (!suspended) throw new Error('no server is suspended');
    suspended.process.kill('SIGCONT');
    await this.sentinels.waitForReplicas();
    return this.isReplaced(suspended);
  }

  stop(): Promise<void> {
    return this.sentinels.stop();
  }

  private async isReplaced({ port }: RedisServer): Promise<boolean> {
    return (await this.sentinels.findMaster()).port !== port;
  }
}
