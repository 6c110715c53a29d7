import { expect } from 'chai';
import type pg from 'pg';
import { migrateUpTo } from '../../../migrations/migrate.js';
import { newId } from '../../../shared/platform/ids.js';
import type { ListScope } from '../../../shared/records/lists/keyset-list.js';
import { listInvoices } from '../../../shared/resources/invoices/queries.js';
import type { TestTenant } from '../../support/stack.js';
import { createEmptyDatabase } from '../../support/stores.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { explainRun } from '../../support/writes/explain.js';
import { fillTables, listTables, withPgClient } from '../../support/writes/rows.js';

/**
 * The number of invoices per account. A search reads the newest thousand without the index. It
 * reads the other 3000 through the index, in more than forty steps (index windows).
 */
const ROWS = 4000;

/**
 * Inserts invoices. The 1500 oldest have another number prefix. One purchase order number in 700
 * contains % and _.
 */
const FILL = `
  insert into invoices (tenant_id, id, invoice_number, po_number, status, created_at)
  select $1, gen_random_uuid(), case when n > 2500 then 'OLD-' else 'Inv-' end || lpad(n::text, 6, '0'),
    case when n % 700 = 0 then 'Ärger 100%_' || n when n % 3 = 0 then 'PO' || md5(n::text) end,
    case when n % 1500 = 0 then 'paid' else 'draft' end, now() - n * interval '6 hours'
  from generate_series(1, ${ROWS}) n`;

/**
 * The terms to search for: common, rare, old, unknown, too short for the index, in another case,
 * not ASCII, or with wildcards.
 */
const TERMS = [
  'inv-',
  'OLD-',
  'old-003999',
  '0039',
  '003',
  '3',
  '9',
  'v-0',
  'zzqx',
  'zz',
  'ä',
  'ÄRGER',
  '100%_',
];
const MORE_TERMS = [
  '%',
  '_',
  '0%',
  '\\',
  'po',
  'PO1',
  readMd5Part(),
  'INV-000001',
  '-00',
  'r 100',
  'x'.repeat(100),
];

function readMd5Part(): string {
  // The beginning of md5('300'), which is in a purchase order number.
  return '94f6d7e04a4d';
}

describe('searches', () => {
  const stack = useStack({}, 'query plans');
  const tenant = useTenant(stack);
  let other: TestTenant;

  before(async () => {
    other = await stack.createTenant('Neighbour');
    for (const owner of [tenant, other]) await stack.rows(owner.id, FILL, [owner.id]);
  });

  /**
   * Finds the matching invoices without an index, and returns their ids in the order of the list.
   */
  const queryExpectedIds = async (term: string, filter = 'true') =>
    (
      await stack.rows<{ id: string }>(
        tenant.id,
        `select id from invoices where tenant_id = $1 and ${filter} and
           (position(lower($2) in lower(invoice_number)) > 0 or position(lower($2) in lower(coalesce(po_number, ''))) > 0)
         order by created_at desc, id desc`,
        [tenant.id, term],
      )
    ).map(({ id }) => id);

  const listIds = async (query: string, pages = 3) => {
    const ids: string[] = [];
    let cursor: string | null = null;
    for (let page = 0; page < pages; page += 1) {
      const { body } = await tenant.client.get(
        `/invoices?limit=50&${query}${cursor ? `&cursor=${cursor}` : ''}`,
      );
      ids.push(...body.data.items.map(({ id }: { id: string }) => id));
      cursor = body.data.cursor;
      if (!cursor) break;
    }
    return ids;
  };

  for (const term of [...TERMS, ...MORE_TERMS]) {
    it(`a search finds every part of a number, newest first, page by page: ${JSON.stringify(term.slice(0, 20))}`, async () => {
      const expected = await queryExpectedIds(term);
      expect(await listIds(`search=${encodeURIComponent(term)}`)).to.deep.equal(expected.slice(0, 150));
    });
  }

  it('a search obeys the other filters of the list', async () => {
    const paid = await queryExpectedIds('0', `status = 'paid'`);
    expect(await listIds('search=000&status=paid')).to.deep.equal(
      await queryExpectedIds('000', `status = 'paid'`),
    );
    expect(paid).to.have.length(2);
    const until = new Date(Date.now() - 600 * 24 * 3600 * 1000).toISOString();
    expect(await listIds(`search=OLD-&until=${until}`)).to.deep.equal(
      (await queryExpectedIds('old-', `created_at < '${until}'`)).slice(0, 150),
    );
  });

  it('a search finds a value that a write has just changed, and no longer finds the former value', async () => {
    const [id] = (await listIds('search=OLD-003998')) as [string];
    const { headers } = await tenant.client.get(`/invoices/${id}`);
    await tenant.client.send('PATCH', `/invoices/${id}`, {
      body: { po_number: 'Changed-Order' },
      headers: { 'If-Match': String(headers.etag ?? '*') },
    });
    expect(await listIds('search=ged-ord')).to.deep.equal([id]);
    await stack.rows(tenant.id, `update invoices set po_number = null where id = $1`, [id]);
    expect(await listIds('search=ged-ord')).to.deep.equal([]);
    await stack.rows(tenant.id, 'delete from invoices where id = $1', [id]);
    expect(await listIds('search=OLD-003998')).to.deep.equal([]);
  });

  it('find_search_entries returns no candidates of another tenant', async () => {
    const windows = 'generate_series(search_window(now()), search_window(now()) - 60, -1)';
    const text = `select found.id from ${windows} as window_number, find_search_entries($1, 'invoices', 'old-', window_number) as found(id)`;
    const own = await stack.runtime.db.read(tenant.id, { text, values: [tenant.id] });
    expect(own.length).to.be.above(1000);
    expect(await stack.runtime.db.read(tenant.id, { text, values: [other.id] })).to.deep.equal([]);
    expect(await stack.runtime.db.query({ text, values: [other.id] })).to.deep.equal([]);
  });

  it('a search that takes too long returns 400 and asks the client to narrow it', async () => {
    const slow =
      "create or replace function search_window(timestamptz) returns integer language sql as 'select pg_sleep(3); select 1'";
    const [row] = await withPgClient(stack.databaseUrl, async (client) => {
      const { rows } = await client.query("select pg_get_functiondef('search_window'::regproc) as text");
      await client.query(slow.replace('(timestamptz)', '(created_at timestamptz)'));
      return rows as { text: string }[];
    });
    const { status, body } = await tenant.client
      .get('/invoices?search=zzqx')
      .finally(() => stack.runAsOwner(row?.text as string));
    expect(status).to.equal(400);
    expect(body.error).to.deep.include({ code: 'validation_error' });
    expect(body.error.message).to.match(/Narrow it/);
    expect(body.error.details).to.deep.equal([
      { field: 'search', code: 'too_broad', message: 'search must be narrower' },
    ]);
  });

  it("a search of the application's role uses the index and reads no whole table", async () => {
    const scope: ListScope = { tenantId: tenant.id, timeZone: 'UTC', position: undefined };
    for (const search of ['OLD-003999', 'zzqx', 'OLD-']) {
      const nodes = await explainRun(stack.runtime.db, tenant.id, listInvoices({ limit: 50, search }, scope));
      expect(nodes.map((node) => node['Node Type'])).to.not.include('Seq Scan');
      const read = nodes
        .filter((node) => node['Relation Name'] === 'invoices')
        .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
      // One plan node reads the newest thousand invoices. The other nodes read only candidates that
      // an index window returns.
      expect(Math.max(...read), search).to.be.at.most(1000);
    }
  });
});

describe('the migration that indexes searches', () => {
  const PREVIOUS_MIGRATION = '20261122090000_add_export_schedules';
  const SEARCH_MIGRATION = '20261123050000_index_searches';

  const readIndexEntries = (client: pg.Client, tenantId: string) =>
    client
      .query("select set_config('app.tenant_ids', $1, false)", [tenantId])
      .then(() =>
        client.query('select resource, cardinality(keys) as keys from search_entries order by resource'),
      )
      .then(({ rows }) => rows);

  it('the migration indexes existing records of every tenant and can run again after it died', async () => {
    const databaseUrl = await createEmptyDatabase();
    await migrateUpTo(databaseUrl, PREVIOUS_MIGRATION);
    const tenants = [newId(), newId()];
    await withPgClient(databaseUrl, async (client) => {
      const tables = await listTables(client);
      for (const tenantId of tenants) await fillTables(client, tables, tenantId);
    });
    await migrateUpTo(databaseUrl, SEARCH_MIGRATION);
    await withPgClient(databaseUrl, (client) =>
      client.query('delete from schema_migrations where name = $1', [SEARCH_MIGRATION]),
    );
    await migrateUpTo(databaseUrl, SEARCH_MIGRATION);
    await withPgClient(databaseUrl, async (client) => {
      for (const tenantId of tenants)
        expect(await readIndexEntries(client, tenantId)).to.deep.equal([
          { resource: 'claims', keys: 2 },
          { resource: 'customers', keys: 2 },
          { resource: 'invoices', keys: 3 },
          { resource: 'work_orders', keys: 7 },
        ]);
    });
  });
});
