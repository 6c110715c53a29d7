import type pg from 'pg';
import { corkUntilNextTick } from './send.js';

/**
 * A cached plan reflects the tables at planning time. A plan made on an empty table may read all
 * rows of a tenant through an index that looked as good as the key then. Planning again every two
 * seconds follows the growth and costs a busy connection a few thousandths of its time.
 */
const PLAN_LIFETIME_MS = 2000;

/** The ages of the plans that each connection has cached. */
export class CachedPlans {
  private readonly plannedAt = new WeakMap<pg.PoolClient, number>();

  /**
   * Discards the connection's plans if they are old.
   * @param onError called if the query that discards them fails
   */
  discardOld(client: pg.PoolClient, onError: (error: Error) => void): void {
    const now = Date.now();
    const plannedAt = this.plannedAt.get(client);
    if (plannedAt !== undefined && now - plannedAt < PLAN_LIFETIME_MS) return;
    this.plannedAt.set(client, now);
    // A connection that is used for the first time has no plans.
    if (plannedAt === undefined) return;
    // Sent in the same flush as the queries that follow.
    corkUntilNextTick(client);
    client.query('discard plans').catch(onError);
  }
}
