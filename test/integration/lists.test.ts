import { expect } from 'chai';
import { faultsOf } from '../support/expect-error.js';
import { invoiceInput, UNKNOWN_ID } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

type Item = Record<string, unknown> & { id: string };

describe('filters of lists', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  before(async () => {
    stack = await TestStack.start();
    tenant = await stack.createTenant('New York Towing', { timeZone: 'America/New_York' });
    await add('/work-orders', { service_type: 'tow' });
    await add('/customers', { company_name: 'C' });
    await add('/invoices', invoiceInput());
  });
  after(() => stack.stop());

  const add = async (
    path: string,
    body: unknown,
    columns: Record<string, unknown> = {},
    owner = tenant,
  ): Promise<string> => {
    const answer = await owner.client.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    const sets = Object.keys(columns).map((name, index) => `${name} = $${index + 3}`);
    const text = `update ${path.slice(1).replace('-', '_')} set ${sets.join(', ')} where tenant_id = $1 and id = $2`;
    if (sets.length > 0)
      await stack.rows(owner.id, text, [owner.id, answer.body.id, ...Object.values(columns)]);
    return answer.body.id;
  };
  const itemsOf = async (path: string, owner = tenant): Promise<Item[]> => {
    const answer = await owner.client.get(path);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.data.count).to.equal(answer.body.data.items.length);
    return answer.body.data.items;
  };
  const idsOf = async (path: string, owner = tenant) => (await itemsOf(path, owner)).map(({ id }) => id);

  describe('since and until', () => {
    // On 1 November 2026 New York leaves daylight saving time: its day begins at 04:00 UTC and ends at 05:00 of the next.
    const TIMES = [
      '2026-11-01T03:59:59.999Z',
      '2026-11-01T04:00:00Z',
      '2026-11-02T04:59:59.999Z',
      '2026-11-02T05:00:00Z',
    ];
    const COLUMNS: [string, string[]][] = [
      ['/invoices', ['created_at', 'updated_at', 'service_date', 'due_date', 'paid_at']],
      ['/work-orders', ['created_at', 'updated_at', 'dispatch_time', 'completion_time']],
    ];
    for (const [path, columns] of COLUMNS) {
      for (const column of columns) {
        it(`on ${column} of ${path}: inclusive and exclusive, a date is midnight in the tenant's time zone`, async () => {
          const owner = await stack.createTenant('Dated', { timeZone: 'America/New_York' });
          const ids: string[] = [];
          for (const at of TIMES) {
            const body = path === '/invoices' ? invoiceInput() : { service_type: 'tow' };
            ids.push(await add(path, body, { [column]: at }, owner));
          }
          const found = async (range: string) => {
            const result = await idsOf(`${path}?date_field=${column}&${range}`, owner);
            return result.map((id) => ids.indexOf(id)).sort();
          };
          expect(await found('since=2026-11-01&until=2026-11-02')).to.deep.equal([1, 2]);
          expect(await found('since=2026-11-02')).to.deep.equal([3]);
          expect(await found('until=2026-11-01')).to.deep.equal([0]);
          expect(await found('since=2026-11-01T04:00:00Z&until=2026-11-02T05:00:00Z')).to.deep.equal([1, 2]);
          expect(await found(`since=${encodeURIComponent('2026-11-02T00:00:00-05:00')}`)).to.deep.equal([3]);
          expect(await found('since=2026-11-02&until=2026-11-02')).to.deep.equal([]);
        });
      }
    }

    it("mean each tenant's own midnight", async () => {
      const tokyo = await stack.createTenant('Tokyo Towing', { timeZone: 'Asia/Tokyo' });
      const id = await add(
        '/work-orders',
        { service_type: 'tow' },
        { created_at: '2026-10-31T15:00:00Z' },
        tokyo,
      );
      expect(await idsOf('/work-orders?since=2026-11-01', tokyo)).to.deep.equal([id]);
      expect(await idsOf('/work-orders?until=2026-11-01', tokyo)).to.deep.equal([]);
    });

    for (const status of ['paid', 'partially_paid']) {
      it(`mean paid_at for status=${status}, unless date_field says otherwise`, async () => {
        const paid = { status, created_at: '2026-01-01T12:00:00Z', paid_at: '2026-03-01T12:00:00Z' };
        const id = await add('/invoices', invoiceInput(), paid);
        expect(await idsOf(`/invoices?status=${status}&since=2026-03-01&until=2026-03-02`)).to.deep.equal([
          id,
        ]);
        expect(await idsOf(`/invoices?status=${status}&since=2026-01-01&until=2026-01-02`)).to.deep.equal([]);
        const byCreation = `/invoices?status=${status}&since=2026-01-01&until=2026-01-02&date_field=created_at`;
        expect(await idsOf(byCreation)).to.deep.equal([id]);
      });
    }

    it('mean created_at for every other status and for none', async () => {
      const id = await add('/invoices', invoiceInput(), {
        created_at: '2025-05-05T12:00:00Z',
        paid_at: '2025-06-06T12:00:00Z',
      });
      for (const filter of ['', '&status=draft']) {
        expect(await idsOf(`/invoices?since=2025-05-05&until=2025-05-06${filter}`)).to.deep.equal([id]);
        expect(await idsOf(`/invoices?since=2025-06-06&until=2025-06-07${filter}`)).to.deep.equal([]);
      }
    });

    for (const value of ['yesterday', '2026-02-30', '2026-11-01T00:00:00', '20261101', '1793491200', '']) {
      it(`refuse ${value || 'nothing'} as a time`, async () => {
        for (const name of ['since', 'until']) {
          expect(faultsOf(await tenant.client.get(`/invoices?${name}=${value}`)))
            .to.have.length(1)
            .and.match(new RegExp(`^${name} `));
        }
      });
    }
  });

  describe('by member', () => {
    it('of invoices: status and customer_id, alone and together', async () => {
      const customer_id = await add('/customers', { company_name: 'Filtered' });
      const mine = await add('/invoices', invoiceInput({ customer_id }));
      const sent = await add('/invoices', invoiceInput({ customer_id }), { status: 'sending' });
      const other = await add('/invoices', invoiceInput(), { status: 'sending' });
      expect(await idsOf(`/invoices?customer_id=${customer_id}`)).to.deep.equal([sent, mine]);
      expect(await idsOf(`/invoices?customer_id=${customer_id.toUpperCase()}&status=draft`)).to.deep.equal([
        mine,
      ]);
      expect(await idsOf('/invoices?status=sending')).to.deep.equal([other, sent]);
      expect(await idsOf(`/invoices?customer_id=${UNKNOWN_ID}`)).to.deep.equal([]);
    });

    it('of work orders: every status, service_type and customer_id', async () => {
      const owner = await stack.createTenant('Jobs');
      const customer_id = await add('/customers', { company_name: 'Filtered' }, {}, owner);
      for (const status of ['pending', 'dispatched', 'in_progress', 'completed', 'cancelled']) {
        const id = await add(
          '/work-orders',
          { service_type: `type_${status}`, customer_id },
          { status },
          owner,
        );
        expect(await idsOf(`/work-orders?status=${status}`, owner)).to.deep.equal([id]);
        expect(await idsOf(`/work-orders?service_type=type_${status}`, owner)).to.deep.equal([id]);
      }
      await add('/work-orders', { service_type: 'tow' }, {}, owner);
      expect(await idsOf(`/work-orders?customer_id=${customer_id}`, owner)).to.have.length(5);
    });

    it('of customers: company_type and is_active', async () => {
      const owner = await stack.createTenant('Clients');
      const club = await add('/customers', { company_name: 'Club', company_type: 'motor_club' }, {}, owner);
      const gone = await add(
        '/customers',
        { company_name: 'Gone', company_type: 'fleet' },
        { is_active: false },
        owner,
      );
      expect(await idsOf('/customers?company_type=motor_club', owner)).to.deep.equal([club]);
      expect(await idsOf('/customers?is_active=false', owner)).to.deep.equal([gone]);
      expect(await idsOf('/customers?is_active=true', owner)).to.deep.equal([club]);
    });
  });

  describe('search', () => {
    const SEARCHED: [string, string, (text: string) => Record<string, unknown>, Record<string, unknown>][] = [
      ['/invoices', 'invoice_number', (text) => invoiceInput({ invoice_number: text }), {}],
      [
        '/invoices',
        'po_number',
        // No digits in the number: the search looks there too.
        (text) => invoiceInput({ invoice_number: text.replace(/\W|\d|_/g, '-'), po_number: text }),
        {},
      ],
      ['/customers', 'company_name', (text) => ({ company_name: text }), {}],
      ['/work-orders', 'vin', (text) => ({ service_type: 'tow', vin: text }), {}],
    ];
    for (const [path, column, body] of SEARCHED) {
      it(`finds a part of ${column} in ${path} in any case, with % _ and \\ as plain characters`, async () => {
        const owner = await stack.createTenant('Searching');
        const percent = await add(path, body('a50%x'), {}, owner);
        const underscore = await add(path, body('B5_0X'), {}, owner);
        const backslash = await add(path, body('C5\\0'), {}, owner);
        const plain = await add(path, body('D500'), {}, owner);
        const found = (text: string) => idsOf(`${path}?search=${encodeURIComponent(text)}`, owner);
        expect(await found('50%')).to.deep.equal([percent]);
        expect(await found('5_0')).to.deep.equal([underscore]);
        expect(await found('5\\0')).to.deep.equal([backslash]);
        expect(await found('0x')).to.deep.equal([underscore]);
        expect(await found('50')).to.deep.equal([plain, percent]);
        expect(await found("'; drop table invoices; --")).to.deep.equal([]);
      });
    }

    it('finds job numbers of work orders and email addresses of customers', async () => {
      const owner = await stack.createTenant('Searching');
      const first = await add('/work-orders', { service_type: 'tow' }, {}, owner);
      await add('/work-orders', { service_type: 'tow' }, {}, owner);
      expect(await idsOf('/work-orders?search=wo-000001', owner)).to.deep.equal([first]);
      const payer = await add(
        '/customers',
        { company_name: 'P', billing_email: 'Pay@Example.com' },
        {},
        owner,
      );
      await add('/customers', { company_name: 'Q' }, {}, owner);
      expect(await idsOf('/customers?search=pay%40exam', owner)).to.deep.equal([payer]);
    });
  });

  describe('parameters', () => {
    for (const path of ['/invoices', '/work-orders', '/customers', '/api-keys']) {
      it(`of ${path}: limit is a whole number from 1 to 200`, async () => {
        for (const limit of ['0', '201', 'x', '-1', '1.5', '']) {
          expect(faultsOf(await tenant.client.get(`${path}?limit=${limit}`)), limit)
            .to.have.length(1)
            .and.match(/^limit /);
        }
        expect(await itemsOf(`${path}?limit=1`)).to.have.length(1);
        expect((await tenant.client.get(`${path}?limit=200`)).status).to.equal(200);
      });

      it(`of ${path}: one given twice is 400, an unknown one is ignored`, async () => {
        expect(faultsOf(await tenant.client.get(`${path}?limit=1&limit=2`))).to.deep.equal([
          'limit repeated',
        ]);
        expect(faultsOf(await tenant.client.get(`${path}?x=1&x=1`))).to.deep.equal(['x repeated']);
        expect(await idsOf(`${path}?limit=1&colour=red&__proto__=1`)).to.deep.equal(
          await idsOf(`${path}?limit=1`),
        );
      });
    }

    it('are named all at once when they are wrong', async () => {
      const invoices = 'status=new&customer_id=x&date_field=sent_at&expand=all&limit=0';
      expect(faultsOf(await tenant.client.get(`/invoices?${invoices}`))).to.deep.equal([
        ...['customer_id guid', 'date_field only', 'expand only', 'limit min', 'status only'],
      ]);
      const orders = `status=paid&customer_id=x&service_type=A&date_field=paid_at&search=${'a'.repeat(101)}`;
      expect(faultsOf(await tenant.client.get(`/work-orders?${orders}`))).to.deep.equal([
        ...['customer_id guid', 'date_field only', 'search max', 'service_type pattern', 'status only'],
      ]);
      const customers = 'company_type=A%20B&is_active=maybe&search=%00';
      expect(faultsOf(await tenant.client.get(`/customers?${customers}`))).to.deep.equal([
        ...['company_type pattern', 'is_active base', 'search pattern'],
      ]);
    });

    it('default to 50 items', async () => {
      const owner = await stack.createTenant('Full');
      await Promise.all(
        Array.from({ length: 51 }, (_, n) => owner.client.post('/customers', { company_name: `${n}` })),
      );
      expect(await itemsOf('/customers', owner)).to.have.length(50);
      expect(await itemsOf('/customers?limit=200', owner)).to.have.length(51);
    });

    it('expand=line_items shows each invoice as GET by id does', async () => {
      const id = await add('/invoices', invoiceInput());
      const [expanded] = await itemsOf('/invoices?limit=1&expand=line_items');
      expect(expanded).to.deep.equal((await tenant.client.get(`/invoices/${id}`)).body);
      expect((await itemsOf('/invoices?limit=1'))[0]).to.not.have.property('line_items');
    });
  });
});
