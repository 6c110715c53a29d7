import { expect } from 'chai';
import { listValidationErrors } from '../../support/expect-error.js';
import { invoiceInput, UNKNOWN_ID } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

type Item = Record<string, unknown> & { id: string };

describe('list filters', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'New York Towing', { timeZone: 'America/New_York' });

  before(async () => {
    await createRecord('/work-orders', { service_type: 'tow' });
    await createRecord('/customers', { company_name: 'C' });
    await createRecord('/invoices', invoiceInput());
  });

  const createRecord = async (
    path: string,
    body: unknown,
    columns: Record<string, unknown> = {},
    owner = tenant,
  ): Promise<string> => {
    const response = await owner.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    const sets = Object.keys(columns).map((name, index) => `${name} = $${index + 3}`);
    const text = `update ${path.slice(1).replace('-', '_')} set ${sets.join(', ')} where tenant_id = $1 and id = $2`;
    if (sets.length > 0)
      await stack.rows(owner.id, text, [owner.id, response.body.id, ...Object.values(columns)]);
    return response.body.id;
  };
  const listItems = async (path: string, owner = tenant): Promise<Item[]> => {
    const response = await owner.client.get(path);
    expect(response.status, response.text).to.equal(200);
    expect(response.body.data.count).to.equal(response.body.data.items.length);
    return response.body.data.items;
  };
  const listIds = async (path: string, owner = tenant) => (await listItems(path, owner)).map(({ id }) => id);

  describe('since and until', () => {
    // New York leaves daylight saving time on 1 November 2026. That day begins at 04:00 UTC, and
    // ends at 05:00 UTC on 2 November.
    const TIMES = [
      '2026-11-01T03:59:59.999Z',
      '2026-11-01T04:00:00Z',
      '2026-11-02T04:59:59.999Z',
      '2026-11-02T05:00:00Z',
    ];
    const DATE_FIELDS: [string, string[]][] = [
      ['/invoices', ['created_at', 'updated_at', 'service_date', 'due_date', 'paid_at']],
      ['/work-orders', ['created_at', 'updated_at', 'dispatch_time', 'completion_time']],
    ];
    for (const [path, columns] of DATE_FIELDS) {
      for (const column of columns) {
        it(`GET ${path} with date_field=${column}: since is inclusive, until is exclusive, a date is midnight in the account's time zone`, async () => {
          const owner = await stack.createTenant('Dated', { timeZone: 'America/New_York' });
          const ids: string[] = [];
          for (const at of TIMES) {
            const body = path === '/invoices' ? invoiceInput() : { service_type: 'tow' };
            ids.push(await createRecord(path, body, { [column]: at }, owner));
          }
          const found = async (range: string) => {
            const result = await listIds(`${path}?date_field=${column}&${range}`, owner);
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

    it("GET /work-orders takes a date in since and until as midnight in each account's own time zone", async () => {
      const tokyo = await stack.createTenant('Tokyo Towing', { timeZone: 'Asia/Tokyo' });
      const id = await createRecord(
        '/work-orders',
        { service_type: 'tow' },
        { created_at: '2026-10-31T15:00:00Z' },
        tokyo,
      );
      expect(await listIds('/work-orders?since=2026-11-01', tokyo)).to.deep.equal([id]);
      expect(await listIds('/work-orders?until=2026-11-01', tokyo)).to.deep.equal([]);
    });

    for (const status of ['paid', 'partially_paid']) {
      it(`GET /invoices?status=${status} compares since and until with paid_at unless date_field is set`, async () => {
        const paid = { status, created_at: '2026-01-01T12:00:00Z', paid_at: '2026-03-01T12:00:00Z' };
        const id = await createRecord('/invoices', invoiceInput(), paid);
        expect(await listIds(`/invoices?status=${status}&since=2026-03-01&until=2026-03-02`)).to.deep.equal([
          id,
        ]);
        expect(await listIds(`/invoices?status=${status}&since=2026-01-01&until=2026-01-02`)).to.deep.equal(
          [],
        );
        const byCreation = `/invoices?status=${status}&since=2026-01-01&until=2026-01-02&date_field=created_at`;
        expect(await listIds(byCreation)).to.deep.equal([id]);
      });
    }

    it('GET /invoices compares since and until with created_at for other statuses and without a status', async () => {
      const id = await createRecord('/invoices', invoiceInput(), {
        created_at: '2025-05-05T12:00:00Z',
        paid_at: '2025-06-06T12:00:00Z',
      });
      for (const filter of ['', '&status=draft']) {
        expect(await listIds(`/invoices?since=2025-05-05&until=2025-05-06${filter}`)).to.deep.equal([id]);
        expect(await listIds(`/invoices?since=2025-06-06&until=2025-06-07${filter}`)).to.deep.equal([]);
      }
    });

    for (const value of ['yesterday', '2026-02-30', '2026-11-01T00:00:00', '20261101', '1793491200', '']) {
      it(`GET /invoices refuses ${value || 'an empty text'} as since and until`, async () => {
        for (const name of ['since', 'until']) {
          expect(listValidationErrors(await tenant.client.get(`/invoices?${name}=${value}`)))
            .to.have.length(1)
            .and.match(new RegExp(`^${name} `));
        }
      });
    }
  });

  describe('filters by field', () => {
    it('GET /invoices filters by status and customer_id, alone and combined', async () => {
      const customer_id = await createRecord('/customers', { company_name: 'Filtered' });
      const draft = await createRecord('/invoices', invoiceInput({ customer_id }));
      const sent = await createRecord('/invoices', invoiceInput({ customer_id }), { status: 'sending' });
      const other = await createRecord('/invoices', invoiceInput(), { status: 'sending' });
      expect(await listIds(`/invoices?customer_id=${customer_id}`)).to.deep.equal([sent, draft]);
      expect(await listIds(`/invoices?customer_id=${customer_id.toUpperCase()}&status=draft`)).to.deep.equal([
        draft,
      ]);
      expect(await listIds('/invoices?status=sending')).to.deep.equal([other, sent]);
      expect(await listIds(`/invoices?customer_id=${UNKNOWN_ID}`)).to.deep.equal([]);
    });

    it('GET /invoices filters by several statuses joined by commas, newest first over all pages', async () => {
      const owner = await stack.createTenant('Several');
      const create = (status: string) => createRecord('/invoices', invoiceInput(), { status }, owner);
      const overdue = await create('overdue');
      await create('draft');
      const sending = await create('sending');
      const newest = await create('overdue');
      for (const status of ['sending,overdue', 'overdue,sending,overdue', 'overdue%2Csending'])
        expect(await listIds(`/invoices?status=${status}`, owner)).to.deep.equal([newest, sending, overdue]);
      const { body: first } = await owner.client.get('/invoices?status=sending,overdue&limit=2');
      const rest = await listIds(
        `/invoices?status=sending,overdue&limit=2&cursor=${first.data.cursor}`,
        owner,
      );
      expect(rest).to.deep.equal([overdue]);
      expect(await listIds('/invoices?status=sending,overdue&search=INV', owner)).to.have.length(3);
    });

    it('GET /invoices and GET /work-orders refuse a list of statuses with an unknown or an empty one', async () => {
      for (const path of ['/invoices', '/work-orders'])
        for (const status of ['lost', 'cancelled,lost', 'cancelled,', ',', 'cancelled, pending'])
          expect(listValidationErrors(await tenant.client.get(`${path}?status=${status}`))).to.have.length(1);
    });

    it('GET /invoices?status=paid,partially_paid compares since and until with paid_at, as each does alone', async () => {
      const owner = await stack.createTenant('Paid');
      const paid = { status: 'paid', paid_at: '2025-06-06T12:00:00Z' };
      const id = await createRecord('/invoices', invoiceInput(), paid, owner);
      const day = 'since=2025-06-06&until=2025-06-07';
      expect(await listIds(`/invoices?status=paid,partially_paid&${day}`, owner)).to.deep.equal([id]);
      expect(await listIds(`/invoices?status=paid,overdue&${day}`, owner)).to.deep.equal([]);
    });

    it('GET /invoices?work_order_id= returns the invoices of the work order alone, of the own account', async () => {
      const work_order_id = await createRecord(
        '/work-orders',
        { service_type: 'tow' },
        { status: 'completed' },
      );
      const id = await createRecord('/invoices', invoiceInput({ work_order_id }));
      await createRecord('/invoices', invoiceInput());
      expect(await listIds(`/invoices?work_order_id=${work_order_id}`)).to.deep.equal([id]);
      expect(await listIds(`/invoices?work_order_id=${work_order_id}&status=paid`)).to.deep.equal([]);
      const stranger = await stack.createTenant('Stranger');
      expect(await listIds(`/invoices?work_order_id=${work_order_id}`, stranger)).to.deep.equal([]);
    });

    it('GET /work-orders filters by several statuses; new beside pending adds nothing twice', async () => {
      const owner = await stack.createTenant('Several jobs');
      const create = (columns: Record<string, string>) =>
        createRecord('/work-orders', { service_type: 'tow' }, columns, owner);
      const unaccepted = await create({ intake: 'new' });
      const accepted = await create({ intake: 'accepted' });
      const dispatched = await create({ status: 'dispatched', intake: 'accepted' });
      await create({ status: 'cancelled', intake: 'accepted' });
      const list = (status: string) => listIds(`/work-orders?status=${status}`, owner);
      expect(await list('new,dispatched')).to.deep.equal([dispatched, unaccepted]);
      expect(await list('new,pending,dispatched')).to.deep.equal([dispatched, accepted, unaccepted]);
    });

    it('GET /work-orders filters by every status, service_type and customer_id', async () => {
      const owner = await stack.createTenant('Jobs');
      const customer_id = await createRecord('/customers', { company_name: 'Filtered' }, {}, owner);
      for (const status of ['pending', 'dispatched', 'in_progress', 'completed', 'cancelled']) {
        const id = await createRecord(
          '/work-orders',
          { service_type: `type_${status}`, customer_id },
          { status },
          owner,
        );
        expect(await listIds(`/work-orders?status=${status}`, owner)).to.deep.equal([id]);
        expect(await listIds(`/work-orders?service_type=type_${status}`, owner)).to.deep.equal([id]);
      }
      await createRecord('/work-orders', { service_type: 'tow' }, {}, owner);
      expect(await listIds(`/work-orders?customer_id=${customer_id}`, owner)).to.have.length(5);
    });

    it('GET /customers filters by company_type and is_active', async () => {
      const owner = await stack.createTenant('Clients');
      const club = await createRecord(
        '/customers',
        { company_name: 'Club', company_type: 'motor_club' },
        {},
        owner,
      );
      const inactive = await createRecord(
        '/customers',
        { company_name: 'Gone', company_type: 'fleet' },
        { is_active: false },
        owner,
      );
      expect(await listIds('/customers?company_type=motor_club', owner)).to.deep.equal([club]);
      expect(await listIds('/customers?is_active=false', owner)).to.deep.equal([inactive]);
      expect(await listIds('/customers?is_active=true', owner)).to.deep.equal([club]);
    });
  });

  describe('search', () => {
    const SEARCHED: [string, string, (text: string) => Record<string, unknown>, Record<string, unknown>][] = [
      ['/invoices', 'invoice_number', (text) => invoiceInput({ invoice_number: text }), {}],
      [
        '/invoices',
        'po_number',
        // The search also reads the invoice number, so that number must not contain the searched
        // digits.
        (text) => invoiceInput({ invoice_number: text.replace(/\W|\d|_/g, '-'), po_number: text }),
        {},
      ],
      ['/customers', 'company_name', (text) => ({ company_name: text }), {}],
      ['/work-orders', 'vin', (text) => ({ service_type: 'tow', vin: text }), {}],
    ];
    for (const [path, column, body] of SEARCHED) {
      it(`GET ${path}?search= finds a part of ${column}, ignores case, and takes % _ and \\ literally`, async () => {
        const owner = await stack.createTenant('Searching');
        const percent = await createRecord(path, body('a50%x'), {}, owner);
        const underscore = await createRecord(path, body('B5_0X'), {}, owner);
        const backslash = await createRecord(path, body('C5\\0'), {}, owner);
        const plain = await createRecord(path, body('D500'), {}, owner);
        const found = (text: string) => listIds(`${path}?search=${encodeURIComponent(text)}`, owner);
        expect(await found('50%')).to.deep.equal([percent]);
        expect(await found('5_0')).to.deep.equal([underscore]);
        expect(await found('5\\0')).to.deep.equal([backslash]);
        expect(await found('0x')).to.deep.equal([underscore]);
        expect(await found('50')).to.deep.equal([plain, percent]);
        expect(await found("'; drop table invoices; --")).to.deep.equal([]);
      });
    }

    it('search finds work orders by job number and customers by billing e-mail address', async () => {
      const owner = await stack.createTenant('Searching');
      const first = await createRecord('/work-orders', { service_type: 'tow' }, {}, owner);
      await createRecord('/work-orders', { service_type: 'tow' }, {}, owner);
      expect(await listIds('/work-orders?search=wo-000001', owner)).to.deep.equal([first]);
      const payer = await createRecord(
        '/customers',
        { company_name: 'P', billing_email: 'Pay@Example.com' },
        {},
        owner,
      );
      await createRecord('/customers', { company_name: 'Q' }, {}, owner);
      expect(await listIds('/customers?search=pay%40exam', owner)).to.deep.equal([payer]);
    });
  });

  describe('list parameters', () => {
    for (const path of ['/invoices', '/work-orders', '/customers', '/api-keys']) {
      it(`GET ${path} accepts a whole number from 1 to 200 as limit`, async () => {
        for (const limit of ['0', '201', 'x', '-1', '1.5', '']) {
          expect(listValidationErrors(await tenant.client.get(`${path}?limit=${limit}`)), limit)
            .to.have.length(1)
            .and.match(/^limit /);
        }
        expect(await listItems(`${path}?limit=1`)).to.have.length(1);
        expect((await tenant.client.get(`${path}?limit=200`)).status).to.equal(200);
      });

      it(`GET ${path} refuses a repeated parameter with 400 and ignores an unknown one`, async () => {
        expect(listValidationErrors(await tenant.client.get(`${path}?limit=1&limit=2`))).to.deep.equal([
          'limit repeated',
        ]);
        expect(listValidationErrors(await tenant.client.get(`${path}?x=1&x=1`))).to.deep.equal([
          'x repeated',
        ]);
        expect(await listIds(`${path}?limit=1&colour=red&__proto__=1`)).to.deep.equal(
          await listIds(`${path}?limit=1`),
        );
      });
    }

    it('lists name all invalid parameters in one response', async () => {
      const invoices = 'status=new&customer_id=x&date_field=sent_at&expand=all&limit=0';
      expect(listValidationErrors(await tenant.client.get(`/invoices?${invoices}`))).to.deep.equal([
        'customer_id guid',
        'date_field only',
        'expand only',
        'limit min',
        'status only',
      ]);
      const workOrders = `status=paid&customer_id=x&service_type=A&date_field=paid_at&search=${'a'.repeat(101)}`;
      expect(listValidationErrors(await tenant.client.get(`/work-orders?${workOrders}`))).to.deep.equal([
        'customer_id guid',
        'date_field only',
        'search max',
        'service_type pattern',
        'status only',
      ]);
      const customers = 'company_type=A%20B&is_active=maybe&search=%00';
      expect(listValidationErrors(await tenant.client.get(`/customers?${customers}`))).to.deep.equal([
        'company_type pattern',
        'is_active base',
        'search pattern',
      ]);
    });

    it('GET /customers returns 50 items by default', async () => {
      const owner = await stack.createTenant('Full');
      await Promise.all(
        Array.from({ length: 51 }, (_, n) => owner.client.post('/customers', { company_name: `${n}` })),
      );
      expect(await listItems('/customers', owner)).to.have.length(50);
      expect(await listItems('/customers?limit=200', owner)).to.have.length(51);
    });

    it('GET /invoices?expand=line_items shows each invoice as GET /invoices/{id} does', async () => {
      const id = await createRecord('/invoices', invoiceInput());
      const [expanded] = await listItems('/invoices?limit=1&expand=line_items');
      expect(expanded).to.deep.equal((await tenant.client.get(`/invoices/${id}`)).body);
      expect((await listItems('/invoices?limit=1'))[0]).to.not.have.property('line_items');
    });
  });
});
