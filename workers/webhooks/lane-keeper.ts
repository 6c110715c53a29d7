import { newId } from '../../shared/platform/ids.js';
import type { Runtime } from '../../shared/platform/runtime.js';
import { type LaneRef, laneKey } from '../../shared/queues/webhooks.js';
import { Lane } from './lane.js';
import { onLanesWoken, tellLanes } from './lane-notice.js';
import { type HeldLane, LEASE_SECONDS, releaseLanes, renewLanes, takeLanes } from './lane-store.js';

/** How often leases are renewed, in ms: two renewals may fail before one ends. */
const RENEW_MS = 4000;
/** A lane that has nothing to do is kept for so long, in ms: the next event of a busy endpoint is then under way at once. */
const IDLE_MS = 3000;
/** Nothing is sent with a lease that may have ended. */
const TRUSTED_MS = (LEASE_SECONDS - 2) * 1000;

/** What the keeper tells of its lanes. */
export interface LaneListener {
  /** There may be something to do. */
  onWoken(lane: Lane): void;
  /** Somebody else has it now, or will. */
  onLost(lane: Lane): void;
}

/** The lanes of this process: takes them, keeps them while they are busy, gives them back. */
export class LaneKeeper {
  private readonly lanes = new Map<string, Lane>();
  private timer: NodeJS.Timeout | undefined;
  private renewedAt = performance.now();
  private isClosing = false;

  constructor(
    private readonly runtime: Runtime,
    private readonly listener: LaneListener,
  ) {}

  async start(): Promise<void> {
    await onLanesWoken(this.runtime.bus, (refs) => {
      for (const ref of refs) this.wakeHeld(ref);
    });
    this.timer = setInterval(() => void this.keep(), RENEW_MS / 4);
  }

  /** False while a lease may have run out: PostgreSQL has not answered for too long. */
  get isTrusted(): boolean {
    return performance.now() - this.renewedAt < TRUSTED_MS;
  }

  get(ref: LaneRef): Lane | undefined {
    return this.lanes.get(laneKey(ref));
  }

  all(): Iterable<Lane> {
    return this.lanes.values();
  }

  /** Takes lanes, or tells their owners. Rejects when PostgreSQL is away. */
  async wake(refs: LaneRef[]): Promise<void> {
    const others = refs.filter((ref) => !this.wakeHeld(ref));
    if (others.length === 0 || this.isClosing) return;
    const asked = new Map(others.map((ref) => [laneKey(ref), { ...ref, owner: newId() }]));
    // With none held there was nothing to renew, and the lease that is taken now is fresh.
    if (this.lanes.size === 0) this.renewedAt = performance.now();
    const found = await takeLanes(this.runtime.db, [...asked.values()]);
    const foreign: LaneRef[] = [];
    for (const { tenantId, endpointId, isMine, health, version } of found) {
      const ref = { tenantId, endpointId };
      if (isMine) this.add(new Lane(ref, asked.get(laneKey(ref))?.owner as string, health, version));
      // Of two wakes at once the first has it by now.
      else if (!this.wakeHeld(ref)) foreign.push(ref);
    }
    if (foreign.length > 0) await tellLanes(this.runtime.bus, foreign);
  }

  private add(lane: Lane): void {
    this.lanes.set(laneKey(lane.ref), lane);
    this.listener.onWoken(lane);
  }

  private wakeHeld(ref: LaneRef): boolean {
    const lane = this.get(ref);
    if (!lane) return false;
    lane.isDirty = true;
    lane.isDoubtful = true;
    lane.busyAt = performance.now();
    this.listener.onWoken(lane);
    return true;
  }

  /** Gives back what is idle, and renews the rest when it is time. */
  private async keep(): Promise<void> {
    const now = performance.now();
    const idle = [...this.lanes.values()].filter((lane) => lane.isIdle && now - lane.busyAt > IDLE_MS);
    try {
      await this.release(idle);
      if (now - this.renewedAt >= RENEW_MS) await this.renew();
    } catch (error) {
      this.runtime.logger.warn({ err: error, lanes: this.lanes.size }, 'lanes not kept; trying again');
    }
  }

  private async renew(): Promise<void> {
    const asked = [...this.lanes.values()];
    const startedAt = performance.now();
    const kept = new Map(
      asked.length > 0
        ? (await renewLanes(this.runtime.db, asked.map(heldOf))).map((one) => [laneKey(one), one])
        : [],
    );
    this.renewedAt = startedAt;
    for (const lane of asked) {
      const one = kept.get(laneKey(lane.ref));
      if (!one) this.lose(lane);
      else if (one.isWoken) this.wakeHeld(lane.ref);
    }
  }

  private lose(lane: Lane): void {
    if (this.lanes.get(laneKey(lane.ref)) !== lane) return;
    this.lanes.delete(laneKey(lane.ref));
    this.listener.onLost(lane);
  }

  private async release(lanes: Lane[]): Promise<void> {
    if (lanes.length === 0) return;
    // First out of the map: whoever wakes one from now on takes it anew, under another lease.
    for (const lane of lanes) this.lose(lane);
    const woken = await releaseLanes(this.runtime.db, lanes.map(heldOf));
    if (woken.length > 0) await this.wake(woken);
  }

  /** Takes and renews no more, and gives everything back; to be called once nothing is under way any more. */
  async close(): Promise<void> {
    this.isClosing = true;
    clearInterval(this.timer);
    await this.release([...this.lanes.values()]);
  }
}

function heldOf({ ref, owner }: Lane): HeldLane {
  return { ...ref, owner };
}
