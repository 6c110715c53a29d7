import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { createTenantPair, createTenantPairIds } from '../../../shared/resources/tenants/create-tenant.js';
import { ConflictMonitor } from '../../../workers/writes/conflict-monitor.js';
import { runIsolated } from '../../../workers/writes/isolate-commands.js';
import { createDatabase } from '../../support/stores.js';
import { createBatchContext } from '../../support/writes/batch-context.js';
import { buildCommand } from '../../support/writes/commands.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });

describe('batches with repeated requests', () => {
  let db: Database;
  let tenant: string;

  before(async () => {
    db = openDatabase({ databaseUrl: await createDatabase(), poolSize: 2, applicationName: 'test', logger });
    const pair = createTenantPairIds();
    await db.transaction([pair.live, pair.sandbox], (tx) => createTenantPair(tx, pair, { name: 'T' }));
    tenant = pair.live;
  });
  after(() => db.close());

  it('after a repeated request the next batches search for existing results first, so that each runs once', async () => {
    const key = newId();
    const create = () => ({
      ...buildCommand('customer.create', tenant, { company_name: 'Again' }),
      idempotency: { key, method: 'POST', path: '/customers', bodyHash: 'same' },
    });
    const conflictMonitor = new ConflictMonitor();
    let runs = 0;
    const counting = {
      ...createBatchContext({ db, logger }),
      conflictMonitor: conflictMonitor,
      beforeCommit: () => {
        runs += 1;
      },
    };
    let commandId: string | undefined;
    const run = async () => {
      const [result] = await runIsolated(counting, [create()], {
        shouldSearchEarlier: conflictMonitor.isNextBatchCautious(),
      });
      if (result?.ok !== true) throw new Error('refused');
      if (!result.replayed) commandId = result.id;
      else expect(result.first).to.deep.equal({ id: commandId, entityId: JSON.parse(result.body).id });
      return { replayed: result.replayed, body: result.body };
    };
    const first = await run();
    expect(first).to.include({ replayed: false });
    expect(runs).to.equal(1);
    const results = [await run(), await run(), await run()];
    for (const result of results) expect(result).to.deep.equal({ ...first, replayed: true });
    // The second request ran twice, because only its second run searched for existing results. Each
    // later request ran once.
    expect(runs).to.equal(1 + 2 + 1 + 1);
  });
});
