import { expect } from 'chai';
import fc from 'fast-check';
import type { TestResponse } from '../../support/client.js';
import { expectError } from '../../support/expect-error.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

interface Item {
  id: string;
  created_at: string;
}

describe('list cursors', () => {
  const stack = useStack();
  const tenant = useTenant(stack);

  before(async () => {
    await Promise.all(Array.from({ length: 5 }, () => tenant.client.post('/invoices', invoiceInput())));
  });

  const readCursor = async (path: string, { client } = tenant): Promise<string> => {
    const { cursor } = (await client.get(path)).body.data;
    expect(cursor).to.be.a('string');
    return cursor;
  };

  it('cursors lead from page to page and are null on the last page, even if it is full', async () => {
    const seen: Item[] = [];
    let path = '/invoices?limit=2';
    for (const count of [2, 2, 1]) {
      const { data } = (await tenant.client.get(path)).body;
      expect(data.count).to.equal(count);
      seen.push(...data.items);
      path = `/invoices?limit=2&cursor=${data.cursor}`;
      expect(data.cursor === null).to.equal(count === 1);
    }
    expect(new Set(seen.map(({ id }) => id)).size).to.equal(5);
    const full = (await tenant.client.get('/invoices?limit=5')).body.data;
    expect([full.count, full.cursor]).to.deep.equal([5, null]);
    expect(full.items.map(({ id }: Item) => id)).to.deep.equal(seen.map(({ id }) => id));
  });

  it('the cursor of an empty list is null', async () => {
    const empty = await stack.createTenant('Empty');
    expect((await empty.client.get('/invoices')).body.data).to.deep.equal({
      items: [],
      cursor: null,
      count: 0,
    });
  });

  it('a cursor works with another limit and with expand', async () => {
    const cursor = await readCursor('/invoices?limit=1');
    const { data } = (await tenant.client.get(`/invoices?limit=200&expand=line_items&cursor=${cursor}`)).body;
    expect(data.items).to.have.length(4);
    expect(data.items[0].line_items).to.have.length(1);
  });

  it('a cursor works under /v1 and /api/v1 and with every key of the tenant', async () => {
    const cursor = await readCursor('/invoices?limit=4');
    const other = stack.createClient(await stack.createKey(tenant.id));
    const { data } = (await other.get(`/invoices?cursor=${cursor}`)).body;
    expect(data.count).to.equal(1);
    const again = await fetch(`${stack.origin}/api/v1/invoices?cursor=${cursor}`, {
      headers: { authorization: `Bearer ${tenant.client.key}` },
    });
    expect(await again.json()).to.deep.equal({ ok: true, data });
  });

  describe('cursors of another request', () => {
    const expectRefused = async (path: string, { client } = tenant) => {
      const details = expectError(await client.get(path), 400, 'invalid_cursor');
      expect(details.map(({ field }) => field)).to.deep.equal(['cursor']);
    };

    it('GET /invoices refuses a damaged cursor with 400 invalid_cursor', async () => {
      const cursor = await readCursor('/invoices?limit=1');
      const flipped = `${cursor.slice(0, 10)}${cursor[10] === 'A' ? 'B' : 'A'}${cursor.slice(11)}`;
      const damaged = [
        '',
        'x',
        'null',
        cursor.slice(1),
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        flipped,
      ];
      for (const text of [...damaged, cursor.toUpperCase(), 'A'.repeat(500), "' or 1=1 --"]) {
        await expectRefused(`/invoices?limit=1&cursor=${encodeURIComponent(text)}`);
      }
    });

    it("GET /invoices refuses another tenant's cursor with 400 invalid_cursor, also a live cursor in the sandbox", async () => {
      const cursor = await readCursor('/invoices?limit=1');
      const other = await stack.createTenant('Other');
      await expectRefused(`/invoices?limit=1&cursor=${cursor}`, other);
      await expectRefused(`/invoices?limit=1&cursor=${cursor}`, { ...tenant, client: tenant.sandbox });
    });

    it('GET /work-orders refuses a cursor of GET /invoices with 400 invalid_cursor', async () => {
      await expectRefused(`/work-orders?limit=1&cursor=${await readCursor('/invoices?limit=1')}`);
    });

    it('GET /invoices refuses a cursor made with other filters with 400 invalid_cursor', async () => {
      const filters = ['status=draft', 'search=INV', 'since=2020-01-01', 'date_field=updated_at'];
      for (const filter of filters) {
        await expectRefused(`/invoices?${filter}&cursor=${await readCursor('/invoices?limit=1')}`);
        await expectRefused(`/invoices?cursor=${await readCursor(`/invoices?limit=1&${filter}`)}`);
        const own = await readCursor(`/invoices?limit=1&${filter}`);
        expect((await tenant.client.get(`/invoices?${filter}&cursor=${own}`)).body.data.count).to.equal(4);
      }
    });
  });

  describe('reading a list to its end', () => {
    const LISTS: [string, () => unknown, object][] = [
      ['/invoices', invoiceInput, { notes: 'changed' }],
      ['/work-orders', () => ({ service_type: 'tow' }), { notes: 'changed' }],
      ['/customers', () => ({ company_name: 'C' }), { city: 'changed' }],
    ];
    for (const [path, body, patch] of LISTS) {
      it(`GET ${path} returns every row exactly once, newest first, at any page size, while rows are inserted and changed`, async () => {
        const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 6 });
        const property = fc.asyncProperty(sizes, async (pageSizes) => {
          const owner = await stack.createTenant('Walked');
          const existing = await Promise.all(
            Array.from({ length: 40 }, () => owner.client.post(path, body())),
          );
          const ids = existing.map((response) => response.body.id as string);
          const seen: Item[] = [];
          let cursor: string | null = '';
          for (let page = 0; cursor !== null; page += 1) {
            const limit = pageSizes[page % pageSizes.length];
            const [response]: [TestResponse, ...unknown[]] = await Promise.all([
              owner.client.get(`${path}?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`),
              owner.client.post(path, body()),
              owner.client.patch(`${path}/${ids[page % ids.length]}`, patch),
            ]);
            seen.push(...response.body.data.items);
            cursor = response.body.data.cursor;
          }
          const seenIds = seen.map(({ id }) => id);
          expect(new Set(seenIds).size, 'a row was repeated').to.equal(seenIds.length);
          expect(seenIds, 'a row was lost').to.include.members(ids);
          const times = seen.map((item) => item.created_at);
          expect(times).to.deep.equal([...times].sort().reverse());
        });
        await fc.assert(property, { seed: 20_261_121, numRuns: 8 });
      });
    }

    it('GET /customers returns every row exactly once although many rows share one created_at', async () => {
      const owner = await stack.createTenant('Same moment');
      const responses = await Promise.all(
        Array.from({ length: 30 }, () => owner.client.post('/customers', { company_name: 'C' })),
      );
      await stack.rows(
        owner.id,
        "update customers set created_at = '2026-01-01T00:00:00.123456Z' where tenant_id = $1",
        [owner.id],
      );
      const seen: string[] = [];
      for (let path: string | null = '/customers?limit=7'; path !== null; ) {
        const response: TestResponse = await owner.client.get(path);
        const { data } = response.body;
        seen.push(...data.items.map(({ id }: Item) => id));
        path = data.cursor && `/customers?limit=7&cursor=${data.cursor}`;
      }
      const ids = responses.map((response) => response.body.id as string);
      expect(seen).to.deep.equal(ids.sort().reverse());
    });
  });
});
