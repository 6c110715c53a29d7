import { expect } from 'chai';
import pg from 'pg';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../../shared/platform/postgres/database.js';
import { createDatabase } from '../../support/stores.js';

const LOCK = 6_022;
/** A read that lasts until the test releases the lock. */
const HELD_READ = { text: `select pg_advisory_xact_lock_shared(${LOCK})` };
const HELD_SEARCH = { ...HELD_READ, timeoutMs: 20_000 };
const SLOW_SEARCH = { text: 'select pg_sleep(0.15)', timeoutMs: 20_000 };
/** Sleeps for $1 seconds, and then waits for the advisory lock $2. */
const SLEEP_AND_HOLD_READ = { text: 'select pg_sleep($1), pg_advisory_xact_lock_shared($2)' };
const QUICK_READ = { name: 'quick', text: 'select 1 as one' };
const [slowTenant, quickTenant, thirdTenant, fourthTenant] = [newId(), newId(), newId(), newId()];

describe('slow reads of one tenant', () => {
  let db: Database;
  let holder: pg.Client;

  before(async () => {
    const databaseUrl = await createDatabase();
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    db = openDatabase({ databaseUrl, poolSize: 10, applicationName: 'slow-reads', logger });
    holder = new pg.Client({ connectionString: databaseUrl });
    await holder.connect();
  });
  after(async () => {
    await holder.end();
    await db.close();
  });
  beforeEach(() => holder.query('select pg_advisory_lock($1)', [LOCK]));
  afterEach(() => release());

  const release = () => holder.query('select pg_advisory_unlock_all()');
  /**
   * Returns a count of the reads that have ended (`ended`), and a promise for the end of all reads
   * (`all`).
   */
  const trackReads = (reads: Promise<unknown>[]) => {
    const progress = { ended: 0, all: Promise.allSettled(reads) };
    for (const read of reads)
      read
        .finally(() => {
          progress.ended += 1;
        })
        .catch(() => undefined);
    return progress;
  };

  it('slow searches of one tenant do not delay reads and searches of other tenants', async () => {
    const searches = trackReads(Array.from({ length: 30 }, () => db.read(slowTenant, HELD_SEARCH)));
    for (let round = 0; round < 50; round += 1)
      expect(await db.read(quickTenant, QUICK_READ)).to.deep.equal([{ one: 1 }]);
    expect(await db.read(thirdTenant, { ...QUICK_READ, timeoutMs: 2000 }), 'a search').to.deep.equal([
      { one: 1 },
    ]);
    expect(searches.ended).to.equal(0);
    await release();
    expect((await searches.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('unexpectedly slow reads of one tenant do not delay reads and writes of other tenants', async () => {
    const reads = trackReads(Array.from({ length: 30 }, () => db.read(slowTenant, HELD_READ)));
    for (let round = 0; round < 50; round += 1)
      expect(await db.read(quickTenant, QUICK_READ)).to.deep.equal([{ one: 1 }]);
    await db.transaction([quickTenant], (tx) => tx.query(QUICK_READ));
    expect(reads.ended).to.equal(0);
    await release();
    expect((await reads.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('slow searches of a tenant do not delay its other reads', async () => {
    await db.read(slowTenant, SLOW_SEARCH);
    const searches = trackReads(Array.from({ length: 30 }, () => db.read(slowTenant, HELD_SEARCH)));
    for (let round = 0; round < 50; round += 1)
      expect(await db.read(slowTenant, QUICK_READ)).to.deep.equal([{ one: 1 }]);
    expect(searches.ended).to.equal(0);
    await release();
    expect((await searches.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('reads of a query known to be slow do not delay other queries of their tenant', async () => {
    await db.read(slowTenant, { ...SLEEP_AND_HOLD_READ, values: [0.15, LOCK + 1] });
    const read = { ...SLEEP_AND_HOLD_READ, values: [0, LOCK] };
    const reads = trackReads(Array.from({ length: 30 }, () => db.read(slowTenant, read)));
    for (let round = 0; round < 50; round += 1)
      expect(await db.read(slowTenant, QUICK_READ)).to.deep.equal([{ one: 1 }]);
    expect(reads.ended).to.equal(0);
    await release();
    expect((await reads.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('slow reads on every connection of their tenant do not delay its other queries', async () => {
    const reads = trackReads(Array.from({ length: 30 }, () => db.read(fourthTenant, HELD_READ)));
    const countHeld = async () => {
      const { rows } = await holder.query<{ held: number }>(
        `select count(*)::int as held from pg_stat_activity
         where wait_event = 'advisory' and query_start < clock_timestamp() - interval '150 ms'`,
      );
      return rows[0]?.held;
    };
    while ((await countHeld()) !== 3);
    for (let round = 0; round < 50; round += 1)
      expect(await db.read(fourthTenant, QUICK_READ)).to.deep.equal([{ one: 1 }]);
    expect(reads.ended).to.equal(0);
    await release();
    expect((await reads.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('a read by primary key does not wait for slow reads of its tenant, even of its own query', async () => {
    const lockRead = (lock: number) => ({
      name: 'lock',
      text: 'select pg_advisory_xact_lock_shared($1)',
      values: [lock],
    });
    const reads = trackReads(Array.from({ length: 60 }, () => db.read(slowTenant, lockRead(LOCK))));
    for (let round = 0; round < 50; round += 1)
      await db.read(slowTenant, { ...lockRead(LOCK + 1), isKeyLookup: true });
    expect(reads.ended).to.equal(0);
    await release();
    await reads.all;
  });

  it('a tenant that searches now and then overtakes six tenants that search without end', async () => {
    const flooding = Array.from({ length: 6 }, (_, index) => ({ tenant: newId(), lock: LOCK + 1 + index }));
    for (const { lock } of flooding) await holder.query('select pg_advisory_lock($1)', [lock]);
    const search = { text: 'select pg_advisory_xact_lock_shared($1)', timeoutMs: 20_000 };
    const searches = flooding.map(({ tenant, lock }) => {
      const first = db.read(tenant, SLOW_SEARCH);
      const held = [0, 1, 2].map(() => db.read(tenant, { ...search, values: [lock] }));
      return { lock, reads: trackReads([first, ...held]) };
    });
    const findHeld = async () => {
      const { rows } = await holder.query<{ lock: number }>(
        `select objid::int as lock from pg_locks
         where locktype = 'advisory' and not granted
           and database = (select oid from pg_database where datname = current_database())`,
      );
      return rows.map(({ lock }) => lock);
    };
    let held: number[];
    do held = await findHeld();
    while (held.length < 2);
    for (const lock of held) {
      const newcomer = db.read(thirdTenant, { ...QUICK_READ, timeoutMs: 20_000 });
      await holder.query('select pg_advisory_unlock($1)', [lock]);
      expect(await newcomer).to.deep.equal([{ one: 1 }]);
    }
    const others = searches.filter(({ lock }) => !held.includes(lock));
    expect(
      others.map(({ reads }) => reads.ended),
      'they still wait',
    ).to.deep.equal([1, 1, 1, 1]);
    await release();
    await Promise.all(searches.map(({ reads }) => reads.all));
  });

  it('too many waiting searches of a tenant get 503 with Retry-After, and other tenants still search', async () => {
    const searches = trackReads(Array.from({ length: 60 }, () => db.read(slowTenant, HELD_SEARCH)));
    const refused = await db.read(slowTenant, HELD_SEARCH).catch((error: unknown) => error);
    expect(refused).to.deep.include({ code: 'service_unavailable', status: 503 });
    expect(refused).to.have.nested.property('headers.Retry-After', '1');
    expect(await db.read(thirdTenant, { ...QUICK_READ, timeoutMs: 2000 })).to.deep.equal([{ one: 1 }]);
    await release();
    const rejected = (await searches.all).filter(({ status }) => status === 'rejected');
    expect(rejected).to.have.length(60 - 51);
  });

  it('PostgreSQL ends a read at its own timeout, and the next read has the usual timeout', async () => {
    const ended = await db.read(slowTenant, { ...HELD_READ, timeoutMs: 50 }).catch((error: unknown) => error);
    expect(ended).to.have.property('code', '57014');
    await release();
    const [row] = await db.read<{ statement_timeout: string }>(slowTenant, {
      text: 'show statement_timeout',
    });
    expect(row?.statement_timeout).to.equal('5s');
  });
});
