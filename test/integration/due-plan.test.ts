import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import type { Database, Statement, Transaction } from '../../shared/platform/postgres.js';
import { findDue } from '../../workers/webhooks/due-store.js';
import { type RunNode, runOf } from '../support/explain.js';
import { insertDueRetries, insertFarRetries } from '../support/scheduled-retries.js';
import { TestStack } from '../support/stack.js';
import { insertSignedEndpoint } from '../support/webhooks.js';

const FAR = 20_000;
const DUE = 3000;
const ROOM = 40;
/** Some for each delivery that it answers and for each that it is asked about; whoever reads all that waits needs a hundred times as many. */
const MOST_PAGES = 1500;

describe('a look for what is due', () => {
  let stack: TestStack;
  before(async () => {
    stack = await TestStack.start();
  });
  after(() => stack.stop());

  /** The statement itself, as the prepared statement of a session is planned. */
  async function statementOf(work: (db: Database) => Promise<unknown>): Promise<Statement> {
    let seen: Statement | undefined;
    const query = async (statement: Statement) => {
      seen = statement;
      return [];
    };
    const transaction = (_: string[], run: (tx: Transaction) => unknown) => run({ query } as never);
    await work({ transaction } as never);
    return seen as Statement;
  }

  it('reads neither all that waits nor all events, even before the planner knows how many there are', async () => {
    const { id: tenantId } = await stack.createTenant();
    const { id: endpointId } = await insertSignedEndpoint(stack.runtime, tenantId, {
      url: 'http://127.0.0.1:9/',
    });
    const lanes = { tenantId, endpointIds: [endpointId] };
    await insertFarRetries(stack.runtime.db, lanes, FAR);
    await insertDueRetries(stack.runtime.db, lanes, { count: DUE, fromMs: -1000, overMs: 0 });
    const doubtful = Array.from({ length: ROOM }, () => newId());
    const statement = await statementOf((db) =>
      findDue(db, [{ tenantId, endpointId, room: ROOM, known: [], doubtful }]),
    );
    const [whole] = (await runOf(stack.runtime.db, tenantId, statement)) as [RunNode];
    expect(whole['Actual Rows']).to.equal(ROOM);
    expect(whole['Shared Hit Blocks'] + whole['Shared Read Blocks']).to.be.below(MOST_PAGES);
  });
});
