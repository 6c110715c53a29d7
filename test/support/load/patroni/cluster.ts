/**
 * Runs PostgreSQL under Patroni behind HAProxy, with the files of docs/deploy/patroni. Each member
 * stands for a machine.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { canAnswerQueries } from '../../../../bin/embedded-postgres/database.js';
import {
  buildSpawnOptions,
  chooseSystemAccount,
  type SystemAccount,
} from '../../../../bin/embedded-postgres/system-account.js';
import { isRoot } from '../../../../shared/platform/files/is-root.js';
import { buildTimes, readDeployFile } from '../../deploy/deploy-files.js';
import { eventually } from '../../poll.js';
import { getFreePort } from '../../stores.js';
import { type MemberState, PatroniMember } from './member.js';

const MEMBERS = ['pg1', 'pg2', 'pg3'];
const START_TIMEOUT_MS = 90_000;
const PASSWORDS = { superuser: 'sup', replication: 'rep', rewind: 'rew', rest: 'rest' };

const hasEnded = (program: Pick<ChildProcess, 'exitCode' | 'signalCode'>) =>
  program.exitCode !== null || program.signalCode !== null;

/** If the test run ends early, no hook runs, so the exit handler kills these clusters. */
const running = new Set<PatroniCluster>();
process.once('exit', () => {
  for (const cluster of running) cluster.killAll();
});

export class PatroniCluster {
  readonly members: PatroniMember[] = [];
  readonly #folder = mkdtempSync(join(tmpdir(), 'tow-patroni-'));
  #account: SystemAccount | undefined;
  #programs: ChildProcess[] = [];
  #etcd: { port: number; peerPort: number; program?: ChildProcess } | undefined;
  #port = 0;
  #replicaPort = 0;

  /** @param programs the folder of PostgreSQL's programs, such as /usr/lib/postgresql/15/bin */
  constructor(private readonly programs: string) {}

  /** Starts everything, and creates the role and the database of the service. */
  async start(): Promise<this> {
    running.add(this);
    this.#account = await chooseSystemAccount(undefined);
    this.#own(this.#folder);
    this.#etcd = { port: await getFreePort(), peerPort: await getFreePort() };
    await this.startEtcd();
    for (const name of MEMBERS) this.members.push(await this.#createMember(name, this.#etcd.port));
    await this.#startHaproxy();
    for (const member of this.members) member.start();
    await this.waitUntilComplete();
    await eventually('HAProxy to reach the primary', () => canAnswerQueries(this.buildSuperuserUrl()));
    const client = new pg.Client({ connectionString: this.buildSuperuserUrl() });
    await client.connect();
    await client.query("create role tow login createrole password 'secret'");
    await client.query('create database tow owner tow');
    await client.end();
    return this;
  }

  /** The connection string that leads through HAProxy to the primary. */
  get databaseUrl(): string {
    return `postgres://tow:secret@127.0.0.1:${this.#port}/tow`;
  }

  /** The connection string that leads through HAProxy to a standby. */
  get replicaUrl(): string {
    return `postgres://tow:secret@127.0.0.1:${this.#replicaPort}/tow`;
  }

  /** Returns the superuser's connection string of a member, or of the primary through HAProxy. */
  buildSuperuserUrl(member?: PatroniMember): string {
    const port = member?.options.port ?? this.#port;
    return `postgres://postgres:${PASSWORDS.superuser}@127.0.0.1:${port}/postgres`;
  }

  /** Returns the end of what each member printed, for a failed test. */
  describeOutputs(): string {
    return this.members.map(({ name, output }) => `--- ${name}\n${output.slice(-8000)}\n`).join('');
  }

  /** Returns the members as the first reachable one lists them. */
  async listStates(): Promise<MemberState[]> {
    for (const member of this.members) {
      const reply = await member.callRest('/cluster');
      if (reply?.status === 200) return JSON.parse(reply.text).members;
    }
    return [];
  }

  /** Waits until every other member streams from the primary, one as the synchronous standby. */
  async waitUntilComplete(): Promise<void> {
    let states: MemberState[] = [];
    await eventually(
      'the cluster to have a primary and two standbys',
      async () => {
        states = await this.listStates();
        const count = (role: string) => states.filter((one) => one.role === role).length;
        const areRunning = states.every(({ state, role }) =>
          ['running', ...(role === 'leader' ? [] : ['streaming'])].includes(state),
        );
        const areEqual = new Set(states.map(({ timeline }) => timeline)).size === 1;
        return (
          states.length === MEMBERS.length &&
          areRunning &&
          areEqual &&
          count('leader') === 1 &&
          count('sync_standby') === 1
        );
      },
      START_TIMEOUT_MS,
    ).catch((error: Error) => {
      throw new Error(`${error.message}; ${JSON.stringify(states)}`);
    });
  }

  /** Returns the member that Patroni names as the primary. */
  async findPrimary(): Promise<PatroniMember> {
    return this.#findByRole('leader');
  }

  async findSynchronousStandby(): Promise<PatroniMember> {
    return this.#findByRole('sync_standby');
  }

  async #findByRole(role: MemberState['role']): Promise<PatroniMember> {
    return eventually(`a member with the role ${role}`, async () => {
      const state = (await this.listStates()).find((one) => one.role === role);
      return this.members.find(({ name }) => name === state?.name);
    });
  }

  /**
   * Switches to the synchronous standby by Patroni's REST API, as `patronictl switchover` does.
   * Returns the new primary.
   */
  async switchOver(): Promise<PatroniMember> {
    const from = await this.findPrimary();
    const to = await this.findSynchronousStandby();
    const reply = await from.callRest('/switchover', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`patroni:${PASSWORDS.rest}`).toString('base64')}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ leader: from.name, candidate: to.name }),
    });
    if (reply?.status !== 200) throw new Error(`switchover: ${reply?.status} ${reply?.text}`);
    return to;
  }

  async stop(): Promise<void> {
    this.killAll();
    await eventually('all programs to end', () => [...this.#programs, ...this.members].every(hasEnded));
    running.delete(this);
    rmSync(this.#folder, { recursive: true, force: true, maxRetries: 5 });
  }

  killAll(): void {
    for (const member of this.members) member.signalMachine('SIGKILL');
    for (const program of this.#programs) program.kill('SIGKILL');
  }

  #own(path: string): void {
    if (this.#account) chownSync(path, this.#account.uid, this.#account.gid);
  }

  /** Kills etcd, which is a single process here. Its data stays. */
  async killEtcd(): Promise<void> {
    this.#etcd?.program?.kill('SIGKILL');
    await eventually('etcd to end', () => !this.#etcd?.program || hasEnded(this.#etcd.program));
  }

  /** Waits until no member says that it is the primary. */
  async waitForNoPrimary(): Promise<void> {
    const isNone = async () => {
      const replies = await Promise.all(this.members.map((member) => member.callRest('/primary')));
      return replies.every((reply) => reply?.status !== 200);
    };
    await eventually('no member to be the primary', isNone, START_TIMEOUT_MS);
  }

  /** Starts etcd with the data that it has. */
  async startEtcd(): Promise<void> {
    if (!this.#etcd) throw new Error('the cluster has not started');
    const client = `http://127.0.0.1:${this.#etcd.port}`;
    const peer = `http://127.0.0.1:${this.#etcd.peerPort}`;
    const options = {
      'data-dir': join(this.#folder, 'etcd'),
      'listen-client-urls': client,
      'advertise-client-urls': client,
      'listen-peer-urls': peer,
      'initial-advertise-peer-urls': peer,
      'initial-cluster': `default=${peer}`,
    };
    const args = ['--enable-v2', ...Object.entries(options).map((option) => `--${option.join('=')}`)];
    this.#etcd.program = spawn('etcd', args, { ...buildSpawnOptions(this.#account), stdio: 'ignore' });
    this.#programs.push(this.#etcd.program);
    await eventually('etcd to answer', () =>
      fetch(`${client}/health`).then(
        async (response) => (await response.text()).includes('true'),
        () => false,
      ),
    );
  }

  async #createMember(name: string, etcdPort: number): Promise<PatroniMember> {
    const [port, restPort] = [await getFreePort(), await getFreePort()];
    const folder = this.#createFolder(name);
    const dataDir = join(folder, 'data');
    const configFile = join(folder, 'patroni.yml');
    const config = readDeployFile('patroni/patroni.yml', {
      ...buildTimes('patroni/patroni.yml'),
      '/usr/lib/postgresql/15/bin': this.programs,
      'name: pg1': `name: ${name}`,
      '10.0.0.11:8008': `127.0.0.1:${restPort}`,
      '10.0.0.11:5432': `127.0.0.1:${port}`,
      '10.0.0.21:2379,10.0.0.22:2379,10.0.0.23:2379': `127.0.0.1:${etcdPort}`,
      '10.0.0.0/24': '127.0.0.1/32',
      '/var/lib/postgresql/15/tow.pgpass': join(folder, 'pgpass'),
      'data_dir: /var/lib/postgresql/15/tow': `data_dir: ${dataDir}`,
      '/var/run/postgresql': folder,
      'change-me-rest': PASSWORDS.rest,
      'change-me-superuser': PASSWORDS.superuser,
      'change-me-replication': PASSWORDS.replication,
      'change-me-rewind': PASSWORDS.rewind,
    });
    writeFileSync(configFile, config);
    return new PatroniMember({ name, port, restPort, dataDir, configFile, account: this.#account });
  }

  /** Creates a folder of the account that runs PostgreSQL. */
  #createFolder(name: string): string {
    const folder = join(this.#folder, name);
    mkdirSync(folder);
    this.#own(folder);
    return folder;
  }

  async #startHaproxy(): Promise<void> {
    this.#port = await getFreePort();
    this.#replicaPort = await getFreePort();
    const addresses = this.members.map(({ options }, nth) => [
      `10.0.0.${11 + nth}:5432 port 8008`,
      `127.0.0.1:${options.port} port ${options.restPort}`,
    ]);
    const user = userInfo().username;
    const config = readDeployFile('patroni/haproxy.cfg', {
      '127.0.0.1:5000': `127.0.0.1:${this.#port}`,
      '127.0.0.1:5001': `127.0.0.1:${this.#replicaPort}`,
      ...Object.fromEntries(addresses),
      // Without root, HAProxy can only stay the user that it is.
      ...(isRoot() ? {} : { 'user haproxy': `user ${user}`, '  group haproxy\n': '' }),
    });
    const file = join(this.#folder, 'haproxy.cfg');
    writeFileSync(file, config);
    const env = { PATH: `${process.env.PATH}:/usr/sbin` };
    this.#programs.push(spawn('haproxy', ['-db', '-f', file], { env, stdio: 'ignore' }));
  }
}
