import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ExportOrder } from '../../shared/resources/exports/order.js';
import {
  AWKWARD_TEXTS,
  type Cells,
  csvRows,
  expectSameRow,
  orderOf,
  unzipped,
  written,
} from '../support/export-files.js';
import { invoiceInput, lineItem } from '../support/samples.js';
import { TestStack, type TestTenant } from '../support/stack.js';

type Item = Record<string, unknown> & { id: string };

describe('files of exports', () => {
  let stack: TestStack;
  let tenant: TestTenant;

  const made = async (path: string, body: unknown, owner = tenant): Promise<Item> => {
    const answer = await owner.client.post(path, body);
    expect(answer.status, answer.text).to.equal(201);
    return answer.body;
  };
  const listed = async (path: string): Promise<Item[]> => {
    const answer = await tenant.client.get(`${path}${path.includes('?') ? '&' : '?'}limit=200`);
    expect(answer.status, answer.text).to.equal(200);
    expect(answer.body.data.cursor ?? null).to.equal(null);
    return answer.body.data.items;
  };
  /**
   * The record with the names that CSV has beside the ids of its customer, invoice and work order.
   */
  const named = async <T extends Record<string, unknown>>(items: T[]): Promise<T[]> => {
    const nameOf = async (path: string, name: string) =>
      new Map((await listed(path)).map((each) => [each.id as unknown, each[name]]));
    const customers = await nameOf('/customers', 'company_name');
    const invoices = await nameOf('/invoices', 'invoice_number');
    const jobs = await nameOf('/work-orders', 'job_number');
    return items.map((item) => ({
      ...item,
      ...('customer_id' in item ? { customer_name: customers.get(item.customer_id) ?? null } : {}),
      ...('invoice_id' in item ? { invoice_number: invoices.get(item.invoice_id) ?? null } : {}),
      ...('work_order_id' in item ? { job_number: jobs.get(item.work_order_id) ?? null } : {}),
    }));
  };
  /** Oldest first, as files have them. */
  const inOrder = async (path: string) => (await listed(path)).reverse();
  const of = (overrides: Partial<ExportOrder>) => written(stack.databaseUrl, orderOf(tenant.id, overrides));
  const texts = async (overrides: Partial<ExportOrder>) => (await of(overrides)).content.toString();
  const set = (table: string, id: string, values: Record<string, unknown>) => {
    const sets = Object.keys(values).map((name, index) => `${name} = $${index + 3}`);
    const text = `update ${table} set ${sets.join(', ')} where tenant_id = $1 and id = $2`;
    return stack.rows(tenant.id, text, [tenant.id, id, ...Object.values(values)]);
  };

  before(async () => {
    stack = await TestStack.start({ clock: false });
    tenant = await stack.createTenant('Awkward Towing', { timeZone: 'America/New_York', taxRateBps: 825 });
    const stranger = await stack.createTenant('Strangers');
    await made('/invoices', invoiceInput({ notes: 'not yours' }), stranger);
    await made('/customers', { company_name: 'Not Yours' }, stranger);
    for (const [index, text] of AWKWARD_TEXTS.entries()) {
      const customer = await made('/customers', { company_name: `C${index}`, tax_rate_bps: index });
      await set('customers', customer.id, { company_name: text || 'x', address: text, primary_phone: text });
      const lines = [
        lineItem({ unit_price_cents: 100_000_000, quantity: 1.25 }),
        lineItem({ category: 'discount', unit_price_cents: -5 }),
      ];
      const invoice = await made('/invoices', invoiceInput({ customer_id: customer.id, line_items: lines }));
      await set('invoices', invoice.id, { notes: text, vehicle_description: text, po_number: text });
      if (index % 2) await set('invoices', invoice.id, { delivery_state: 'failed', status_reason: text });
      if (index % 3 === 0) await set('invoices', invoice.id, { due_date: '2026-11-01T03:59:59.9995Z' });
      await stack.rows(
        tenant.id,
        'update invoice_line_items set name = $3, description = $4 where tenant_id = $1 and invoice_id = $2',
        [tenant.id, invoice.id, text ?? 'x', text],
      );
      const job = await made('/work-orders', { service_type: 'tow', customer_id: customer.id });
      if (index % 4 === 0) await set('invoices', invoice.id, { work_order_id: job.id });
      await set('work_orders', job.id, {
        notes: text,
        vehicle_make: text,
        pickup_location: text,
        miles: index / 4,
      });
      const defects = [{ component: 'Cable', severity: 'minor' }];
      const photos = [{ slot: 'front', url: 'https://example.com/a,b.jpg' }];
      const inspection = await made('/inspections', { kind: 'pre_trip', defects, photos });
      const items = JSON.stringify([{ key: 'brakes', label: null, state: 'ok', note: text }]);
      const seen = { vin: null, plate: 'A-1', make: text, model: null, year: 2019 };
      await set('inspections', inspection.id, { items, vehicle: index % 2 ? seen : null });
      await stack.rows(
        tenant.id,
        `insert into payments (tenant_id, id, invoice_id, amount_cents, method, applied_cents, refunded_cents, reference)
         values ($1, gen_random_uuid(), $2, 1000, 'cash', 900, 50, $3)`,
        [tenant.id, invoice.id, text],
      );
    }
  });
  after(() => stack.stop());

  describe('as CSV', () => {
    const FILES: [ExportOrder['resource'], string, string[]][] = [
      ['invoices', '/invoices?expand=line_items', ['allowed_actions', 'line_items']],
      ['customers', '/customers', []],
      ['work_orders', '/work-orders', []],
      ['inspections', '/inspections', []],
    ];
    for (const [resource, path, leftOut] of FILES) {
      it(`has every field of ${resource} as REST shows it, in its order`, async () => {
        const { content, summary } = await of({ resource });
        const shown = await named(await inOrder(path));
        const rows = csvRows(content);
        expect(rows.map(({ id }) => id)).to.deep.equal(shown.map(({ id }) => id));
        expect(summary.rows).to.equal(shown.length).and.to.equal(AWKWARD_TEXTS.length);
        for (const [index, item] of shown.entries()) expectSameRow(rows[index], item, leftOut);
      });
    }

    it('ends every line in CR LF and changes no line end inside of a cell', async () => {
      const text = await texts({});
      expect(text.endsWith('\r\n')).to.equal(true);
      const outside = text.replace(/"(?:[^"]|"")*"/g, '""');
      expect(outside.split('\r\n')).to.have.length(AWKWARD_TEXTS.length + 2);
      expect(outside.replaceAll('\r\n', '')).not.to.match(/[\r\n]/);
      expect(outside.split('\r\n')[1]?.split(',')).to.have.length(25);
    });

    it('tells an empty text from none', async () => {
      const notes = csvRows((await of({})).content).map((row) => row.notes);
      expect(notes.at(-2)).to.equal('');
      expect(notes.at(-1)).to.equal(null);
    });

    it('has amounts with a decimal point when asked for', async () => {
      const { content, summary } = await of({ decimals: true, include: ['line_items'] });
      const files = unzipped(content);
      const lines = csvRows(files.get('invoice_line_items.csv') as Buffer);
      expect(lines[0]).to.include({ total_cents: '125000000', total: '1250000.00', quantity: '1.25' });
      expect(lines[1]).to.include({ unit_price_cents: '-5', unit_price: '-0.05' });
      const [invoice] = csvRows(files.get('invoices.csv') as Buffer);
      expect(invoice).to.include({ paid_cents: '0', paid: '0.00', subtotal: '1249999.95' });
      expect(Object.keys(invoice as Cells).slice(8, 10)).to.deep.equal(['subtotal_cents', 'subtotal']);
      expect(summary.files.map(({ name }) => name)).to.deep.equal(['invoices.csv', 'invoice_line_items.csv']);
    });

    it('begins with a byte order mark when asked for, and only then', async () => {
      expect((await of({ bom: true })).content.subarray(0, 5).toString()).to.equal('\ufeffid');
      expect((await of({})).content.subarray(0, 3).toString()).to.equal('id,');
    });

    it('is its header alone without rows', async () => {
      const { content, summary } = await of({ filters: { status: 'void' } });
      expect(content.toString()).to.match(
        /^id,invoice_number,[a-z_,]+,updated_at,customer_name,job_number,effective_due_date\r\n$/,
      );
      expect(summary.files[0]).to.include({ rows: 0, bytes: content.length });
    });
  });

  describe('as JSON', () => {
    const RESOURCES: [ExportOrder['resource'], string][] = [
      ['invoices', '/invoices?expand=line_items'],
      ['customers', '/customers'],
      ['work_orders', '/work-orders'],
      ['inspections', '/inspections'],
    ];
    for (const [resource, path] of RESOURCES) {
      it(`is what REST answers, byte for byte: ${resource}`, async () => {
        const answer = await tenant.client.get(`${path}${path.includes('?') ? '&' : '?'}limit=200`);
        const shown = answer.body.data.items.toReversed();
        const array = JSON.parse(await texts({ resource, format: 'json' }));
        expect(array).to.deep.equal(shown);
        const lines = (await texts({ resource, format: 'ndjson' })).split('\n');
        expect(lines.pop()).to.equal('');
        expect(lines.map((line) => JSON.parse(line))).to.deep.equal(shown);
        for (const line of lines) expect(answer.text.includes(line), line).to.equal(true);
      });
    }

    it('is [] and nothing without rows', async () => {
      const filters = { status: 'void' };
      expect(await texts({ format: 'json', filters })).to.equal('[]');
      expect(await texts({ format: 'ndjson', filters })).to.equal('');
    });
  });

  describe('with filters', () => {
    const FILTERS: [ExportOrder['resource'], string, Record<string, string>][] = [
      ['invoices', '/invoices', { search: 'INV', status: 'draft' }],
      ['invoices', '/invoices', { since: '2026-10-31', until: '2026-11-01', date_field: 'due_date' }],
      ['customers', '/customers', { search: 'slash', is_active: 'true' }],
      ['work_orders', '/work-orders', { status: 'new' }],
      ['inspections', '/inspections', { kind: 'post_trip' }],
    ];
    for (const [resource, path, filters] of FILTERS) {
      it(`means what the list means: ${resource} ${JSON.stringify(filters)}`, async () => {
        const shown = await inOrder(`${path}?${new URLSearchParams(filters)}`);
        const { content } = await of({ resource, filters, timeZone: 'America/New_York' });
        expect(csvRows(content).map(({ id }) => id)).to.deep.equal(shown.map(({ id }) => id));
      });
    }

    it('brings the lines and payments of those invoices alone', async () => {
      const [invoice] = await listed('/invoices');
      const filters = { customer_id: String(invoice?.customer_id) };
      const files = unzipped((await of({ filters, include: ['line_items', 'payments'] })).content);
      expect(
        csvRows(files.get('invoice_line_items.csv') as Buffer).map((row) => row.invoice_id),
      ).to.deep.equal([invoice?.id, invoice?.id]);
      expect(csvRows(files.get('payments.csv') as Buffer).map((row) => row.invoice_id)).to.deep.equal([
        invoice?.id,
      ]);
    });

    it('refuses a filter that its list does not know', async () => {
      for (const overrides of [
        { filters: { colour: 'red' } },
        { resource: 'all' as const, filters: { status: 'void' } },
      ]) {
        const error = await of(overrides).catch((reason: Error) => reason);
        expect(error)
          .to.be.an.instanceOf(Error)
          .with.property('message')
          .that.matches(/filters/);
      }
    });
  });

  describe('everything', () => {
    for (const format of ['csv', 'json', 'ndjson'] as const) {
      it(`is a zip with a manifest of what is in it (${format})`, async () => {
        const { content, summary } = await of({ resource: 'all', format });
        const files = unzipped(content);
        const manifest = JSON.parse(String(files.get('manifest.json')));
        expect(manifest).to.include({ tenant_id: tenant.id, format });
        expect(new Date(manifest.snapshot_at).getTime()).to.be.closeTo(Date.now(), 60_000);
        expect(manifest.files).to.deep.equal(summary.files);
        expect([...files.keys()]).to.deep.equal([...summary.files.map(({ name }) => name), 'manifest.json']);
        for (const { name, rows, bytes, sha256 } of summary.files) {
          const file = files.get(name) as Buffer;
          expect(file.length).to.equal(bytes);
          expect(createHash('sha256').update(file).digest('hex')).to.equal(sha256);
          const text = file.toString();
          if (format === 'csv') expect(csvRows(file), name).to.have.length(rows);
          if (format === 'json') expect(JSON.parse(text)).to.have.length(rows);
          if (format === 'ndjson') expect(text.split('\n')).to.have.length(rows + 1);
          expect(text).not.to.match(/not yours/i);
        }
      });
    }

    it('has the sums of the cents that the database has', async () => {
      const { summary } = await of({ resource: 'all' });
      const sums = Object.fromEntries(summary.files.map((file) => [file.name, file.sums]));
      const [expected] = await stack.rows<Record<string, string>>(
        tenant.id,
        `select (select sum(total_cents) from invoices where tenant_id = $1) as invoices,
                (select sum(unit_price_cents) from invoice_line_items where tenant_id = $1) as lines,
                (select sum(amount_cents - refunded_cents - applied_cents) from payments where tenant_id = $1) as credit`,
        [tenant.id],
      );
      expect(sums['invoices.csv']?.total_cents).to.equal(Number(expected?.invoices)).and.above(0);
      expect(sums['invoice_line_items.csv']?.unit_price_cents).to.equal(Number(expected?.lines));
      expect(sums['payments.csv']?.credit_cents).to.equal(Number(expected?.credit)).and.above(0);
    });

    it('has payments, line items and the lists of inspections as REST shows them', async () => {
      const files = unzipped((await of({ resource: 'all' })).content);
      const rows = (name: string) => csvRows(files.get(name) as Buffer);
      const byId = new Map(rows('payments.csv').map((row) => [row.id, row]));
      const customerOf = new Map(
        (await named(await listed('/invoices'))).map((each) => [each.id, each.customer_name]),
      );
      for (const payment of await named(await listed('/payments')))
        expectSameRow(byId.get(payment.id), {
          ...payment,
          customer_name: customerOf.get(payment.invoice_id as string),
        });
      const invoices = await inOrder('/invoices?expand=line_items');
      const lines = await named(
        invoices.flatMap((each) =>
          (each.line_items as Item[]).map((line) => ({ ...line, invoice_id: each.id })),
        ),
      );
      for (const [index, row] of rows('invoice_line_items.csv').entries())
        expectSameRow(row, lines[index] as Item);
      const inspections = await inOrder('/inspections');
      for (const list of ['items', 'defects', 'photos']) {
        const entries = inspections.flatMap((each) =>
          (each[list] as Item[]).map((entry, index) => ({
            inspection_id: each.id,
            position: index + 1,
            ...entry,
          })),
        );
        const found = rows(`inspection_${list}.csv`);
        expect(found).to.have.length(entries.length);
        for (const [index, row] of found.entries())
          expectSameRow(row, entries[index] as Record<string, unknown>);
      }
    });
  });

  it('is packed by gzip when asked for', async () => {
    const plain = await of({});
    const packed = await of({ compression: 'gzip' });
    expect(gunzipSync(packed.content).equals(plain.content)).to.equal(true);
    expect(packed.summary).to.deep.equal(plain.summary);
  });
});
