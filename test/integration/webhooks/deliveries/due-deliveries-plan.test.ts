import { expect } from 'chai';
import { findDue } from '../../../../shared/deliveries/find-due-deliveries.js';
import { newId } from '../../../../shared/platform/ids.js';
import type { Database, SqlQuery, Transaction } from '../../../../shared/platform/postgres/database.js';
import { useStack } from '../../../support/use-stack.js';
import { insertDueRetries, insertFarRetries } from '../../../support/webhooks/scheduled-retries.js';
import { insertSignedEndpoint } from '../../../support/webhooks/webhooks.js';
import { explainRun, type RunNode } from '../../../support/writes/explain.js';

const FAR_COUNT = 20_000;
const DUE_COUNT = 3000;
const MAX_RESULTS = 40;
/**
 * The query may read at most this many pages: a few for each delivery that it returns, and a few
 * for each id that `findDue` gets in `doubtful`. Reading all waiting deliveries would need a
 * hundred times as many.
 */
const MAX_PAGES = 1500;

describe('the query for due webhook deliveries', () => {
  const stack = useStack({}, 'query plans');

  /** Returns the query that `work` sends, so that the test can run it with EXPLAIN. */
  async function captureQuery(work: (db: Database) => Promise<unknown>): Promise<SqlQuery> {
    let captured: SqlQuery | undefined;
    const query = async (sentQuery: SqlQuery) => {
      captured = sentQuery;
      return [];
    };
    const transaction = (_: string[], run: (tx: Transaction) => unknown) => run({ query } as never);
    await work({ transaction } as never);
    return captured as SqlQuery;
  }

  it('the query for due deliveries reads neither all waiting deliveries nor all events, even without statistics', async () => {
    const { id: tenantId } = await stack.createTenant();
    const { id: endpointId } = await insertSignedEndpoint(stack.runtime, tenantId, {
      url: 'http://127.0.0.1:9/',
    });
    const endpoints = { tenantId, endpointIds: [endpointId] };
    await insertFarRetries(stack.runtime.db, endpoints, FAR_COUNT);
    await insertDueRetries(stack.runtime.db, endpoints, { count: DUE_COUNT, fromMs: -1000, overMs: 0 });
    const doubtful = Array.from({ length: MAX_RESULTS }, () => newId());
    const query = await captureQuery((db) =>
      findDue(db, [{ tenantId, endpointId, room: MAX_RESULTS, known: [], doubtful }]),
    );
    const [root] = (await explainRun(stack.runtime.db, tenantId, query)) as [RunNode];
    expect(root['Actual Rows']).to.equal(MAX_RESULTS);
    expect(root['Shared Hit Blocks'] + root['Shared Read Blocks']).to.be.below(MAX_PAGES);
  });
});
