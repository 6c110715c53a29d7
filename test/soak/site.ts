import { setTimeout as sleep } from 'node:timers/promises';
import type { DeployedService } from '../support/load/deployed-service.js';
import type { Deployment } from '../support/load/deployment.js';
import { listKinds, type ProcessKind } from '../support/load/list-kinds.js';
import { fetchStatus } from '../support/load/processes.js';
import type { SeparateMachine } from '../support/network/separate-machine.js';
import { eventually } from '../support/poll.js';
import type { SeededRandom } from '../support/random/seeded-random.js';
import type { Clocks } from './clocks.js';
import type { Figures } from './figures.js';
import type { SmallDisk, SoakStores } from './stores.js';

/** The longest time that the product may need after a fault until all its processes are ready. */
const READY_MS = 90_000;

/** What the faults of a run act on, and what they count. */
export class Site {
  constructor(
    readonly deployment: Deployment,
    readonly stores: SoakStores,
    readonly disk: SmallDisk | undefined,
    /** Draws what one step of the run does. */
    public random: SeededRandom,
    readonly figures: Figures,
    /** True to never kill the last process of each kind, so that its memory shows a long run. */
    readonly sparesWitnesses: boolean,
    /** The clocks of the processes, if faults can set them. */
    readonly clocks?: Clocks,
    /** The separate machine on which some of the processes run. */
    readonly machine?: SeparateMachine,
  ) {}

  /**
   * Chooses a process of a kind. If there are several, never chooses the last: it lives on, so that
   * its memory and handles show a longer time.
   */
  pick(kind: ProcessKind): DeployedService {
    const services = listKinds(this.deployment)[kind];
    return this.random.pick(services.length > 1 ? services.slice(0, -1) : services);
  }

  /** Lists the processes that die together. */
  listMortals(): DeployedService[] {
    if (!this.sparesWitnesses) return this.deployment.services;
    return Object.values(listKinds(this.deployment)).flatMap((services) =>
      services.length > 1 ? services.slice(0, -1) : services,
    );
  }

  /** @throws if a process has ended before, so that no kill hides a crash */
  async kill(services: DeployedService[]): Promise<void> {
    this.expectRunning(services);
    await Promise.all(
      services.map(async (service) => {
        const { signal } = await service.stop('SIGKILL');
        if (signal !== 'SIGKILL') throw new Error(describeEnd(service));
      }),
    );
    this.figures.kills += services.length;
  }

  /** @throws if a process has ended although no fault killed it */
  expectRunning(services = this.deployment.services): void {
    const ended = services.filter((service) => !service.process || service.process.end);
    if (ended.length > 0) throw new Error(ended.map(describeEnd).join('; '));
  }

  /** Starts a process that dies at a failpoint. Returns whether it has reached the failpoint. */
  async dieAt(name: string, service: DeployedService, withinMs: number): Promise<boolean> {
    await this.kill([service]);
    const dying = service.launch({ FAILPOINTS: name });
    const isReady = async () => dying.end || (await fetchStatus(`${service.origin}/readyz`)) === 200;
    await eventually(`the process with the failpoint ${name} to be ready`, isReady, READY_MS);
    await dying.waitForExit(withinMs).catch(() => undefined);
    if (!dying.end) {
      await this.kill([service]);
      return false;
    }
    if (dying.end.signal !== 'SIGKILL') throw new Error(describeEnd(service));
    this.figures.kills += 1;
    return true;
  }

  /** Waits for a time between the bounds. */
  pause(minMs: number, maxMs: number): Promise<void> {
    return sleep(this.random.between(minMs, maxMs));
  }

  /**
   * Waits until every process is ready.
   * @throws if one is not ready in time, or has ended although no fault killed it
   */
  async waitUntilReady(): Promise<void> {
    const deadline = Date.now() + READY_MS;
    const kinds = Object.entries(listKinds(this.deployment));
    for (const [name, service] of kinds.flatMap(([kind, all]) => all.map((one) => [kind, one] as const))) {
      while ((await fetchStatus(`${service.origin}/readyz`)) !== 200) {
        const { process: running } = service;
        if (!running || running.end) throw new Error(`${name}: ${describeEnd(service)}`);
        if (Date.now() > deadline) {
          const reply = await fetch(`${service.origin}/readyz`).then(
            (response) => response.text(),
            (error: unknown) => String(error),
          );
          throw new Error(
            `${name} is not ready after ${READY_MS} ms: ${reply}; ${running.output.slice(-3000)}`,
          );
        }
        await sleep(100);
      }
    }
  }
}

function describeEnd({ port, process: ended }: DeployedService): string {
  const { code, signal } = ended?.end ?? {};
  return `the process at port ${port} ended by itself with ${code ?? signal}: ${ended?.output.slice(-3000)}`;
}
