import { expect } from 'chai';
import type { InvoiceListQuery } from '../../../shared/contracts/generated.js';
import { newId } from '../../../shared/platform/ids.js';
import type { SqlQuery } from '../../../shared/platform/postgres/database.js';
import type { ListScope } from '../../../shared/records/lists/keyset-list.js';
import { listCustomers } from '../../../shared/resources/customers/queries.js';
import { listInvoices } from '../../../shared/resources/invoices/queries.js';
import { listWorkOrders } from '../../../shared/resources/work-orders/queries.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack, useTenant } from '../../support/use-stack.js';
import { explainRun } from '../../support/writes/explain.js';

/** More than the records that a search scans before it reads search entries. */
const ROWS = 4000;
const limit = 50;

const FILL = [
  `insert into customers (tenant_id, id, company_name, company_type, created_at)
   select $1, gen_random_uuid(), case when n % 3 = 0 then 'Towing ' else 'towing ' end || lpad((n * 7 % ${ROWS})::text, 5, '0'),
     'other', now() - n * interval '6 hours' from generate_series(1, ${ROWS}) n`,
  `insert into work_orders (tenant_id, id, job_number, status, intake, service_type, created_at)
   select $1, gen_random_uuid(), 'X-' || n, case when n % 10 = 0 then 'completed' else 'pending' end, 'accepted', 'tow',
     now() - n * interval '1 hour' from generate_series(1, ${ROWS}) n`,
  // As in a real account, the open invoices are the newest. Of the others, three statuses have over
  // 1,000 invoices each, so a search that reads each of them apart reads more than one that merges.
  `insert into invoices (tenant_id, id, invoice_number, status, created_at, due_date)
   select $1, gen_random_uuid(), 'Inv-' || lpad(n::text, 6, '0'), case when n > 100 then (array['paid', 'void', 'cancelled'])[n % 3 + 1] when n % 2 = 0 then 'viewed' else 'overdue' end,
     now() - n * interval '6 hours', case when n % 4 > 0 then now() - n * 7 % ${ROWS} * interval '1 day' end
   from generate_series(1, ${ROWS}) n`,
];

/** Terms that match all records, those of one part of the list, a few, one and none. */
const TERMS = ['inv-', 'inv-003', '0039', '777', 'inv-000001', 'zzqx', '9'];

describe('queries of sorted lists over 4,000 rows', () => {
  const stack = useStack({}, 'query plans');
  const tenant = useTenant(stack);
  let other: TestTenant;

  before(async function () {
    this.timeout(120_000);
    other = await stack.createTenant('Neighbour');
    for (const owner of [tenant, other])
      for (const insert of FILL) await stack.rows(owner.id, insert, [owner.id]);
    await stack.runAsOwner('analyze customers, work_orders, invoices');
  });

  const scopeAfter = (position: ListScope['position']): ListScope => ({
    tenantId: tenant.id,
    timeZone: 'America/New_York',
    position,
  });
  const time = new Date(Date.now() - (ROWS / 2) * 6 * 3_600_000).toISOString();
  /** The positions of the first page, of one in the middle, and of one without values. */
  const first = undefined;
  const middle = { at: time, id: newId() };
  const withoutValue = { at: null, id: '80000000-0000-4000-8000-000000000000' };

  const cases: [string, (scope: ListScope) => SqlQuery, string, ListScope['position'][]][] = [
    [
      'invoices, oldest first',
      (scope) => listInvoices({ limit, sort: 'created_at' }, scope),
      'invoices_created',
      [first, middle],
    ],
    [
      'invoices of two statuses, oldest first',
      (scope) => listInvoices({ limit, sort: 'created_at', status: 'viewed,paid' }, scope),
      'invoices_status',
      [first, middle],
    ],
    ...(['due_date', '-due_date'] as const).flatMap((sort): typeof cases => [
      [
        `invoices by ${sort}`,
        (scope) => listInvoices({ limit, sort }, scope),
        'invoices_status_due',
        [first, middle, withoutValue],
      ],
      [
        `open invoices by ${sort}`,
        (scope) => listInvoices({ limit, sort, status: 'viewed,overdue' }, scope),
        'invoices_status_due',
        [first, middle, withoutValue],
      ],
    ]),
    [
      'work orders, oldest first',
      (scope) => listWorkOrders({ limit, sort: 'created_at' }, scope),
      'work_orders_created',
      [first, middle],
    ],
    [
      'customers, oldest first',
      (scope) => listCustomers({ limit, sort: 'created_at' }, scope),
      'customers_created',
      [first, middle],
    ],
    ...(['name', '-name'] as const).map((sort): (typeof cases)[number] => [
      `customers by ${sort}`,
      (scope) => listCustomers({ limit, sort }, scope),
      'customers_name',
      [first, { at: 'towing 02000', id: newId() }],
    ]),
  ];
  for (const [name, buildQuery, index, positions] of cases)
    it(`each page of ${name} reads at most ${limit + 1} rows of a range of ${index}`, async () => {
      for (const position of positions) {
        const nodes = await explainRun(stack.runtime.db, tenant.id, buildQuery(scopeAfter(position)));
        // Members that are computed on read look up records of other tables.
        const scans = nodes.filter((node) => index.startsWith(node['Relation Name'] ?? '?'));
        expect(new Set(scans.map((node) => node['Index Name']))).to.deep.equal(new Set([index]));
        for (const scan of scans) {
          expect(scan['Actual Rows'], JSON.stringify(scan)).to.be.at.most(limit + 1);
          expect(scan['Rows Removed by Filter'] ?? 0, JSON.stringify(scan)).to.equal(0);
        }
        const read = scans.reduce((sum, scan) => sum + scan['Actual Rows'], 0);
        expect(read, 'a page').to.be.above(0);
      }
    });

  // Without these, the index of due dates would find the page after reading nearly all invoices.
  const bounded: [string, Partial<InvoiceListQuery>, string][] = [
    ['all statuses', {}, 'invoices_created'],
    ['one status', { status: 'paid', date_field: 'created_at' }, 'invoices_status'],
  ];
  for (const [name, query, index] of bounded)
    it(`a page by due_date of invoices of ${name} since a day reads only the range of ${index}`, async () => {
      const since = new Date(Date.now() - 32 * 24 * 3_600_000).toISOString();
      const [created] = await stack.rows<{ count: number }>(
        tenant.id,
        'select count(*)::int from invoices where tenant_id = $1 and created_at >= $2',
        [tenant.id, since],
      );
      for (const position of [first, middle, withoutValue]) {
        const listQuery = listInvoices({ limit, sort: 'due_date', since, ...query }, scopeAfter(position));
        const nodes = await explainRun(stack.runtime.db, tenant.id, listQuery);
        const indexes = nodes.flatMap(({ 'Index Name': used = '' }) => used.match(/^invoices_\w+/) ?? []);
        expect(indexes).to.deep.equal([index]);
        const read = nodes
          .filter((node) => node['Relation Name'] === 'invoices')
          .reduce((sum, node) => sum + node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0), 0);
        expect(read, 'the range, and nothing else').to.be.within(1, created?.count ?? 0);
      }
    });

  for (const sort of ['created_at', 'due_date', '-due_date'])
    it(`a search in GET /invoices?sort=${sort} finds what a scan of all invoices finds, page by page`, async () => {
      const column = sort.replace('-', '');
      const direction = sort.startsWith('-') ? 'desc' : 'asc';
      for (const term of TERMS) {
        const expected = await stack.rows<{ id: string }>(
          tenant.id,
          `select id from invoices where tenant_id = $1 and invoice_number ilike '%' || $2 || '%'
           order by ${column} ${direction} nulls last, id ${direction} limit 120`,
          [tenant.id, term],
        );
        const ids: string[] = [];
        let cursor: string | null = null;
        do {
          const place: string = cursor ? `&cursor=${cursor}` : '';
          const { status, body } = await tenant.client.get(
            `/invoices?limit=40&sort=${sort}&search=${term}${place}`,
          );
          expect(status, JSON.stringify(body)).to.equal(200);
          ids.push(...body.data.items.map(({ id }: { id: string }) => id));
          cursor = body.data.cursor;
        } while (cursor && ids.length < 120);
        expect(ids, `${sort} ${term}`).to.deep.equal(expected.map(({ id }) => id));
      }
    });

  it('a search for a rare term in a sorted list reads candidates, not all invoices', async () => {
    const query = listInvoices({ limit, sort: 'due_date', search: 'inv-003999' }, scopeAfter(first));
    const nodes = await explainRun(stack.runtime.db, tenant.id, query);
    const read = nodes
      .filter((node) => node['Relation Name'] === 'invoices')
      .reduce((sum, node) => sum + node['Actual Rows'] * node['Actual Loops'], 0);
    // The thousand first invoices of both ranges, merged over the statuses, and few more.
    expect(read).to.be.at.most(2200);
  });
});
