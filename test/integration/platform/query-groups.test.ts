import { expect } from 'chai';
import { isConnectionError } from '../../../shared/platform/errors.js';
import { createLogger } from '../../../shared/platform/logger.js';
import {
  type Database,
  openDatabase,
  type SqlQuery,
  type Transaction,
} from '../../../shared/platform/postgres/database.js';
import { createDatabase } from '../../support/stores.js';
import { withPgClient } from '../../support/writes/rows.js';

const number = (value: number, name?: string): SqlQuery => ({
  ...(name && { name }),
  text: 'select $1::int as number',
  values: [value],
});
const FAILING_QUERY = { text: 'select 1 / 0 as never' };

describe('queries of one transaction that are sent together', () => {
  let databaseUrl: string;
  let db: Database;

  before(async () => {
    databaseUrl = await createDatabase();
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    // All tests use one connection. So a test fails if an earlier test left the connection in a bad
    // state.
    db = openDatabase({ databaseUrl, poolSize: 1, applicationName: 'query-groups', logger });
  });
  after(() => db.close());

  const run = <T>(work: (tx: Transaction) => Promise<T>) => db.transaction([], work);

  it('each query gets its own rows, in a group and after it, prepared or not', async () => {
    for (let round = 0; round < 3; round += 1) {
      const rows = await run(async (tx) => {
        const together = await Promise.all([
          tx.query(number(1, 'number')),
          tx.query(number(2)),
          tx.query({ text: 'select 3 as number where false' }),
          tx.query({ text: 'set local application_name to changed' }),
          tx.query(number(4, 'number')),
          tx.query({ text: 'select 5 as number union all select 6' }),
        ]);
        return [...together, await tx.query(number(7, 'number'))];
      });
      expect(rows).to.deep.equal([
        [{ number: 1 }],
        [{ number: 2 }],
        [],
        [],
        [{ number: 4 }],
        [{ number: 5 }, { number: 6 }],
        [{ number: 7 }],
      ]);
    }
  });

  it('values of every kind arrive as with pg', async () => {
    const values = ['ä', 1.5, true, null, Buffer.from([0, 255]), ['a', 'b"c'], { a: [1] }];
    const text = `select $1::text as text, $2::float8 as number, $3::boolean as flag, $4::text as nothing, $5::bytea as bytes,
                    $6::text[] as list, $7::jsonb as json`;
    const [row] = await run((tx) => tx.query({ text, values }));
    const byPg = await withPgClient(
      databaseUrl,
      async (client) => (await client.query(text, values)).rows[0],
    );
    expect(row).to.deep.equal(byPg);
  });

  it('after a failed query the rest of the group fails with its error, nothing is stored, and the connection works', async () => {
    await run((tx) => tx.query({ text: `select set_config('app.kept', 'before', false)` }));
    const results: PromiseSettledResult<unknown>[] = [];
    const failed = await run(async (tx) => {
      results.push(
        ...(await Promise.allSettled([
          tx.query({ text: `select set_config('app.kept', 'inside', false)` }),
          tx.query(FAILING_QUERY),
          tx.query(number(1, 'number of a skipped query')),
          tx.query(number(2, 'number of a skipped query')),
        ])),
      );
      throw new Error('the work saw the results');
    }).catch((error: Error) => error.message);
    expect(failed).to.equal('the work saw the results');
    expect(results.map(({ status }) => status)).to.deep.equal([
      'fulfilled',
      'rejected',
      'rejected',
      'rejected',
    ]);
    for (const result of results.slice(1)) expect(result).to.have.nested.property('reason.code', '22012');
    const rows = await run((tx) =>
      Promise.all([
        tx.query({ text: `select current_setting('app.kept') as kept` }),
        tx.query(number(3, 'number of a skipped query')),
      ]),
    );
    expect(rows).to.deep.equal([[{ kept: 'before' }], [{ number: 3 }]]);
  });

  it('a query that cannot be prepared fails each time, and its name can be used afterwards', async () => {
    for (let round = 0; round < 2; round += 1) {
      const wrong = { name: 'wrong', text: 'select nothing_like_that' };
      const error = await run((tx) => tx.query(wrong)).catch((caught: unknown) => caught);
      expect(error).to.have.property('code', '42703');
    }
    expect(await run((tx) => tx.query({ name: 'wrong', text: 'select 1 as number' }))).to.deep.equal([
      { number: 1 },
    ]);
  });

  it('two different queries with one name are refused', async () => {
    await run((tx) => tx.query(number(1, 'one name')));
    const error = await run((tx) => tx.query({ name: 'one name', text: 'select 2' })).catch(
      (caught: Error) => caught.message,
    );
    expect(error).to.contain('one name');
    expect(await run((tx) => tx.query(number(3, 'one name')))).to.deep.equal([{ number: 3 }]);
  });

  it('two different queries with one name in the same group are refused before anything is sent', async () => {
    const name = 'one name in a group';
    const results = await run(async (tx) => {
      const settled = await Promise.allSettled([
        tx.query(number(1, name)),
        tx.query({ name, text: 'select 2 as number' }),
      ]);
      // The refused group contained `begin`, so this query would run outside a transaction.
      return [...settled, ...(await Promise.allSettled([tx.query(number(3))]))];
    }).catch((error: Error) => error.message);
    expect(results).to.contain(name);
    const reasons = await run(async (tx) => {
      await tx.query(number(1));
      return Promise.allSettled([tx.query(number(1, name)), tx.query({ name, text: 'select 2 as number' })]);
    }).catch((error: Error) => error.message);
    expect(reasons).to.be.an('array').that.has.length(2);
  });

  it('after a group with `begin` is refused, no query of that transaction runs', async () => {
    const name = 'refused with begin';
    const later: unknown[] = [];
    await run(async (tx) => {
      await Promise.allSettled([tx.query(number(1, name)), tx.query({ name, text: 'select 2 as number' })]);
      later.push(await tx.query({ text: `select set_config('app.kept', 'outside', false)` }).catch(String));
    }).catch(() => undefined);
    expect(String(later[0])).to.contain(name);
    const [kept] = await db.query({ text: `select current_setting('app.kept', true) as kept` });
    expect(kept).not.to.deep.equal({ kept: 'outside' });
  });

  it('an empty query returns no rows and does not take the rows of the next query', async () => {
    const rows = await run((tx) =>
      Promise.all([
        tx.query({ text: '' }),
        tx.query(number(1)),
        tx.query({ text: '-- nothing' }),
        tx.query(number(2)),
      ]),
    );
    expect(rows).to.deep.equal([[], [{ number: 1 }], [], [{ number: 2 }]]);
  });

  it('a connection outlives the query timeout of pg, which ends with the group', async () => {
    const url = new URL(databaseUrl);
    url.searchParams.set('query_timeout', '300');
    const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
    const timed = openDatabase({ databaseUrl: url.href, poolSize: 1, applicationName: 'timed', logger });
    const readPid = () => timed.transaction([], (tx) => tx.query({ text: 'select pg_backend_pid() as pid' }));
    const before = await readPid();
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await readPid()).to.deep.equal(before);
    await timed.close();
  });

  it('a value that pg cannot convert fails its query alone, before anything is sent', async () => {
    const endless: Record<string, unknown> = {};
    endless.self = endless;
    const [refused, answered] = await run((tx) =>
      Promise.allSettled([tx.query({ text: 'select $1::jsonb', values: [endless] }), tx.query(number(2))]),
    );
    expect(refused).to.have.property('status', 'rejected');
    expect(answered).to.have.deep.property('value', [{ number: 2 }]);
  });

  it('work that throws while its queries are unsent leaves no open transaction', async () => {
    const work = async (tx: Transaction): Promise<void> => {
      tx.query(number(1)).catch(() => undefined);
      throw new Error('thrown at once');
    };
    expect(await run(work).catch((error: Error) => error.message)).to.equal('thrown at once');
    // In an open transaction, now() would be the start of that transaction.
    const [state] = await db.query({ text: 'select now() = statement_timestamp() as fresh' });
    expect(state).to.deep.equal({ fresh: true });
  });

  it('queries at the commit see the rows of the transaction, and a failing one rolls all back', async () => {
    const seen: unknown[] = [];
    await run(async (tx) => {
      await tx.query({ text: `select set_config('app.seen', 'yes', true)` });
      tx.queryAtCommit({ text: `select current_setting('app.seen') as seen` }, (rows) => seen.push(...rows));
    });
    expect(seen).to.deep.equal([{ seen: 'yes' }]);
    const error = await run(async (tx) => {
      await tx.query({ text: `select set_config('app.kept', 'rolled back', false)` });
      tx.queryAtCommit(FAILING_QUERY, () => seen.push('never'));
    }).catch((caught: unknown) => caught);
    expect(error).to.have.property('code', '22012');
    const [kept] = await db.query({ text: `select current_setting('app.kept') as kept` });
    expect([seen.length, kept]).to.deep.equal([1, { kept: 'before' }]);
  });

  it('a connection that is cut in the middle of a group fails all its queries, and the next transaction works', async () => {
    const reasons: unknown[] = [];
    const failed = await run(async (tx) => {
      const [own] = await tx.query<{ pid: number }>({ text: 'select pg_backend_pid() as pid' });
      const group = [{ text: 'select pg_sleep(10)' }, number(1, 'number')].map((query) =>
        tx.query(query).catch((error: unknown) => reasons.push(error)),
      );
      await withPgClient(databaseUrl, (client) =>
        client.query('select pg_terminate_backend($1)', [own?.pid]),
      );
      await Promise.all(group);
    }).catch((error: unknown) => error);
    expect([...reasons, failed].map(isConnectionError)).to.deep.equal([true, true, true]);
    expect(await run((tx) => tx.query(number(2, 'number')))).to.deep.equal([{ number: 2 }]);
  });
});
