import type { Runtime } from '../../shared/platform/runtime.js';
import { cancelOpen, type DueAnswer, type DueDelivery, findDue } from './due-store.js';
import type { ConfigLoader } from './endpoint-config.js';
import { type Lane, laneKey } from './lane.js';
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
  private readonly beingFed = new Set<Lane>();
  private isLooking = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly loadConfigs: ConfigLoader,
    private readonly listener: FeederListener,
  ) {}

  ask(lane: Lane): void {
    // A lane that is being looked at asks again when the look is over.
    if (this.beingFed.has(lane)) return;
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
        this.beingFed.add(lane);
        // Whatever is told from here on is news.
        lane.isDirty = false;
      }
      const isDone = await this.look(lanes).catch((error: unknown) => this.postpone(lanes, error));
      for (const lane of lanes) this.beingFed.delete(lane);
      if (isDone) for (const lane of lanes) this.listener.onFed(lane);
    }
    this.isLooking = false;
  }

  private postpone(lanes: Lane[], error: unknown): false {
    this.runtime.logger.warn({ err: error, lanes: lanes.length }, 'deliveries not loaded; trying again');
    for (const lane of lanes) lane.isDirty = true;
    setTimeout(() => {
      for (const lane of lanes) this.listener.onFed(lane);
    }, RETRY_MS);
    return false;
  }

  private async look(lanes: Lane[]): Promise<true> {
    const requests = lanes.map((lane) => ({
      ...lane.ref,
      room: Math.max(1, lane.limit * 2 - lane.backlog.length),
      known: lane.known,
    }));
    const answers = new Map(
      (await findDue(this.runtime.db, requests)).map((answer) => [laneKey(answer), answer]),
    );
    await this.refresh(
      lanes.filter((lane) => answers.get(laneKey(lane.ref))?.version !== lane.config?.version),
    );
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
    const known = lanes.filter((lane) => lane.config !== undefined);
    for (const found of await this.loadConfigs(lanes.map(({ ref }) => ref))) {
      const lane = byKey.get(laneKey(found));
      if (lane) lane.config = found.config;
    }
    if (known.length === 0) return;
    const held = known.map(({ ref, owner }) => ({ ...ref, owner }));
    for (const found of await readHealth(this.runtime.db, held)) {
      const lane = byKey.get(laneKey(found));
      if (lane) lane.health = found.health;
    }
  }

  private async feed(lane: Lane, answer: DueAnswer, room: number): Promise<void> {
    const { deliveries, takes, nextDueInMs } = answer;
    if (deliveries.length >= room) lane.isDirty = true;
    else if (nextDueInMs !== null) this.listener.onDueLater(lane, nextDueInMs);
    if (takes !== 'all') {
      lane.backlog = lane.backlog.filter(({ trigger }) => takes === 'probes' && trigger === 'probe');
      while (await cancelOpen(this.runtime.db, answer));
    }
    const known = new Set(lane.known);
    for (const delivery of deliveries) {
      if (known.has(delivery.id)) continue;
      if (takes !== 'all' && !(takes === 'probes' && delivery.trigger === 'probe')) continue;
      if (delivery.body === null) this.listener.onUnsendable(lane, delivery);
      else lane.backlog.push(delivery);
    }
  }
}
