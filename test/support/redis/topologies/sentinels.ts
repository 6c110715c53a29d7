import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../poll.js';
import { getFreePort } from '../../stores.js';
import { createCertificates } from '../certificates.js';
import { readUsersOfGuide } from '../guide-users.js';
import { killServer, type RedisServer, runRedisCli, startProgram, startRedisServer } from '../programs.js';

const NAME = 'tow';
const SENTINELS = 3;
/** Characters that a URL must contain percent-encoded. */
const PASSWORD = 'a/b@c:d%e';
const SENTINEL_PASSWORD = 's&t=u';

/** A master, a replica and three sentinels, all with passwords and TLS. */
export class SentinelSet {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tow-sentinels-'));
  readonly #certificates = createCertificates(this.#folder);
  readonly #dataCli = [...this.#certificates.cliArgs, '-a', PASSWORD];
  readonly #sentinelCli = [...this.#certificates.cliArgs, '-a', SENTINEL_PASSWORD];
  /** The Redis servers by port. */
  readonly #servers = new Map<number, RedisServer>();
  #sentinels: RedisServer[] = [];

  async start(): Promise<this> {
    const master = await this.#startServer(await getFreePort());
    await this.#startServer(await getFreePort(), master.port);
    const ports: number[] = [];
    for (let nth = 0; nth < SENTINELS; nth += 1) ports.push(await getFreePort());
    this.#sentinels = await Promise.all(ports.map((port) => this.#startSentinel(port, master.port)));
    await this.waitForReplica();
    return this;
  }

  get settings(): Record<string, string> {
    const addresses = this.#sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const login = `default:${encodeURIComponent(PASSWORD)}`;
    const query = new URLSearchParams({
      db: '1',
      sentinel_user: 'tow-sentinel',
      sentinel_password: 'secret',
    });
    return {
      REDIS_URL: `rediss+sentinel://${login}@${addresses}/${NAME}?${query}`,
      REDIS_CA_FILE: this.#certificates.caFile,
    };
  }

  /** Returns the server that the sentinels name as the master. */
  async findMaster(): Promise<RedisServer> {
    const reply = await this.#ask('get-master-addr-by-name');
    const server = this.#servers.get(Number(reply.split('\n')[1]));
    if (!server) throw new Error(`the sentinels name an unknown master: ${reply}`);
    return server;
  }

  async killMaster(): Promise<RedisServer> {
    const master = await this.findMaster();
    await killServer(master);
    return master;
  }

  /** Starts a killed server again, without its data. The sentinels make it a replica. */
  async restart({ port }: RedisServer): Promise<void> {
    await this.#startServer(port, (await this.findMaster()).port);
    await this.waitForReplica();
  }

  /** Waits until each sentinel knows the others and can promote a replica. */
  async waitForReplica(): Promise<void> {
    await eventually('the replica is in sync and the sentinels know it', async () => {
      const { port } = await this.findMaster();
      const info = await runRedisCli([...this.#dataCli, '-p', `${port}`, 'info', 'replication']);
      const states = await Promise.all(this.#sentinels.map(({ port }) => this.#ask('master', port)));
      const areComplete = states.every(
        (state) => /num-other-sentinels\n2\b/.test(state) && /num-slaves\n1\b/.test(state),
      );
      return areComplete && info.includes('state=online');
    });
  }

  /** Returns what the sentinels have denied to the product. */
  async listDenials(): Promise<string[]> {
    const logs = await Promise.all(
      this.#sentinels.map(({ port }) => runRedisCli([...this.#sentinelCli, '-p', `${port}`, 'acl', 'log'])),
    );
    return logs.filter((log) => log !== '');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sentinels, ...this.#servers.values()].map(killServer));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startServer(port: number, masterPort?: number): Promise<RedisServer> {
    const args = [
      ...this.#certificates.serverArgs(port),
      '--requirepass',
      PASSWORD,
      '--masterauth',
      PASSWORD,
    ];
    args.push('--repl-diskless-sync-delay', '0', '--appendonly', 'no');
    if (masterPort) args.push('--replicaof', '127.0.0.1', `${masterPort}`);
    const server = await startRedisServer({ port, args, cli: this.#dataCli });
    this.#servers.set(port, server);
    return server;
  }

  async #startSentinel(port: number, masterPort: number): Promise<RedisServer> {
    const file = join(this.#folder, `${port}.conf`);
    const users = readUsersOfGuide();
    const lines = [
      ...this.#certificates.configLines(port),
      'bind 127.0.0.1',
      `dir ${this.#folder}`,
      `requirepass "${SENTINEL_PASSWORD}"`,
      users.sentinel,
      `sentinel sentinel-pass ${SENTINEL_PASSWORD}`,
      `sentinel monitor ${NAME} 127.0.0.1 ${masterPort} 2`,
      `sentinel auth-pass ${NAME} ${PASSWORD}`,
      `sentinel down-after-milliseconds ${NAME} 500`,
      `sentinel failover-timeout ${NAME} 1500`,
    ];
    writeFileSync(file, `${lines.join('\n')}\n`);
    return startProgram('redis-sentinel', { port, args: [file], cli: this.#sentinelCli });
  }

  #ask(question: string, port = this.#sentinels[0]?.port): Promise<string> {
    return runRedisCli([...this.#sentinelCli, '-p', `${port}`, 'sentinel', question, NAME]);
  }
}
