import { execFileSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { hasProgram } from '../redis/programs.js';
import { TcpForwarder } from './tcp-forwarder.js';

/** What is known of a process before its start. */
interface Placed {
  /** The words before its command line. */
  prefix: string[];
  /** The address that it listens on. */
  host: string;
  readonly env: Record<string, string>;
}

/** One cable between this machine and the separate one. */
interface Cable {
  device: string;
  here: string;
  there: string;
}

function run(command: string): void {
  const [program = '', ...args] = command.split(' ');
  execFileSync(program, args, { stdio: ['ignore', 'ignore', 'pipe'] });
}

/** The machines that exist. A run that ends early removes them in the exit handler. */
const existing = new Set<SeparateMachine>();
process.once('exit', () => {
  for (const machine of existing) machine.deleteNamespace();
});

/**
 * A network namespace, which has a cable for clients and another one for the stores. A cut cable
 * drops packets without a word: connections stay open, and new ones get no answer. Only root can
 * create one.
 */
export class SeparateMachine {
  private readonly name: string;
  private readonly clients: Cable;
  private readonly stores: Cable;
  /** The ways to the stores, by the addresses that they lead to. */
  private readonly ways = new Map<string, TcpForwarder>();

  private constructor() {
    const id = randomInt(2, 250);
    this.name = `tow-${process.pid}-${id}`;
    this.clients = { device: `towc${id}`, here: `10.213.${id}.1`, there: `10.213.${id}.2` };
    this.stores = { device: `tows${id}`, here: `10.214.${id}.1`, there: `10.214.${id}.2` };
  }

  static isPossible(): boolean {
    return process.getuid?.() === 0 && hasProgram('ip');
  }

  /** @throws if this user may not create network namespaces */
  static create(): SeparateMachine {
    const machine = new SeparateMachine();
    run(`ip netns add ${machine.name}`);
    existing.add(machine);
    machine.runThere('ip link set lo up');
    for (const cable of [machine.clients, machine.stores]) machine.connect(cable);
    machine.fixAddress(machine.stores);
    return machine;
  }

  /** Lets the next start of a service run on the separate machine, with a way to its stores. */
  async place(service: Placed): Promise<void> {
    service.prefix = ['ip', 'netns', 'exec', this.name];
    service.host = this.clients.there;
    for (const name of ['DATABASE_URL', 'REDIS_URL']) {
      const url = service.env[name];
      if (url) service.env[name] = await this.openWay(url);
    }
  }

  cutStores(): void {
    run(`ip link set ${this.stores.device} down`);
  }

  mendStores(): void {
    run(`ip link set ${this.stores.device} up`);
  }

  async remove(): Promise<void> {
    for (const way of this.ways.values()) await way.stop();
    this.deleteNamespace();
  }

  /** Deletes the namespace, and with it the cables, which have an end there. */
  deleteNamespace(): void {
    if (existing.delete(this)) run(`ip netns delete ${this.name}`);
  }

  /** Returns the URL by which the separate machine reaches a store of this machine. */
  private async openWay(url: string): Promise<string> {
    const copy = new URL(url);
    const way = this.ways.get(copy.host) ?? (await TcpForwarder.start(Number(copy.port), this.stores.here));
    this.ways.set(copy.host, way);
    copy.hostname = this.stores.here;
    copy.port = `${way.port}`;
    return copy.href;
  }

  private connect({ device, here, there }: Cable): void {
    run(`ip link add ${device} type veth peer name ${device}p netns ${this.name}`);
    run(`ip address add ${here}/24 dev ${device}`);
    run(`ip link set ${device} up`);
    this.runThere(`ip address add ${there}/24 dev ${device}p`);
    this.runThere(`ip link set ${device}p up`);
  }

  /**
   * Lets the separate machine know for ever where this one is on a cable. Otherwise it would learn
   * of a cut by asking in vain, and end connections with an error.
   */
  private fixAddress({ device, here }: Cable): void {
    const link = readFileSync(`/sys/class/net/${device}/address`, 'utf8').trim();
    this.runThere(`ip neighbour replace ${here} lladdr ${link} dev ${device}p nud permanent`);
  }

  private runThere(command: string): void {
    run(`ip netns exec ${this.name} ${command}`);
  }
}
