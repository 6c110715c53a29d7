import { expect } from 'chai';
import fc from 'fast-check';
import type { Answer } from '../support/client.js';
import { expectError } from '../support/expect-error.js';
import { invoiceInput } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

interface Item {
  id: string;
  created_at: string;
}

describe('cursors', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant();
    await Promise.all(Array.from({ length: 5 }, () => tenant.client.post('/invoices', invoiceInput())));
  });
  after(() => stack.stop());

  const cursorOf = async (path: string, { client } = tenant): Promise<string> => {
    const { cursor } = (await client.get(path)).body.data;
    expect(cursor).to.be.a('string');
    return cursor;
  };

  it('lead from page to page and are null on the last, which may be exactly full', async () => {
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

  it('of an empty list are null', async () => {
    const empty = await stack.createTenant('Empty');
    expect((await empty.client.get('/invoices')).body.data).to.deep.equal({
      items: [],
      cursor: null,
      count: 0,
    });
  });

  it('may go on with another page size and with expand', async () => {
    const cursor = await cursorOf('/invoices?limit=1');
    const { data } = (await tenant.client.get(`/invoices?limit=200&expand=line_items&cursor=${cursor}`)).body;
    expect(data.items).to.have.length(4);
    expect(data.items[0].line_items).to.have.length(1);
  });

  it('hold across both prefixes and across the keys of the tenant', async () => {
    const cursor = await cursorOf('/invoices?limit=4');
    const other = stack.clientWith(await stack.createKey(tenant.id));
    const { data } = (await other.get(`/invoices?cursor=${cursor}`)).body;
    expect(data.count).to.equal(1);
    const again = await fetch(`${stack.origin}/api/v1/invoices?cursor=${cursor}`, {
      headers: { authorization: `Bearer ${tenant.client.key}` },
    });
    expect(await again.json()).to.deep.equal({ ok: true, data });
  });

  describe('that were not made for this request are 400 invalid_cursor', () => {
    const refuse = async (path: string, { client } = tenant) => {
      const details = expectError(await client.get(path), 400, 'invalid_cursor');
      expect(details.map(({ field }) => field)).to.deep.equal(['cursor']);
    };

    it('when broken', async () => {
      const cursor = await cursorOf('/invoices?limit=1');
      const flipped = `${cursor.slice(0, 10)}${cursor[10] === 'A' ? 'B' : 'A'}${cursor.slice(11)}`;
      const wrong = [
        '',
        'x',
        'null',
        cursor.slice(1),
        cursor.slice(0, -1),
        `${cursor}A`,
        `${cursor}=`,
        flipped,
      ];
      for (const text of [...wrong, cursor.toUpperCase(), 'A'.repeat(500), "' or 1=1 --"]) {
        await refuse(`/invoices?limit=1&cursor=${encodeURIComponent(text)}`);
      }
    });

    it("when another tenant's, even of the twin", async () => {
      const cursor = await cursorOf('/invoices?limit=1');
      const other = await stack.createTenant('Other');
      await refuse(`/invoices?limit=1&cursor=${cursor}`, other);
      await refuse(`/invoices?limit=1&cursor=${cursor}`, { ...tenant, client: tenant.sandbox });
    });

    it("when another list's", async () => {
      await refuse(`/work-orders?limit=1&cursor=${await cursorOf('/invoices?limit=1')}`);
    });

    it('when made with other filters', async () => {
      const filters = ['status=draft', 'search=INV', 'since=2020-01-01', 'date_field=updated_at'];
      for (const filter of filters) {
        await refuse(`/invoices?${filter}&cursor=${await cursorOf('/invoices?limit=1')}`);
        await refuse(`/invoices?cursor=${await cursorOf(`/invoices?limit=1&${filter}`)}`);
        const own = await cursorOf(`/invoices?limit=1&${filter}`);
        expect((await tenant.client.get(`/invoices?${filter}&cursor=${own}`)).body.data.count).to.equal(4);
      }
    });
  });

  describe('walk every row exactly once, newest first', () => {
    const WALKS: [string, () => unknown, object][] = [
      ['/invoices', invoiceInput, { notes: 'changed' }],
      ['/work-orders', () => ({ service_type: 'tow' }), { notes: 'changed' }],
      ['/customers', () => ({ company_name: 'C' }), { city: 'changed' }],
    ];
    for (const [path, body, patch] of WALKS) {
      it(`through ${path}, whatever the page sizes, while rows are inserted and changed`, async () => {
        const sizes = fc.array(fc.integer({ min: 1, max: 15 }), { minLength: 1, maxLength: 6 });
        const property = fc.asyncProperty(sizes, async (pageSizes) => {
          const owner = await stack.createTenant('Walked');
          const existing = await Promise.all(
            Array.from({ length: 40 }, () => owner.client.post(path, body())),
          );
          const ids = existing.map((answer) => answer.body.id as string);
          const seen: Item[] = [];
          let cursor: string | null = '';
          for (let page = 0; cursor !== null; page += 1) {
            const limit = pageSizes[page % pageSizes.length];
            const [answer]: [Answer, ...unknown[]] = await Promise.all([
              owner.client.get(`${path}?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`),
              owner.client.post(path, body()),
              owner.client.patch(`${path}/${ids[page % ids.length]}`, patch),
            ]);
            seen.push(...answer.body.data.items);
            cursor = answer.body.data.cursor;
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

    it('although many rows share one created_at', async () => {
      const owner = await stack.createTenant('Same moment');
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => owner.client.post('/customers', { company_name: 'C' })),
      );
      await stack.rows(
        owner.id,
        "update customers set created_at = '2026-01-01T00:00:00.123456Z' where tenant_id = $1",
        [owner.id],
      );
      const seen: string[] = [];
      for (let path: string | null = '/customers?limit=7'; path !== null; ) {
        const answer: Answer = await owner.client.get(path);
        const { data } = answer.body;
        seen.push(...data.items.map(({ id }: Item) => id));
        path = data.cursor && `/customers?limit=7&cursor=${data.cursor}`;
      }
      const ids = answers.map((answer) => answer.body.id as string);
      expect(seen).to.deep.equal(ids.sort().reverse());
    });
  });
});
