import { expect } from 'chai';
import pg from 'pg';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase } from '../../shared/platform/postgres.js';
import { createDatabase } from '../support/stores.js';

const LOCK = 6_022;
/** A read that lasts until the test lets it go on. */
const HELD = { text: `select pg_advisory_xact_lock_shared(${LOCK})` };
const HELD_SEARCH = { ...HELD, timeoutMs: 2000 };
const QUICK = { name: 'quick', text: 'select 1 as one' };
const [slow, quick, third] = [newId(), newId(), newId()];

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
