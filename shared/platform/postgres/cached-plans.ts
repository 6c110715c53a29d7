import type pg from 'pg';
import { corkUntilNextTick } from './send.js';

/**
 * A cached plan reflects the tables at planning time. A plan from when a table was empty may read
 * all rows of a tenant through an index that then looked as good as the key. Planning again every
 * two seconds follows the growth, and costs a busy connection a few thousandths of its time.
 */
const PLAN_LIFETIME_MS = 2000;

/** The ages of each connection's cached plans. */
export class CachedPlans {
  private readonly plannedAt = new WeakMap<pg.PoolClient, number>();

  /** @param onError called if the query that discards the plans fails */
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
