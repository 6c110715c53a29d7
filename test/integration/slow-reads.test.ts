import { expect } from 'chai';
import pg from 'pg';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import { createDatabase } from '../support/stores.js';

const LOCK = 6_022;
/** A read that lasts until the test lets it go on. */
const HELD = { text: `select pg_advisory_xact_lock_shared(${LOCK})` };
const HELD_SEARCH = { ...HELD, timeoutMs: 20_000 };
const SLOW_SEARCH = { text: 'select pg_sleep(0.15)', timeoutMs: 20_000 };
/** Its first value says how long it lasts; it holds until the lock of its second value is free. */
const SLEEP_AND_HOLD = { text: 'select pg_sleep($1), pg_advisory_xact_lock_shared($2)' };
const QUICK = { name: 'quick', text: 'select 1 as one' };
const [slow, quick, third, fourth] = [newId(), newId(), newId(), newId()];

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
  /** Resolves with how many of the reads have ended so far, and how all ended. */
  const follow = (reads: Promise<unknown>[]) => {
    const progress = { ended: 0, all: Promise.allSettled(reads) };
    for (const read of reads)
      read
        .finally(() => {
          progress.ended += 1;
        })
        .catch(() => undefined);
    return progress;
  };

  it('let the reads of other tenants pass, when they are searches', async () => {
    const searches = follow(Array.from({ length: 30 }, () => db.read(slow, HELD_SEARCH)));
    for (let turn = 0; turn < 50; turn += 1) expect(await db.read(quick, QUICK)).to.deep.equal([{ one: 1 }]);
    expect(await db.read(third, { ...QUICK, timeoutMs: 2000 }), 'a search').to.deep.equal([{ one: 1 }]);
    expect(searches.ended).to.equal(0);
    await release();
    expect((await searches.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('let the reads of other tenants pass, when nothing told that they would be slow', async () => {
    const reads = follow(Array.from({ length: 30 }, () => db.read(slow, HELD)));
    for (let turn = 0; turn < 50; turn += 1) expect(await db.read(quick, QUICK)).to.deep.equal([{ one: 1 }]);
    await db.transaction([quick], (tx) => tx.query(QUICK));
    expect(reads.ended).to.equal(0);
    await release();
    expect((await reads.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('keep no other read of their own tenant waiting, when they are searches', async () => {
    await db.read(slow, SLOW_SEARCH);
    const searches = follow(Array.from({ length: 30 }, () => db.read(slow, HELD_SEARCH)));
    for (let turn = 0; turn < 50; turn += 1) expect(await db.read(slow, QUICK)).to.deep.equal([{ one: 1 }]);
    expect(searches.ended).to.equal(0);
    await release();
    expect((await searches.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('keep no other query of their own tenant waiting, once they are known', async () => {
    await db.read(slow, { ...SLEEP_AND_HOLD, values: [0.15, LOCK + 1] });
    const read = { ...SLEEP_AND_HOLD, values: [0, LOCK] };
    const reads = follow(Array.from({ length: 30 }, () => db.read(slow, read)));
    for (let turn = 0; turn < 50; turn += 1) expect(await db.read(slow, QUICK)).to.deep.equal([{ one: 1 }]);
    expect(reads.ended).to.equal(0);
    await release();
    expect((await reads.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('that hold up every connection of their tenant let its other queries pass', async () => {
    const reads = follow(Array.from({ length: 30 }, () => db.read(fourth, HELD)));
    const countHeld = async () => {
      const { rows } = await holder.query<{ held: number }>(
        `select count(*)::int as held from pg_stat_activity
         where wait_event = 'advisory' and query_start < clock_timestamp() - interval '150 ms'`,
      );
      return rows[0]?.held;
    };
    while ((await countHeld()) !== 3);
    for (let turn = 0; turn < 50; turn += 1) expect(await db.read(fourth, QUICK)).to.deep.equal([{ one: 1 }]);
    expect(reads.ended).to.equal(0);
    await release();
    expect((await reads.all).map(({ status }) => status)).to.not.include('rejected');
  });

  it('of six tenants that search without end are overtaken by a tenant that searches now and then', async () => {
    const flooding = Array.from({ length: 6 }, (_, index) => ({ tenant: newId(), lock: LOCK + 1 + index }));
    for (const { lock } of flooding) await holder.query('select pg_advisory_lock($1)', [lock]);
    const search = { text: 'select pg_advisory_xact_lock_shared($1)', timeoutMs: 20_000 };
    const searches = flooding.map(({ tenant, lock }) => {
      const first = db.read(tenant, SLOW_SEARCH);
      const held = [0, 1, 2].map(() => db.read(tenant, { ...search, values: [lock] }));
      return { lock, reads: follow([first, ...held]) };
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
      const newcomer = db.read(third, { ...QUICK, timeoutMs: 20_000 });
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

  it('are refused with a Retry-After when too many of them wait; other tenants still search', async () => {
    const searches = follow(Array.from({ length: 60 }, () => db.read(slow, HELD_SEARCH)));
    const refused = await db.read(slow, HELD_SEARCH).catch((error: unknown) => error);
    expect(refused).to.deep.include({ code: 'service_unavailable', status: 503 });
    expect(refused).to.have.nested.property('headers.Retry-After', '1');
    expect(await db.read(third, { ...QUICK, timeoutMs: 2000 })).to.deep.equal([{ one: 1 }]);
    await release();
    const rejected = (await searches.all).filter(({ status }) => status === 'rejected');
    expect(rejected).to.have.length(60 - 51);
  });

  it('are ended by PostgreSQL at their own deadline, and the next read has the usual one', async () => {
    const ended = await db.read(slow, { ...HELD, timeoutMs: 50 }).catch((error: unknown) => error);
    expect(ended).to.have.property('code', '57014');
    await release();
    const [row] = await db.read<{ statement_timeout: string }>(slow, { text: 'show statement_timeout' });
    expect(row?.statement_timeout).to.equal('5s');
  });
});
