import type pg from 'pg';
import { corkConnection } from './send.js';

/**
 * The time that a connection keeps its cached plans. A plan suits the size that the tables had when
 * PostgreSQL made the plan. If a table was empty at that time, the plan may read all rows of a
 * tenant instead of looking up a key. New plans every two seconds follow the table's growth. Making
 * them costs a busy connection a few thousandths of its time.
 */
const PLAN_LIFETIME_MS = 2000;

export class CachedPlans {
  private readonly plannedAt = new WeakMap<pg.PoolClient, number>();

  /** @param onError runs if the query that discards the plans fails */
  discardOld(client: pg.PoolClient, onError: (error: Error) => void): void {
    const now = Date.now();
    const plannedAt = this.plannedAt.get(client);
    if (plannedAt !== undefined && now - plannedAt < PLAN_LIFETIME_MS) return;
    this.plannedAt.set(client, now);
    // A connection has no plans when it is used for the first time.
    if (plannedAt === undefined) return;
    // Send this query in one flush with the queries that follow.
    corkConnection(client);
    client.query('discard plans').catch(onError);
  }
}
