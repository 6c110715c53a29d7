import type pg from 'pg';
import { isConnectionError } from './errors.js';

/** A client taken from the pool. `discard` marks it as broken, so that `release` closes it instead of keeping it. */
export interface Lease {
  client: pg.PoolClient;
  discard: (error: Error) => void;
  release: () => void;
}

interface Lane {
  lease: Promise<Lease>;
  inFlight: number;
  /** When its plans were last made anew; a lane that never runs empty must not keep them for ever. */
  openedAt: number;
}

/** Connections that reads share; measured: more of them cost more wake-ups, fewer leave a core idle. */
const MAX_LANES = 4;

/**
 * Reads share a few connections: with `pipeline: true` several short transactions may be under way on one. Under load they leave and come back together,
 * and the server's process stays awake between them; waking it for each read alone was a third of the api's time (measured). A lane goes back to the pool
 * as soon as nothing is under way on it.
 */
export class ReadLanes {
  private readonly lanes: Lane[] = [];

  constructor(private readonly lease: () => Promise<Lease>) {}

  /** Runs a read that sends all its statements before it first waits, so that nobody else's come between them. */
  async run<T>(read: (client: pg.PoolClient) => Promise<T>): Promise<T> {
    const lane = this.take();
    lane.inFlight += 1;
    try {
      const { client, discard } = await lane.lease;
      try {
        return await read(client);
      } catch (error) {
        if (isConnectionError(error)) {
          this.close(lane);
          discard(error as Error);
        }
        throw error;
      }
    } finally {
      this.give(lane);
    }
  }

  private take(): Lane {
    const idlest = this.lanes.reduce<Lane | undefined>(
      (best, lane) => (best === undefined || lane.inFlight < best.inFlight ? lane : best),
      undefined,
    );
    if (idlest && this.lanes.length >= MAX_LANES) return idlest;
    const lane = { lease: this.lease(), inFlight: 0, openedAt: Date.now() };
    // Whoever waits for it gets the error; here it must not count as unhandled.
    lane.lease.catch(() => undefined);
    this.lanes.push(lane);
    return lane;
  }

  private give(lane: Lane): void {
    lane.inFlight -= 1;
    if (Date.now() - lane.openedAt > LANE_LIFETIME_MS) this.close(lane);
    if (lane.inFlight > 0) return;
    this.close(lane);
    lane.lease.then(
      ({ release }) => release(),
      () => undefined,
    );
  }

  /** Takes no more reads; the ones under way end. */
  private close(lane: Lane): void {
    const index = this.lanes.indexOf(lane);
    if (index >= 0) this.lanes.splice(index, 1);
  }
}

/** Leased anew after this, which makes the plans of its connection anew as well. */
const LANE_LIFETIME_MS = 2000;
