import type { Runtime } from '../../shared/platform/runtime.js';
import { laneKey } from '../../shared/queues/webhooks.js';
import { cancelOpen, type DueAnswer, type DueDelivery, type DueRequest, findDue } from './due-store.js';
import type { ConfigLoader } from './endpoint-config.js';
import type { Lane } from './lane.js';
import { readHealth } from './lane-store.js';

/** Lanes of one look. */
const MAX_LANES = 256;
const RETRY_MS = 500;

export interface FeederListener {
  /** The lane has been looked at. */
  onFed(lane: Lane): void;
  /** Something falls due in so many ms. */
  onDueLater(lane: Lane, inMs: number): void;
  /** A delivery that can never be sent. */
  onUnsendable(lane: Lane, delivery: DueDelivery): void;
}

/** Loads what is due for the lanes that ask, many in one look; while one look is under way, the next one's lanes collect. */
export class Feeder {
  private asking = new Set<Lane>();
  private isLooking = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly loadConfigs: ConfigLoader,
    private readonly listener: FeederListener,
  ) {}

  ask(lane: Lane): void {
    this.asking.add(lane);
    if (this.isLooking) return;
    this.isLooking = true;
    setImmediate(() => void this.lookWhileAsked());
  }

  private async lookWhileAsked(): Promise<void> {
    while (this.asking.size > 0) {
      const lanes = [...this.asking].slice(0, MAX_LANES);
      for (const lane of lanes) {
        this.asking.delete(lane);
        // Whatever is told from here on is news; and nobody gives it back meanwhile.
        lane.isDirty = false;
        lane.busyAt = performance.now();
      }
      const isDone = await this.look(lanes).catch((error: unknown) => this.postpone(lanes, error));
      if (isDone) for (const lane of lanes) this.listener.onFed(lane);
    }
    this.isLooking = false;
  }

  private postpone(lanes: Lane[], error: unknown): false {
    this.runtime.logger.warn({ err: error, lanes: lanes.length }, 'deliveries not loaded; trying again');
    for (const lane of lanes) {
      lane.isDirty = true;
      lane.isDoubtful = true;
    }
    setTimeout(() => {
      for (const lane of lanes) this.listener.onFed(lane);
    }, RETRY_MS);
    return false;
  }

  private async look(lanes: Lane[]): Promise<true> {
    const requests = lanes.map(requestOf);
    const answers = new Map(
      (await findDue(this.runtime.db, requests)).map((answer) => [laneKey(answer), answer]),
    );
    await this.refresh(
      lanes.filter((lane) => answers.get(laneKey(lane.ref))?.version !== lane.config?.version),
    );
    await this.rereadHealth(lanes.filter(({ isHealthStale, isQuiet }) => isHealthStale && isQuiet));
    for (const [index, lane] of lanes.entries()) {
      const answer = answers.get(laneKey(lane.ref));
      if (answer) await this.feed(lane, answer, requests[index]?.room as number);
    }
    return true;
  }

  /** Reads the settings of lanes that are new or were changed; whoever changed them may have changed their state as well. */
  private async refresh(lanes: Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    const byKey = new Map(lanes.map((lane) => [laneKey(lane.ref), lane]));
    for (const found of await this.loadConfigs(lanes.map(({ ref }) => ref))) {
      const lane = byKey.get(laneKey(found));
      if (lane) lane.config = found.config;
    }
  }

  /** Of lanes at rest only: what the store says of one at work is older than what is known here. */
  private async rereadHealth(lanes: Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    const asked = new Map(
      lanes.map((lane) => [
        laneKey(lane.ref),
        { lane, busyAt: lane.busyAt, version: lane.config?.version ?? '' },
      ]),
    );
    const held = lanes.map(({ ref, owner }) => ({ ...ref, owner }));
    for (const found of await readHealth(this.runtime.db, held)) {
      const { lane, busyAt, version = '' } = asked.get(laneKey(found)) ?? {};
      if (!lane || lane.busyAt !== busyAt) continue;
      lane.health = found.health;
      lane.healthVersion = version;
    }
  }

  private async feed(lane: Lane, answer: DueAnswer, room: number): Promise<void> {
    const { deliveries, takes, ended, nextDueInMs } = answer;
    lane.backlog = lane.backlog.filter(({ id }) => !ended.includes(id));
    if (deliveries.length >= room) lane.isDirty = true;
    else if (nextDueInMs !== null) this.listener.onDueLater(lane, nextDueInMs);
    const isTaken = ({ trigger }: DueDelivery) =>
      takes === 'all' || (takes === 'probes' && trigger === 'probe');
    lane.backlog = lane.backlog.filter(isTaken);
    // A thousand at a time: the other lanes must not wait until all are cancelled.
    lane.mustCancel = takes !== 'all' && (await cancelOpen(this.runtime.db, answer));
    const taken = deliveries.filter(isTaken);
    for (const delivery of taken) if (delivery.body === null) this.listener.onUnsendable(lane, delivery);
    lane.load(taken.filter(({ body }) => body !== null));
  }
}

function requestOf(lane: Lane): DueRequest {
  const { ref, room, known, backlog, isDoubtful } = lane;
  lane.isDoubtful = false;
  return { ...ref, room, known, doubtful: isDoubtful ? backlog.map(({ id }) => id) : [] };
}
