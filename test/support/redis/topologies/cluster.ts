import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUEUE_PREFIX } from '../../../../shared/platform/process/redis.js';
import { ADMIN_CLI as CLI, PASSWORDS, writeUsers } from '../../deploy/redis-files.js';
import { eventually } from '../../poll.js';
import { getFreePort } from '../../stores.js';
import { countWaiting, killServer, type RedisServer, runRedisCli, startRedisServer } from '../programs.js';

const MASTERS = 3;
const SERVERS = 2 * MASTERS;
const MIGRATED_AT_ONCE = 50;
const LOGIN = ['admin', PASSWORDS.admin];

interface NodeState {
  id: string;
  port: number;
  isMaster: boolean;
  /** The ranges of slots, such as `0-5460`. */
  slots: string[];
}

/** Three masters with a replica each, all with the users of docs/deploy/redis. */
export class RedisCluster {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tow-cluster-'));
  readonly #aclFile = writeUsers(this.#folder);
  readonly #servers = new Map<number, RedisServer>();

  async start(): Promise<this> {
    for (let nth = 0; nth < SERVERS; nth += 1) await this.#startServer(await getFreePort());
    const addresses = [...this.#servers.keys()].map((port) => `127.0.0.1:${port}`);
    const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes'];
    await runRedisCli([...CLI, ...create]);
    await this.waitUntilComplete();
    return this;
  }

  /** Names two nodes only: processes must find the others by themselves. */
  get settings(): Record<string, string> {
    const [one, two] = this.#servers.keys();
    const login = `tow:${encodeURIComponent(PASSWORDS.tow)}`;
    return { REDIS_URL: `redis+cluster://${login}@127.0.0.1:${one},127.0.0.1:${two}` };
  }

  /** Kills the master that has the queues. */
  async killMasterOfQueues(): Promise<RedisServer> {
    const { port } = await this.#findMasterOf(await this.#findQueueSlot());
    const server = this.#servers.get(port) as RedisServer;
    await killServer(server);
    return server;
  }

  /** Starts a killed server again. It becomes a replica. */
  async restart({ port }: RedisServer): Promise<void> {
    await this.#startServer(port);
    await this.waitUntilComplete();
  }

  /** Moves the slot of the queues to another master, as `redis-cli --cluster reshard` does. */
  async moveQueues(): Promise<void> {
    const slot = await this.#findQueueSlot();
    const from = await this.#findMasterOf(slot);
    const masters = (await this.#readNodes()).filter(({ isMaster, slots }) => isMaster && slots.length > 0);
    const to = masters.find(({ id }) => id !== from.id) as NodeState;
    const setSlot = (port: number, ...args: string[]) =>
      this.#run(port, 'cluster', 'setslot', `${slot}`, ...args);
    await setSlot(to.port, 'importing', from.id);
    await setSlot(from.port, 'migrating', to.id);
    const listKeys = async () => {
      const found = await this.#run(from.port, 'cluster', 'getkeysinslot', `${slot}`, `${MIGRATED_AT_ONCE}`);
      return found === '' ? [] : found.split('\n');
    };
    for (let keys = await listKeys(); keys.length > 0; keys = await listKeys()) {
      const target = ['127.0.0.1', `${to.port}`, '', '0', '5000', 'AUTH2', ...LOGIN, 'KEYS'];
      await this.#run(from.port, 'migrate', ...target, ...keys);
    }
    // The target first: the source must not lose the slot before another node has it.
    for (const { port } of [to, from, ...masters]) await setSlot(port, 'node', to.id);
    if ((await this.#findMasterOf(slot)).id !== to.id) throw new Error('the slot did not move');
  }

  /** Waits until all slots have a master and every master a replica in sync. */
  async waitUntilComplete(): Promise<void> {
    await eventually('the cluster is complete', async () => {
      const states = await Promise.all(
        [...this.#servers.keys()].map(async (port) => {
          const state = await this.#run(port, 'cluster', 'info');
          const replication = await this.#run(port, 'info', 'replication');
          const isInSync = /state=online|master_link_status:up/.test(replication);
          return state.includes('cluster_state:ok') && isInSync;
        }),
      );
      return states.every(Boolean);
    });
  }

  /** Returns what the servers that run have denied to the product. */
  async listDenials(): Promise<string[]> {
    const logs = await Promise.all([...this.#servers.keys()].map((port) => this.#run(port, 'acl', 'log')));
    return logs.filter((log) => log !== '');
  }

  /** Returns how many clients wait for a job. */
  async countWaiting(): Promise<number> {
    const ports = [...this.#servers.keys()];
    const counts = await Promise.all(ports.map((port) => countWaiting([...CLI, '-p', `${port}`])));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#servers.values()].map(killServer));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  async #startServer(port: number): Promise<void> {
    const args = ['--port', `${port}`, '--aclfile', this.#aclFile];
    args.push('--masteruser', 'replica', '--masterauth', PASSWORDS.replica);
    args.push('--cluster-enabled', 'yes', '--cluster-config-file', `${port}.conf`);
    args.push('--cluster-node-timeout', '1500', '--dir', this.#folder, '--repl-diskless-sync-delay', '0');
    this.#servers.set(port, await startRedisServer({ port, args, cli: CLI }));
  }

  #run(port: number, ...command: string[]): Promise<string> {
    return runRedisCli([...CLI, '-p', `${port}`, ...command]);
  }

  async #findQueueSlot(): Promise<number> {
    const [port] = this.#servers.keys();
    return Number(await this.#run(port as number, 'cluster', 'keyslot', QUEUE_PREFIX));
  }

  async #findMasterOf(slot: number): Promise<NodeState> {
    const contains = (range: string) => {
      const [first = '', last = first] = range.split('-');
      return Number(first) <= slot && slot <= Number(last);
    };
    const nodes = await this.#readNodes();
    const master = nodes.find(({ isMaster, slots }) => isMaster && slots.some(contains));
    if (!master) throw new Error(`no master has the slot ${slot}`);
    return master;
  }

  /** Reads the nodes from a server that runs. */
  async #readNodes(): Promise<NodeState[]> {
    const alive = [...this.#servers.values()].find(({ process }) => process.signalCode === null);
    const text = await this.#run(alive?.port ?? 0, 'cluster', 'nodes');
    return text.split('\n').map((line) => {
      const [id = '', address = '', flags = '', , , , , , ...slots] = line.split(' ');
      return {
        id,
        port: Number(/:(\d+)@/.exec(address)?.[1]),
        isMaster: flags.includes('master') && !flags.includes('fail'),
        slots: slots.filter((one) => !one.startsWith('[')),
      };
    });
  }
}
