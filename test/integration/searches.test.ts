import { expect } from 'chai';
import { listInvoices } from '../../shared/resources/invoices/queries.js';
import type { ListScope } from '../../shared/resources/keyset-list.js';
import { runOf } from '../support/explain.js';
import { TestStack, type TestTenant } from '../support/stack.js';

/** More than a search reads in order before it asks the index, over forty of its windows. */
const ROWS = 4000;

/** Old numbers have another beginning; one purchase order in seven hundred is rare; % and _ are plain characters. */
const FILL = `
  insert into invoices (tenant_id, id, invoice_number, po_number, status, created_at)
  select $1, gen_random_uuid(), case when n > 2500 then 'OLD-' else 'Inv-' end || lpad(n::text, 6, '0'),
    case when n % 700 = 0 then 'Ärger 100%_' || n when n % 3 = 0 then 'PO' || md5(n::text) end,
    case when n % 1500 = 0 then 'paid' else 'draft' end, now() - n * interval '6 hours'
  from generate_series(1, ${ROWS}) n`;

/** Common, rare, old, unknown, too short for the index, case, letters outside of ASCII, wildcards. */
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
  md5Part(),
  'INV-000001',
  '-00',
  'r 100',
  'x'.repeat(100),
];

function md5Part(): string {
  // md5('300') begins like this.
  return '94f6d7e04a4d';
}

describe('searches', () => {
  let stack: TestStack;
  let tenant: TestTenant;
  let other: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    other = await stack.createTenant('Neighbour');
    for (const owner of [tenant, other]) await stack.rows(owner.id, FILL, [owner.id]);
  });
  after(() => stack.stop());

  /** Ids in the order of a list, found without any index. */
  const expectedIds = async (term: string, filter = 'true') =>
    (
      await stack.rows<{ id: string }>(
        tenant.id,
        `select id from invoices where tenant_id = $1 and ${filter} and
           (position(lower($2) in lower(invoice_number)) > 0 or position(lower($2) in lower(coalesce(po_number, ''))) > 0)
         order by created_at desc, id desc`,
        [tenant.id, term],
      )
    ).map(({ id }) => id);

  const listedIds = async (query: string, pages = 3) => {
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
    it(`find every part of a number, newest first, page by page: ${JSON.stringify(term.slice(0, 20))}`, async () => {
      const expected = await expectedIds(term);
      expect(await listedIds(`search=${encodeURIComponent(term)}`)).to.deep.equal(expected.slice(0, 150));
    });
  }

  it('obey every other filter of the list', async () => {
    const paid = await expectedIds('0', `status = 'paid'`);
    expect(await listedIds('search=000&status=paid')).to.deep.equal(
      await expectedIds('000', `status = 'paid'`),
    );
    expect(paid).to.have.length(2);
    const until = new Date(Date.now() - 600 * 24 * 3600 * 1000).toISOString();
    expect(await listedIds(`search=OLD-&until=${until}`)).to.deep.equal(
      (await expectedIds('old-', `created_at < '${until}'`)).slice(0, 150),
    );
  });

  it('find what a write has just changed, and no longer what it was before', async () => {
    const [id] = (await listedIds('search=OLD-003998')) as [string];
    const { headers } = await tenant.client.get(`/invoices/${id}`);
    await tenant.client.send('PATCH', `/invoices/${id}`, {
      body: { po_number: 'Changed-Order' },
      headers: { 'If-Match': String(headers.etag ?? '*') },
    });
    expect(await listedIds('search=ged-ord')).to.deep.equal([id]);
    await stack.rows(tenant.id, `update invoices set po_number = null where id = $1`, [id]);
    expect(await listedIds('search=ged-ord')).to.deep.equal([]);
    await stack.rows(tenant.id, 'delete from invoices where id = $1', [id]);
    expect(await listedIds('search=OLD-003998')).to.deep.equal([]);
  });

  it('read the index as the application, and no table from end to end', async () => {
    const scope: ListScope = { tenantId: tenant.id, timeZone: 'UTC', position: undefined };
    for (const search of ['OLD-003999', 'zzqx', 'OLD-']) {
      const nodes = await runOf(stack.runtime.db, tenant.id, listInvoices({ limit: 50, search }, scope));
      expect(nodes.map((node) => node['Node Type'])).to.not.include('Seq Scan');
      const read = nodes
        .filter((node) => node['Relation Name'] === 'invoices')
        .map((node) => (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']);
      // The newest thousand, then the candidates of the windows that it needed.
      expect(Math.max(...read), search).to.be.at.most(1000);
    }
  });
});
