import { serviceUnavailable } from '../shared/platform/errors.js';
import { createGate, type Gate, GateFullError } from '../shared/platform/gate.js';
import type { Database } from '../shared/platform/postgres.js';
import { type PlannedReplay, planReplay, type Wish } from '../shared/resources/webhook-replays/plan.js';

/** Each count has a connection to itself for up to a second: more at once would leave none to the others. */
const COUNTS = { atOnce: 2, waiting: 20 };
/** However many an account asks for, other accounts' turns come. */
const COUNTS_OF_ONE_ACCOUNT = { atOnce: 1, waiting: 4 };

/** Counts what a replay would make, when it is its turn. @throws {AppError} 503 when too many wait already */
export type ReplayPlanner = (wish: Wish) => Promise<PlannedReplay>;

export function createReplayPlanner(db: Database): ReplayPlanner {
  const counts = createGate(COUNTS);
  const accounts = new Map<string, { gate: Gate; inside: number }>();
  return async (wish) => {
    const account = accounts.get(wish.tenantId) ?? { gate: createGate(COUNTS_OF_ONE_ACCOUNT), inside: 0 };
    accounts.set(wish.tenantId, account);
    account.inside += 1;
    try {
      return await account.gate.run(() => counts.run(() => planReplay(db, wish)));
    } catch (error) {
      if (!(error instanceof GateFullError)) throw error;
      throw serviceUnavailable(
        'Too many replays are being counted at this moment. Try again shortly.',
        error,
      );
    } finally {
      account.inside -= 1;
      if (account.inside === 0) accounts.delete(wish.tenantId);
    }
  };
}
