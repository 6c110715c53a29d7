import { expect } from 'chai';
import { newId } from '../../../shared/platform/ids.js';
import { createLogger } from '../../../shared/platform/logger.js';
import { type Database, openDatabase, type Transaction } from '../../../shared/platform/postgres/database.js';
import { createDatabase } from '../../support/stores.js';
import { fillTables, listTables, withPgClient } from '../../support/writes/rows.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const [a, b, c] = [newId(), newId(), newId()];

/** There are fewer connections than callers, so that each connection serves several tenants. */
const POOL_SIZE = 4;
const CALLER_COUNT = 40;
const USE_COUNT = 2000;

/** Returns the SQLSTATE of a failed query, or '' after a success. */
async function getSqlState(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

/** Each table has a row of each tenant, so the tenants are frozen too. */
const FILLED = { mayWriteFrozen: true };

describe('row-level security below the API', () => {
  let db: Database;
  let tables: string[];

  before(async () => {
    const databaseUrl = await createDatabase();
    tables = await withPgClient(databaseUrl, async (client) => {
      const names = await listTables(client);
      for (const tenantId of [a, b, c]) await fillTables(client, names, tenantId);
      return names;
    });
    db = openDatabase({ databaseUrl, poolSize: POOL_SIZE, applicationName: 'test', logger });
  });
  after(() => db.close());

  const listTenantsSeen = async (query: (text: string) => Promise<{ tenant_id: string }[]>, table: string) =>
    (await query(`select distinct tenant_id from ${table} order by tenant_id`)).map((row) => row.tenant_id);
  const createQuery = (tx: Transaction) => (text: string) => tx.query<{ tenant_id: string }>({ text });

  it('a query without a tenant sees no row of any table', async () => {
    for (const table of tables) {
      expect(await db.query({ text: `select * from ${table}` }), table).to.deep.equal([]);
      const seen = await db.transaction([], (tx) => listTenantsSeen(createQuery(tx), table));
      expect(seen, `${table}, no tenant in the list`).to.deep.equal([]);
    }
  });

  it('a read for one tenant sees only its rows, without a filter in the query', async () => {
    for (const table of tables) {
      for (const tenantId of [a, b]) {
        expect(await listTenantsSeen((text) => db.read(tenantId, { text }), table), table).to.deep.equal([
          tenantId,
        ]);
      }
    }
  });

  it('a transaction for two tenants sees only the rows of these two', async () => {
    for (const table of tables) {
      expect(
        await db.transaction([a, b], (tx) => listTenantsSeen(createQuery(tx), table), FILLED),
        table,
      ).to.deep.equal([a, b].sort());
    }
  });

  it('a transaction cannot insert a row for another tenant in any table', async () => {
    for (const table of tables) {
      const insert = (tenantId: string) =>
        db.transaction([a], (tx) =>
          tx.query({ text: `insert into ${table} (tenant_id) values ($1)`, values: [tenantId] }),
        );
      expect(await getSqlState(insert(b)), table).to.equal('42501');
      // Row-level security accepts a row of the transaction's own tenant. A constraint then refuses
      // this row, because it is empty.
      expect(await getSqlState(insert(a)), table).to.match(/^23/);
    }
  });

  it("a transaction cannot move a row to another tenant, or change or delete another tenant's row", async () => {
    for (const table of tables) {
      const attempt = (text: string) =>
        getSqlState(db.transaction([a], (tx) => tx.query({ text, values: [b] }), FILLED));
      expect(await attempt(`update ${table} set tenant_id = $1`), `move ${table}`).to.equal('42501');
      for (const text of [
        `update ${table} set tenant_id = tenant_id where tenant_id = $1`,
        `delete from ${table} where tenant_id = $1`,
      ]) {
        expect(await attempt(text), text).to.be.oneOf(['', '42501']);
      }
      expect(await db.read(b, { text: `select 1 from ${table}` }), `row of b in ${table}`).to.have.length(1);
    }
  });

  it('a look-up by key hash can only read, and sees that API key and nothing else', async () => {
    const [own] = await db.read<{ key_hash: Buffer }>(a, { text: 'select key_hash from api_keys' });
    const hash = own?.key_hash as Buffer;
    const found = await db.readByKeyHash<{ tenant_id: string }>(hash, {
      text: 'select tenant_id from api_keys',
    });
    expect(found.map((row) => row.tenant_id)).to.deep.equal([a]);
    for (const table of tables.filter((name) => name !== 'api_keys')) {
      expect(await db.readByKeyHash(hash, { text: `select * from ${table}` }), table).to.deep.equal([]);
    }
    expect(await db.readByKeyHash(Buffer.alloc(32), { text: 'select * from api_keys' })).to.deep.equal([]);
    expect(await db.readByKeyHash(Buffer.alloc(0), { text: 'select * from api_keys' })).to.deep.equal([]);
    expect(await getSqlState(db.readByKeyHash(hash, { text: "update api_keys set name = 'x'" }))).to.equal(
      '25006',
    );
  });

  it('a look-up by session hash sees that session and nothing else', async () => {
    const [own] = await db.read<{ token_hash: Buffer }>(a, { text: 'select token_hash from sessions' });
    const hash = own?.token_hash as Buffer;
    const found = await db.readByKeyHash(hash, { text: 'select tenant_id from sessions' });
    expect(found).to.deep.equal([{ tenant_id: a }]);
    for (const table of tables.filter((name) => name !== 'sessions'))
      expect(await db.readByKeyHash(hash, { text: `select * from ${table}` }), table).to.deep.equal([]);
  });

  it('a look-up by e-mail can only read, and sees the users with that e-mail and nothing else', async () => {
    const text = 'select email from users';
    const everywhere = await db.readByEmail('ann@example.com', { text });
    expect(everywhere).to.have.length(3);
    for (const email of ['bob@example.com', '%', '', 'Ann@example.com'])
      expect(await db.readByEmail(email, { text }), email).to.deep.equal([]);
    for (const table of tables.filter((name) => name !== 'users'))
      expect(
        await db.readByEmail('ann@example.com', { text: `select * from ${table}` }),
        table,
      ).to.deep.equal([]);
    const change = { text: "update users set name = 'x'" };
    expect(await getSqlState(db.readByEmail('ann@example.com', change))).to.equal('25006');
  });

  it('a sweep can list the ids of all tenants', async () => {
    expect(await db.listTenantIds({ includesFrozen: true })).to.deep.equal([a, b, c].sort());
  });

  it('a query for a tenant that is not a UUID fails or sees nothing', async () => {
    for (const tenantId of ["' or true --", '*', `${a};${b}`]) {
      expect(await getSqlState(db.read(tenantId, { text: 'select * from customers' })), tenantId).to.equal(
        '22P02',
      );
    }
    expect(await db.read('', { text: 'select * from customers' })).to.deep.equal([]);
  });

  it('a rehearsal rolls its changes back', async () => {
    const seen = await db.runAndRollBack([a], async (tx) => {
      await tx.query({ text: "update customers set company_name = 'rehearsed'" });
      return tx.query({ text: 'select tenant_id, company_name from customers' });
    });
    expect(seen).to.deep.equal([{ tenant_id: a, company_name: 'rehearsed' }]);
    expect(await db.read(a, { text: 'select company_name from customers' })).to.deep.equal([
      { company_name: 'Club' },
    ]);
  });

  /**
   * Each function uses a connection and returns it to the pool. `seen` lists the tenants whose rows
   * were read, and `own` the tenants whose rows may be read. If a query must fail, `seen` has its
   * SQLSTATE, and `own` the expected SQLSTATE.
   */
  const USES: ((tenantId: string) => Promise<{ seen: string[]; own: string[] }>)[] = [
    async (tenantId) => ({
      seen: await listTenantsSeen((text) => db.read(tenantId, { text }), 'customers'),
      own: [tenantId],
    }),
    async (tenantId) => ({
      seen: await db.transaction([tenantId], (tx) => listTenantsSeen(createQuery(tx), 'invoices'), FILLED),
      own: [tenantId],
    }),
    async () => ({
      seen: await db.transaction([b, c], (tx) => listTenantsSeen(createQuery(tx), 'events'), FILLED),
      own: [b, c].sort(),
    }),
    async (tenantId) => ({
      seen: await db.runAndRollBack([tenantId], (tx) => listTenantsSeen(createQuery(tx), 'work_orders')),
      own: [tenantId],
    }),
    async () => ({
      seen: (await db.query<{ tenant_id: string }>({ text: 'select tenant_id from customers' })).map(
        (row) => row.tenant_id,
      ),
      own: [],
    }),
    async (tenantId) => {
      const failure = await getSqlState(
        db.transaction([tenantId], (tx) => tx.query({ text: 'select 1 / 0' })),
      );
      return { seen: [failure], own: ['22012'] };
    },
    async (tenantId) => {
      const failure = await getSqlState(
        db.transaction([tenantId], async (tx) => tx.queryAtCommit({ text: 'select no_such_column' }), FILLED),
      );
      return { seen: [failure], own: ['42703'] };
    },
    async (tenantId) => {
      const thrown = new Error('a handler gave up');
      const seen = await db
        .transaction([tenantId], async (tx) => {
          await tx.query({ text: 'update customers set city = $1', values: [tenantId] });
          throw thrown;
        })
        .catch((error: unknown) => (error === thrown ? [] : [String(error)]));
      return { seen, own: [] };
    },
    async (tenantId) => ({
      seen: [await getSqlState(db.read(tenantId, { text: 'select 1 / 0' }))],
      own: ['22012'],
    }),
  ];

  it(`the pool leaks no tenant in ${USE_COUNT} interleaved uses of ${POOL_SIZE} connections, including aborted ones`, async () => {
    let nextUse = 0;
    const caller = async () => {
      while (nextUse < USE_COUNT) {
        const useIndex = nextUse;
        nextUse += 1;
        const use = USES[
          (useIndex * 7 + Math.floor(useIndex / USES.length)) % USES.length
        ] as (typeof USES)[number];
        const { seen, own } = await use([a, b, c][useIndex % 3] as string);
        expect(seen, `use ${useIndex}`).to.deep.equal(own);
      }
    };
    await Promise.all(Array.from({ length: CALLER_COUNT }, caller));
    expect(db.getPoolStats().total).to.be.at.most(POOL_SIZE);
    expect(db.getPoolStats()).to.include({ waiting: 0, idle: db.getPoolStats().total });
    const settings = await Promise.all(
      Array.from({ length: POOL_SIZE }, () =>
        db.query({
          text: `select coalesce(current_setting('app.tenant_ids', true), '') as tenants, coalesce(current_setting('app.key_hash', true), '') as hash`,
        }),
      ),
    );
    for (const setting of settings.flat()) expect(setting).to.deep.equal({ tenants: '', hash: '' });
    for (const tenantId of [a, b, c])
      expect(await db.read(tenantId, { text: 'select city from customers' })).to.deep.equal([{ city: null }]);
  });
});
