import { expect } from 'chai';
import fc from 'fast-check';
import { countRuns } from '../../support/count-runs.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import type { TestTenant } from '../../support/stack.js';
import { useStack, useTenant } from '../../support/use-stack.js';

type Row = { id: string } & Record<string, string | boolean | null>;

interface SortedList {
  path: string;
  table: string;
  /** The parameter `sort` without a sign, and the SQL of the value that it sorts by. */
  sorts: Readonly<Record<string, string>>;
  /** Filters, with the condition that a row fulfills. Each list has one for every kind of index. */
  filters: readonly [query: string, condition: string][];
  body: () => Record<string, unknown>;
}

const ROWS = 40;
/** Few different values, so that many records have equal ones. The uuids are customers. */
const SHARED_TIME = `timestamptz '2026-10-01 08:00:00.123456Z' + (n * 7 % 5) * interval '1 day'`;
const CUSTOMER = '3f0e7c1a-7b7e-4b8e-9c55-0a1b2c3d4e5f';

const INSERT_CUSTOMER = `
  insert into customers (tenant_id, id, company_name, company_type) values ($1, '${CUSTOMER}', 'Sorted Club', 'other')`;

const FILL: Readonly<Record<string, string>> = {
  invoices: `
    insert into invoices (tenant_id, id, invoice_number, status, customer_id, created_at, due_date)
    select $1, gen_random_uuid(), 'Sort-' || n, case n % 3 when 0 then 'paid' when 1 then 'viewed' else 'draft' end,
      case when n % 2 = 0 then '${CUSTOMER}'::uuid end, ${SHARED_TIME},
      case when n % 4 > 0 then timestamptz '2026-11-01Z' + (n * 11 % 4) * interval '1 day' end
    from generate_series(1, ${ROWS}) n`,
  work_orders: `
    insert into work_orders (tenant_id, id, job_number, status, intake, service_type, customer_id, created_at)
    select $1, gen_random_uuid(), 'Sort-' || n, case when n % 3 = 0 then 'completed' else 'pending' end,
      case when n % 2 = 0 then 'new' else 'accepted' end, 'tow',
      case when n % 2 = 0 then '${CUSTOMER}'::uuid end, ${SHARED_TIME}
    from generate_series(1, ${ROWS}) n`,
  customers: `
    insert into customers (tenant_id, id, company_name, company_type, is_active, created_at)
    select $1, gen_random_uuid(), (array['Sort Zulu', 'sort alpha', 'SORT ALPHA', 'sort Écho', 'Sort 10'])[1 + n % 5],
      'other', n % 3 > 0, ${SHARED_TIME}
    from generate_series(1, ${ROWS}) n`,
};

const LISTS: readonly SortedList[] = [
  {
    path: '/invoices',
    table: 'invoices',
    sorts: { created_at: 'created_at', due_date: 'due_date' },
    filters: [
      ['', 'true'],
      ['status=viewed', "status = 'viewed'"],
      ['status=viewed,paid', "status in ('viewed', 'paid')"],
      [`customer_id=${CUSTOMER}`, `customer_id = '${CUSTOMER}'`],
      [
        `customer_id=${CUSTOMER}&status=paid,draft`,
        `customer_id = '${CUSTOMER}' and status in ('paid', 'draft')`,
      ],
      ['since=2026-10-03T08:00:00Z', "created_at >= '2026-10-03 08:00Z'"],
      ['expand=names,line_items', 'true'],
      ['search=sort-1', "invoice_number ilike '%sort-1%'"],
      ['search=1&status=paid,viewed', "invoice_number like '%1%' and status in ('paid', 'viewed')"],
      [
        'search=sort-2&status=draft,viewed',
        "invoice_number ilike '%sort-2%' and status in ('draft', 'viewed')",
      ],
    ],
    body: invoiceInput,
  },
  {
    path: '/work-orders',
    table: 'work_orders',
    sorts: { created_at: 'created_at' },
    filters: [
      ['', 'true'],
      ['status=new,completed', "status = 'completed' or (status = 'pending' and intake = 'new')"],
      [`customer_id=${CUSTOMER}`, `customer_id = '${CUSTOMER}'`],
      ['expand=names', 'true'],
      ['search=sort-3', "job_number ilike '%sort-3%'"],
    ],
    body: () => ({ service_type: 'tow' }),
  },
  {
    path: '/customers',
    table: 'customers',
    sorts: { created_at: 'created_at', name: 'lower(company_name)' },
    filters: [
      ['', 'true'],
      ['is_active=true', 'is_active'],
      ['search=sort a', "company_name ilike '%sort a%'"],
    ],
    body: () => ({ company_name: `Sort ${Math.random()}` }),
  },
];

describe('sorted lists', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  /** Returns the ids of the rows in the sequence of the list, from a sort of all rows in memory. */
  function sortInMemory(rows: readonly Row[], value: string, isDescending: boolean): string[] {
    const compare = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b));
    const sign = isDescending ? -1 : 1;
    const text = (row: Row) => row[value] as string | null;
    return [...rows]
      .sort((a, b) => {
        const [left, right] = [text(a), text(b)];
        if ((left === null) !== (right === null)) return left === null ? 1 : -1;
        return sign * (compare(left ?? '', right ?? '') || compare(a.id, b.id));
      })
      .map(({ id }) => id);
  }

  /** Reads the list page by page, and calls `between` before each page but the first. */
  async function readPages(
    owner: TestTenant,
    { path, limits, between }: { path: string; limits: number[]; between: () => Promise<unknown> },
  ): Promise<string[]> {
    const ids: string[] = [];
    let cursor: string | null = null;
    let page = 0;
    do {
      const place: string = cursor ? `&cursor=${cursor}` : '';
      const { status, body } = await owner.client.get(
        `${path}&limit=${limits[page % limits.length]}${place}`,
      );
      expect(status, JSON.stringify(body)).to.equal(200);
      ids.push(...body.data.items.map(({ id }: Row) => id));
      cursor = body.data.cursor;
      page += 1;
      if (cursor) await between();
    } while (cursor);
    return ids;
  }

  for (const { path, table, sorts, filters, body } of LISTS)
    for (const [name, value] of Object.entries(sorts))
      for (const isDescending of [false, true]) {
        const sort = `${isDescending ? '-' : ''}${name}`;
        it(`GET ${path}?sort=${sort} returns the sorted whole page by page with every filter, while rows are inserted`, async () => {
          const owner = await stack.createTenant('Sorted');
          await stack.rows(owner.id, INSERT_CUSTOMER, [owner.id]);
          await stack.rows(owner.id, FILL[table] as string, [owner.id]);
          for (const [filter, condition] of filters) {
            const rows = await stack.rows<Row>(
              owner.id,
              `select id, (${value})::text as value from ${table} where tenant_id = $1 and (${condition})`,
              [owner.id],
            );
            const expected = sortInMemory(rows, 'value', isDescending);
            const property = fc.asyncProperty(
              fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 3 }),
              async (limits) => {
                const asked = `${path}?sort=${sort}${filter && `&${filter}`}`;
                // Oldest first, the list would have no end if each page added a record.
                let inserted = 0;
                const between = async () => {
                  inserted += 1;
                  if (inserted <= 10) await owner.client.post(path, body());
                };
                const ids = await readPages(owner, { path: asked, limits, between });
                expect(new Set(ids).size, 'a row was repeated').to.equal(ids.length);
                const known = new Set(expected);
                expect(
                  ids.filter((id) => known.has(id)),
                  asked,
                ).to.deep.equal(expected);
              },
            );
            await fc.assert(property, { numRuns: countRuns(4) });
          }
        });
      }

  it('sort=-created_at is the list without the parameter, with the same cursors', async () => {
    for (let nth = 0; nth < 3; nth += 1) await tenant.client.post('/invoices', invoiceInput());
    const plain = await tenant.client.get('/invoices?limit=1');
    const named = await tenant.client.get('/invoices?limit=1&sort=-created_at');
    expect(named.body).to.deep.equal(plain.body);
    const { cursor } = plain.body.data;
    const next = await tenant.client.get(`/invoices?limit=1&sort=-created_at&cursor=${cursor}`);
    expect(next.body).to.deep.equal((await tenant.client.get(`/invoices?limit=1&cursor=${cursor}`)).body);
    expect(next.body.data.count).to.equal(1);
  });

  it('a cursor of another sort is refused with 400 invalid_cursor', async () => {
    for (const { path, sorts, body } of LISTS) {
      for (let nth = 0; nth < 2; nth += 1) await tenant.client.post(path, body());
      const names = ['-created_at', ...Object.keys(sorts).flatMap((name) => [name, `-${name}`])];
      for (const name of new Set(names)) {
        const { cursor } = (await tenant.client.get(`${path}?limit=1&sort=${name}`)).body.data;
        for (const other of new Set(names)) {
          const response = await tenant.client.get(`${path}?limit=1&sort=${other}&cursor=${cursor}`);
          if (other === name) expect(response.status).to.equal(200);
          else expectError(response, 400, 'invalid_cursor');
        }
      }
    }
  });

  it('an unknown sort is refused with 400, and the error names the allowed words', async () => {
    for (const { path, sorts } of LISTS)
      for (const wrong of ['total_cents', 'created_at,id', '--created_at', '+created_at']) {
        const response = await tenant.client.get(`${path}?sort=${encodeURIComponent(wrong)}`);
        const [detail] = expectError(response, 400, 'validation_error');
        expect(detail?.field).to.equal('sort');
        for (const name of ['created_at', ...Object.keys(sorts)])
          expect(detail?.message).to.include(name).and.include(`-${name}`);
      }
  });
});
