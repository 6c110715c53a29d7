import { expect } from 'chai';
import { newId } from '../../shared/platform/ids.js';
import { createLogger } from '../../shared/platform/logger.js';
import { type Database, openDatabase, type Transaction } from '../../shared/platform/postgres.js';
import { fillTables, tablesOf, withClient } from '../support/rows.js';
import { createDatabase } from '../support/stores.js';

const logger = createLogger({ level: 'silent', name: 'test', pretty: false });
const [a, b, c] = [newId(), newId(), newId()];

/** Fewer connections than callers, so that each is handed from tenant to tenant. */
const POOL_SIZE = 4;
const CALLERS = 40;
const SWITCHES = 2000;

/** SQLSTATE of what a statement fails with; '' when it succeeds. */
async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => '',
    (error: { code?: string }) => error.code ?? String(error),
  );
}

describe('row-level security, from below the API', () => {
  let db: Database;
  let tables: string[];

  before(async () => {
    const databaseUrl = await createDatabase();
    tables = await withClient(databaseUrl, async (client) => {
      const names = await tablesOf(client);
      for (const tenantId of [a, b, c]) await fillTables(client, names, tenantId);
      return names;
    });
    db = openDatabase({ databaseUrl, poolSize: POOL_SIZE, applicationName: 'test', logger });
  });
  after(() => db.close());

  const tenantsSeen = async (query: (text: string) => Promise<{ tenant_id: string }[]>, table: string) =>
    (await query(`select distinct tenant_id from ${table} order by tenant_id`)).map((row) => row.tenant_id);
  const inTransaction = (tx: Transaction) => (text: string) => tx.query<{ tenant_id: string }>({ text });

  it('shows a statement without a tenant no row of any table', async () => {
    for (const table of tables) {
      expect(await db.query({ text: `select * from ${table}` }), table).to.deep.equal([]);
      const seen = await db.transaction([], (tx) => tenantsSeen(inTransaction(tx), table));
      expect(seen, `${table}, no tenant in the list`).to.deep.equal([]);
    }
  });

  it('shows a read of one tenant the rows of that tenant, although it does not ask for them', async () => {
    for (const table of tables) {
      for (const tenantId of [a, b]) {
        expect(await tenantsSeen((text) => db.read(tenantId, { text }), table), table).to.deep.equal([
          tenantId,
        ]);
      }
    }
  });

  it('shows a batch the rows of the tenants it names, and of no third', async () => {
    for (const table of tables) {
      expect(
        await db.transaction([a, b], (tx) => tenantsSeen(inTransaction(tx), table)),
        table,
      ).to.deep.equal([a, b].sort());
    }
  });

  it('refuses to insert a row for another tenant, in every table', async () => {
    for (const table of tables) {
      const insert = (tenantId: string) =>
        db.transaction([a], (tx) =>
          tx.query({ text: `insert into ${table} (tenant_id) values ($1)`, values: [tenantId] }),
        );
      expect(await codeOf(insert(b)), table).to.equal('42501');
      // Its own tenant gets past the policy, to what else is wrong with an empty row.
      expect(await codeOf(insert(a)), table).to.match(/^23/);
    }
  });

  it("neither moves a row to another tenant, nor changes or deletes another's", async () => {
    for (const table of tables) {
      const attempt = (text: string) => codeOf(db.transaction([a], (tx) => tx.query({ text, values: [b] })));
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

  it('shows a look-up by hash that one key and nothing else, and only to read', async () => {
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
    expect(await codeOf(db.readByKeyHash(hash, { text: "update api_keys set name = 'x'" }))).to.equal(
      '25006',
    );
  });

  it("shows a look-up by a session's hash that one session and nothing else", async () => {
    const [own] = await db.read<{ token_hash: Buffer }>(a, { text: 'select token_hash from sessions' });
    const hash = own?.token_hash as Buffer;
    const found = await db.readByKeyHash(hash, { text: 'select tenant_id from sessions' });
    expect(found).to.deep.equal([{ tenant_id: a }]);
    for (const table of tables.filter((name) => name !== 'sessions'))
      expect(await db.readByKeyHash(hash, { text: `select * from ${table}` }), table).to.deep.equal([]);
  });

  it('shows a look-up by e-mail the people of that e-mail and nothing else, and only to read', async () => {
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
    expect(await codeOf(db.readByEmail('ann@example.com', change))).to.equal('25006');
  });

  it('lists the ids of all tenants to a sweep', async () => {
    expect(await db.tenantIds()).to.deep.equal([a, b, c].sort());
  });

  it('fails on a tenant that is no id, and shows nothing', async () => {
    for (const tenantId of ["' or true --", '*', `${a};${b}`]) {
      expect(await codeOf(db.read(tenantId, { text: 'select * from customers' })), tenantId).to.equal(
        '22P02',
      );
    }
    expect(await db.read('', { text: 'select * from customers' })).to.deep.equal([]);
  });

  it('keeps changes of a rehearsal to itself', async () => {
    const seen = await db.rehearse([a], async (tx) => {
      await tx.query({ text: "update customers set company_name = 'rehearsed'" });
      return tx.query({ text: 'select tenant_id, company_name from customers' });
    });
    expect(seen).to.deep.equal([{ tenant_id: a, company_name: 'rehearsed' }]);
    expect(await db.read(a, { text: 'select company_name from customers' })).to.deep.equal([
      { company_name: 'Club' },
    ]);
  });

  /** Ways in which a connection is used and given back; each tells which tenants it saw. */
  const USES: ((tenantId: string) => Promise<{ seen: string[]; own: string[] }>)[] = [
    async (tenantId) => ({
      seen: await tenantsSeen((text) => db.read(tenantId, { text }), 'customers'),
      own: [tenantId],
    }),
    async (tenantId) => ({
      seen: await db.transaction([tenantId], (tx) => tenantsSeen(inTransaction(tx), 'invoices')),
      own: [tenantId],
    }),
    async () => ({
      seen: await db.transaction([b, c], (tx) => tenantsSeen(inTransaction(tx), 'events')),
      own: [b, c].sort(),
    }),
    async (tenantId) => ({
      seen: await db.rehearse([tenantId], (tx) => tenantsSeen(inTransaction(tx), 'work_orders')),
      own: [tenantId],
    }),
    async () => ({
      seen: (await db.query<{ tenant_id: string }>({ text: 'select tenant_id from customers' })).map(
        (row) => row.tenant_id,
      ),
      own: [],
    }),
    async (tenantId) => {
      const failure = await codeOf(db.transaction([tenantId], (tx) => tx.query({ text: 'select 1 / 0' })));
      return { seen: [failure], own: ['22012'] };
    },
    async (tenantId) => {
      const failure = await codeOf(
        db.transaction([tenantId], async (tx) => tx.queryAtCommit({ text: 'select no_such_column' })),
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
      seen: [await codeOf(db.read(tenantId, { text: 'select 1 / 0' }))],
      own: ['22012'],
    }),
  ];

  it(`never leaks a tenant through the pool: ${SWITCHES} interleaved uses of ${POOL_SIZE} connections, aborted ones too`, async () => {
    let next = 0;
    const caller = async () => {
      while (next < SWITCHES) {
        const turn = next;
        next += 1;
        const use = USES[(turn * 7 + Math.floor(turn / USES.length)) % USES.length] as (typeof USES)[number];
        const { seen, own } = await use([a, b, c][turn % 3] as string);
        expect(seen, `use ${turn}`).to.deep.equal(own);
      }
    };
    await Promise.all(Array.from({ length: CALLERS }, caller));
    expect(db.pool().total).to.be.at.most(POOL_SIZE);
    expect(db.pool()).to.include({ waiting: 0, idle: db.pool().total });
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
