import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { KnownPrimary, StalePrimaryError } from '../../../shared/platform/primary/known-primary.js';
import { createDatabase } from '../../support/stores.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });

describe('transactions on a primary that is replaced', () => {
  let db: Database;
  let primary: KnownPrimary;
  const tenant = newId();

  beforeEach(async () => {
    primary = new KnownPrimary();
    const databaseUrl = await createDatabase();
    db = openDatabase({ databaseUrl, poolSize: 2, applicationName: 'test', logger, primary });
  });
  afterEach(() => db.close());

  const insert = (task: string) => ({
    text: 'insert into sweep_faults (tenant_id, task, error) values ($1, $2, $3)',
    values: [tenant, task, 'x'],
  });
  const listTasks = async () => {
    const text = 'select s.task from sweep_faults s where s.tenant_id = $1 order by s.task';
    return (await db.read<{ task: string }>(tenant, { text, values: [tenant] })).map(({ task }) => task);
  };
  const learnOfPromotion = () => {
    const { newest } = primary;
    if (!newest) throw new Error('no transaction has run');
    primary.learn({ ...newest, timeline: newest.timeline + 1 });
  };
  const isRefused = (work: Promise<unknown>) =>
    work.then(
      () => false,
      (error: unknown) => error instanceof StalePrimaryError,
    );

  it('a transaction rolls back if the process learns of the promotion before the commit', async () => {
    await db.transaction([tenant], (tx) => tx.query(insert('first')));
    const refused = await isRefused(
      db.transaction([tenant], async (tx) => {
        await tx.query(insert('second'));
        learnOfPromotion();
      }),
    );
    expect(refused).to.equal(true);
    expect(await listTasks()).to.deep.equal(['first']);
  });

  it('a transaction counts as failed if the process learns of the promotion during the commit', async () => {
    const refused = await isRefused(
      db.transaction([tenant], async (tx) => {
        tx.queryAtCommit(insert('unknown'));
        tx.queryAtCommit({ text: 'select pg_sleep(0.5)' });
        setTimeout(learnOfPromotion, 100);
      }),
    );
    expect(refused).to.equal(true);
  });

  it('no transaction begins on an old primary, and its connections close', async () => {
    await db.transaction([tenant], (tx) => tx.query(insert('first')));
    learnOfPromotion();
    let hasBegun = false;
    for (let nth = 0; nth < 3; nth += 1) {
      const refused = await isRefused(
        db.transaction([tenant], async () => {
          hasBegun = true;
        }),
      );
      expect(refused).to.equal(true);
    }
    expect(hasBegun).to.equal(false);
    expect(db.getPoolStats().total).to.equal(0);
  });
});
