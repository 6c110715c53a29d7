import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createCertificates } from '../../deploy/certificates.js';
import { ADMIN_CLI, PASSWORDS, writeRedisConfig, writeSentinelConfig } from '../../deploy/redis-files.js';
import { eventually } from '../../poll.js';
import { getFreePort } from '../../stores.js';
import { killServer, type RedisServer, runRedisCli, startProgram } from '../programs.js';

const NAME = 'tow';
const SENTINELS = 3;
const REPLICAS = 2;

/** A master, two replicas and three sentinels, with the configuration of docs/deploy/redis. */
export class SentinelSet {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tow-sentinels-'));
  readonly #certificates = createCertificates(this.#folder);
  readonly #dataCli = [...this.#certificates.cliArgs, ...ADMIN_CLI];
  readonly #sentinelCli = [...this.#certificates.cliArgs, '-a', PASSWORDS.sentinel];
  /** The Redis servers by port. */
  readonly #servers = new Map<number, RedisServer>();
  #sentinels: RedisServer[] = [];

  async start(): Promise<this> {
    const master = await this.#startServer(await getFreePort());
    for (let nth = 0; nth < REPLICAS; nth += 1) await this.#startServer(await getFreePort(), master.port);
    const ports: number[] = [];
    for (let nth = 0; nth < SENTINELS; nth += 1) ports.push(await getFreePort());
    this.#sentinels = await Promise.all(ports.map((port) => this.#startSentinel(port, master.port)));
    await this.waitForReplicas();
    return this;
  }

  get settings(): Record<string, string> {
    const addresses = this.#sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const login = `tow:${encodeURIComponent(PASSWORDS.tow)}`;
    const query = new URLSearchParams({
      db: '1',
      sentinel_user: 'tow-sentinel',
      sentinel_password: PASSWORDS.towSentinel,
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

  /** Returns what a server says that it is: `master` or `slave`. */
  async readRole({ port }: Pick<RedisServer, 'port'>): Promise<string> {
    const reply = await runRedisCli([...this.#dataCli, '-p', `${port}`, 'role']);
    return reply.split('\n')[0] ?? '';
  }

  /** Deletes all data of the master, which its replica follows. */
  async flush(): Promise<void> {
    const { port } = await this.findMaster();
    const reply = await runRedisCli([...this.#dataCli, '-p', `${port}`, 'flushall']);
    if (reply !== 'OK') throw new Error(`FLUSHALL: ${reply}`);
  }

  async killMaster(): Promise<RedisServer> {
    const master = await this.findMaster();
    await killServer(master);
    return master;
  }

  /** Starts a killed server again, as a replica of the present master. */
  async restart({ port }: RedisServer): Promise<void> {
    await this.#startServer(port, (await this.findMaster()).port);
    await this.waitForReplicas();
  }

  /** Waits until each sentinel knows the others and can promote any replica. */
  async waitForReplicas(): Promise<void> {
    const known = new RegExp(`num-slaves\\n${REPLICAS}\\b`);
    const others = new RegExp(`num-other-sentinels\\n${SENTINELS - 1}\\b`);
    await eventually('the replicas are in sync and the sentinels know them', async () => {
      const { port } = await this.findMaster();
      const info = await runRedisCli([...this.#dataCli, '-p', `${port}`, 'info', 'replication']);
      const states = await Promise.all(this.#sentinels.map(({ port }) => this.#ask('master', port)));
      const areComplete = states.every((state) => known.test(state) && others.test(state));
      return areComplete && info.match(/state=online/g)?.length === REPLICAS;
    });
  }

  /** Returns what the sentinels and the servers have denied to the product and to each other. */
  async listDenials(): Promise<string[]> {
    const read = (cli: string[]) => (port: number) => runRedisCli([...cli, '-p', `${port}`, 'acl', 'log']);
    const logs = await Promise.all([
      ...this.#sentinels.map(({ port }) => port).map(read(this.#sentinelCli)),
      ...[...this.#servers.keys()].map(read(this.#dataCli)),
    ]);
    return logs.filter((log) => log !== '');
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#sentinels, ...this.#servers.values()].map(killServer));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startServer(port: number, masterPort?: number): Promise<RedisServer> {
    const folder = this.#createFolder(port);
    const file = writeRedisConfig({ port, folder, certificates: this.#certificates, masterPort });
    const server = await startProgram('redis-server', { port, args: [file], cli: this.#dataCli });
    this.#servers.set(port, server);
    return server;
  }

  #startSentinel(port: number, masterPort: number): Promise<RedisServer> {
    const folder = this.#createFolder(port);
    const file = writeSentinelConfig({ port, folder, certificates: this.#certificates, masterPort });
    return startProgram('redis-sentinel', { port, args: [file], cli: this.#sentinelCli });
  }

  #createFolder(port: number): string {
    const folder = join(this.#folder, `${port}`);
    mkdirSync(folder, { recursive: true });
    return folder;
  }

  #ask(question: string, port = this.#sentinels[0]?.port): Promise<string> {
    return runRedisCli([...this.#sentinelCli, '-p', `${port}`, 'sentinel', question, NAME]);
  }
}
