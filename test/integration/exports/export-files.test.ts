import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { ExportRequest } from '../../../shared/resources/exports/request/export-request.js';
import {
  AWKWARD_TEXTS,
  buildExportRequest,
  type CsvRow,
  expectSameRow,
  parseCsv,
  unzip,
  writeExportToBuffer,
} from '../../support/exports/export-files.js';
import { invoiceInput, lineItem } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

type Item = Record<string, unknown> & { id: string };

describe('export files', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Awkward Towing', { timeZone: 'America/New_York', taxRateBps: 825 });

  const createRecord = async (path: string, body: unknown, owner = tenant): Promise<Item> => {
    const response = await owner.client.post(path, body);
    expect(response.status, response.text).to.equal(201);
    return response.body;
  };
  const listRecords = async (path: string): Promise<Item[]> => {
    const response = await tenant.client.get(`${path}${path.includes('?') ? '&' : '?'}limit=200`);
    expect(response.status, response.text).to.equal(200);
    expect(response.body.data.cursor ?? null).to.equal(null);
    return response.body.data.items;
  };
  /** Adds the names that CSV shows beside the ids of the customer, invoice and work order. */
  const addRelatedNames = async <T extends Record<string, unknown>>(items: T[]): Promise<T[]> => {
    const loadNames = async (path: string, name: string) =>
      new Map((await listRecords(path)).map((each) => [each.id as unknown, each[name]]));
    const customers = await loadNames('/customers', 'company_name');
    const invoices = await loadNames('/invoices', 'invoice_number');
    const workOrders = await loadNames('/work-orders', 'job_number');
    return items.map((item) => ({
      ...item,
      ...('customer_id' in item ? { customer_name: customers.get(item.customer_id) ?? null } : {}),
      ...('invoice_id' in item ? { invoice_number: invoices.get(item.invoice_id) ?? null } : {}),
      ...('work_order_id' in item ? { job_number: workOrders.get(item.work_order_id) ?? null } : {}),
    }));
  };
  /** Lists the records oldest first, as export files do. */
  const listOldestFirst = async (path: string) => (await listRecords(path)).reverse();
  const writeExportFile = (overrides: Partial<ExportRequest>) =>
    writeExportToBuffer(stack.databaseUrl, buildExportRequest(tenant.id, overrides));
  const writeExportText = async (overrides: Partial<ExportRequest>) =>
    (await writeExportFile(overrides)).content.toString();
  const updateColumns = (table: string, id: string, values: Record<string, unknown>) => {
    const sets = Object.keys(values).map((name, index) => `${name} = $${index + 3}`);
    const text = `update ${table} set ${sets.join(', ')} where tenant_id = $1 and id = $2`;
    return stack.rows(tenant.id, text, [tenant.id, id, ...Object.values(values)]);
  };

  before(async () => {
    const otherTenant = await stack.createTenant('Other Towing');
    await createRecord('/invoices', invoiceInput({ notes: 'not yours' }), otherTenant);
    await createRecord('/customers', { company_name: 'Not Yours' }, otherTenant);
    for (const [index, text] of AWKWARD_TEXTS.entries()) {
      const customer = await createRecord('/customers', { company_name: `C${index}`, tax_rate_bps: index });
      await updateColumns('customers', customer.id, {
        company_name: text || 'x',
        address: text,
        primary_phone: text,
      });
      const lineItems = [
        lineItem({ unit_price_cents: 100_000_000, quantity: 1.25 }),
        lineItem({ category: 'discount', unit_price_cents: -5 }),
      ];
      const invoice = await createRecord(
        '/invoices',
        invoiceInput({ customer_id: customer.id, line_items: lineItems }),
      );
      await updateColumns('invoices', invoice.id, {
        notes: text,
        vehicle_description: text,
        po_number: text,
      });
      if (index % 2)
        await updateColumns('invoices', invoice.id, { delivery_state: 'failed', status_reason: text });
      if (index % 3 === 0)
        await updateColumns('invoices', invoice.id, { due_date: '2026-11-01T03:59:59.9995Z' });
      await stack.rows(
        tenant.id,
        'update invoice_line_items set name = $3, description = $4 where tenant_id = $1 and invoice_id = $2',
        [tenant.id, invoice.id, text ?? 'x', text],
      );
      const workOrder = await createRecord('/work-orders', { service_type: 'tow', customer_id: customer.id });
      if (index % 4 === 0) await updateColumns('invoices', invoice.id, { work_order_id: workOrder.id });
      await updateColumns('work_orders', workOrder.id, {
        notes: text,
        vehicle_make: text,
        pickup_location: text,
        dropoff_location: text,
        dropoff_lat: index / 8,
        dropoff_lng: -index,
        miles: index / 4,
      });
      const defects = [{ component: 'Cable', severity: 'minor' }];
      const photos = [{ slot: 'front', url: 'https://example.com/a,b.jpg' }];
      const inspection = await createRecord('/inspections', { kind: 'pre_trip', defects, photos });
      const items = JSON.stringify([{ key: 'brakes', label: null, state: 'ok', note: text }]);
      const seen = { vin: null, plate: 'A-1', make: text, model: null, year: 2019 };
      await updateColumns('inspections', inspection.id, { items, vehicle: index % 2 ? seen : null });
      await stack.rows(
        tenant.id,
        `insert into payments (tenant_id, id, invoice_id, amount_cents, method, applied_cents, refunded_cents, reference)
         values ($1, gen_random_uuid(), $2, 1000, 'cash', 900, 50, $3)`,
        [tenant.id, invoice.id, text],
      );
    }
  });

  describe('CSV', () => {
    const FILES: [ExportRequest['resource'], string, string[]][] = [
      ['invoices', '/invoices?expand=line_items', ['allowed_actions', 'line_items']],
      ['customers', '/customers', []],
      ['work_orders', '/work-orders', ['allowed_actions']],
      ['inspections', '/inspections', []],
    ];
    for (const [resource, path, omittedFields] of FILES) {
      it(`CSV of ${resource} has every field of the REST list, oldest record first`, async () => {
        const { content, summary } = await writeExportFile({ resource });
        const shown = await addRelatedNames(await listOldestFirst(path));
        const rows = parseCsv(content);
        expect(rows.map(({ id }) => id)).to.deep.equal(shown.map(({ id }) => id));
        expect(summary.rows).to.equal(shown.length).and.to.equal(AWKWARD_TEXTS.length);
        for (const [index, item] of shown.entries()) expectSameRow(rows[index], item, omittedFields);
      });
    }

    it('CSV rows end in CR LF, and line breaks inside cells stay unchanged', async () => {
      const text = await writeExportText({});
      expect(text.endsWith('\r\n')).to.equal(true);
      const outside = text.replace(/"(?:[^"]|"")*"/g, '""');
      expect(outside.split('\r\n')).to.have.length(AWKWARD_TEXTS.length + 2);
      expect(outside.replaceAll('\r\n', '')).not.to.match(/[\r\n]/);
      expect(outside.split('\r\n')[1]?.split(',')).to.have.length(27);
    });

    it('CSV distinguishes an empty text from null', async () => {
      const notes = parseCsv((await writeExportFile({})).content).map((row) => row.notes);
      expect(notes.at(-2)).to.equal('');
      expect(notes.at(-1)).to.equal(null);
    });

    it('CSV with decimals adds a column with a decimal point after each amount in cents', async () => {
      const { content, summary } = await writeExportFile({ decimals: true, include: ['line_items'] });
      const files = unzip(content);
      const lineItems = parseCsv(files.get('invoice_line_items.csv') as Buffer);
      expect(lineItems[0]).to.include({ total_cents: '125000000', total: '1250000.00', quantity: '1.25' });
      expect(lineItems[1]).to.include({ unit_price_cents: '-5', unit_price: '-0.05' });
      const [invoice] = parseCsv(files.get('invoices.csv') as Buffer);
      expect(invoice).to.include({ paid_cents: '0', paid: '0.00', subtotal: '1249999.95' });
      expect(Object.keys(invoice as CsvRow).slice(8, 10)).to.deep.equal(['subtotal_cents', 'subtotal']);
      expect(summary.files.map(({ name }) => name)).to.deep.equal(['invoices.csv', 'invoice_line_items.csv']);
    });

    it('CSV starts with a byte order mark only if bom is true', async () => {
      expect((await writeExportFile({ bom: true })).content.subarray(0, 5).toString()).to.equal('\ufeffid');
      expect((await writeExportFile({})).content.subarray(0, 3).toString()).to.equal('id,');
    });

    it('CSV without rows is only its header', async () => {
      const { content, summary } = await writeExportFile({ filters: { status: 'void' } });
      expect(content.toString()).to.match(
        /^id,invoice_number,[a-z_,]+,updated_at,customer_name,job_number,effective_due_date,recurring_invoice_id,external_ids\r\n$/,
      );
      expect(summary.files[0]).to.include({ rows: 0, bytes: content.length });
    });
  });

  describe('JSON and NDJSON', () => {
    const RESOURCES: [ExportRequest['resource'], string][] = [
      ['invoices', '/invoices?expand=line_items,external_ids'],
      ['customers', '/customers?expand=external_ids'],
      ['work_orders', '/work-orders'],
      ['inspections', '/inspections'],
    ];
    for (const [resource, path] of RESOURCES) {
      it(`JSON of ${resource} equals the REST list, and NDJSON repeats its bytes`, async () => {
        const response = await tenant.client.get(`${path}${path.includes('?') ? '&' : '?'}limit=200`);
        const shown = response.body.data.items.toReversed();
        const array = JSON.parse(await writeExportText({ resource, format: 'json' }));
        expect(array).to.deep.equal(shown);
        const ndjsonLines = (await writeExportText({ resource, format: 'ndjson' })).split('\n');
        expect(ndjsonLines.pop()).to.equal('');
        expect(ndjsonLines.map((jsonText) => JSON.parse(jsonText))).to.deep.equal(shown);
        for (const jsonText of ndjsonLines) expect(response.text.includes(jsonText), jsonText).to.equal(true);
      });
    }

    it('without rows, JSON is [] and NDJSON is empty', async () => {
      const filters = { status: 'void' };
      expect(await writeExportText({ format: 'json', filters })).to.equal('[]');
      expect(await writeExportText({ format: 'ndjson', filters })).to.equal('');
    });
  });

  describe('filters', () => {
    const FILTERS: [ExportRequest['resource'], string, Record<string, string>][] = [
      ['invoices', '/invoices', { search: 'INV', status: 'draft' }],
      ['invoices', '/invoices', { since: '2026-10-31', until: '2026-11-01', date_field: 'due_date' }],
      ['customers', '/customers', { search: 'slash', is_active: 'true' }],
      ['work_orders', '/work-orders', { status: 'new' }],
      ['inspections', '/inspections', { kind: 'post_trip' }],
    ];
    for (const [resource, path, filters] of FILTERS) {
      it(`an export of ${resource} filtered by ${JSON.stringify(filters)} has the records of the same REST list`, async () => {
        const shown = await listOldestFirst(`${path}?${new URLSearchParams(filters)}`);
        const { content } = await writeExportFile({ resource, filters, timeZone: 'America/New_York' });
        expect(parseCsv(content).map(({ id }) => id)).to.deep.equal(shown.map(({ id }) => id));
      });
    }

    it('a filtered export includes line items and payments of the matching invoices only', async () => {
      const [invoice] = await listRecords('/invoices');
      const filters = { customer_id: String(invoice?.customer_id) };
      const files = unzip((await writeExportFile({ filters, include: ['line_items', 'payments'] })).content);
      expect(
        parseCsv(files.get('invoice_line_items.csv') as Buffer).map((row) => row.invoice_id),
      ).to.deep.equal([invoice?.id, invoice?.id]);
      expect(parseCsv(files.get('payments.csv') as Buffer).map((row) => row.invoice_id)).to.deep.equal([
        invoice?.id,
      ]);
    });

    it('an export refuses a filter that the REST list does not have', async () => {
      for (const overrides of [
        { filters: { colour: 'red' } },
        { resource: 'all' as const, filters: { status: 'void' } },
      ]) {
        const error = await writeExportFile(overrides).catch((reason: Error) => reason);
        expect(error)
          .to.be.an.instanceOf(Error)
          .with.property('message')
          .that.matches(/filters/);
      }
    });
  });

  describe('export of everything', () => {
    for (const format of ['csv', 'json', 'ndjson'] as const) {
      it(`an export of everything is a zip with a manifest of its files (${format})`, async () => {
        const { content, summary } = await writeExportFile({ resource: 'all', format });
        const files = unzip(content);
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
          if (format === 'csv') expect(parseCsv(file), name).to.have.length(rows);
          if (format === 'json') expect(JSON.parse(text)).to.have.length(rows);
          if (format === 'ndjson') expect(text.split('\n')).to.have.length(rows + 1);
          expect(text).not.to.match(/not yours/i);
        }
      });
    }

    it('an export of everything reports the sums of cents that the database has', async () => {
      const { summary } = await writeExportFile({ resource: 'all' });
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

    it('an export of everything has payments, line items and inspection lists as REST shows them', async () => {
      const files = unzip((await writeExportFile({ resource: 'all' })).content);
      const rows = (name: string) => parseCsv(files.get(name) as Buffer);
      const byId = new Map(rows('payments.csv').map((row) => [row.id, row]));
      const customerOf = new Map(
        (await addRelatedNames(await listRecords('/invoices'))).map((each) => [each.id, each.customer_name]),
      );
      for (const payment of await addRelatedNames(await listRecords('/payments')))
        expectSameRow(byId.get(payment.id), {
          ...payment,
          customer_name: customerOf.get(payment.invoice_id as string),
        });
      const invoices = await listOldestFirst('/invoices?expand=line_items');
      const lineItems = await addRelatedNames(
        invoices.flatMap((each) =>
          (each.line_items as Item[]).map((item) => ({ ...item, invoice_id: each.id })),
        ),
      );
      for (const [index, row] of rows('invoice_line_items.csv').entries())
        expectSameRow(row, lineItems[index] as Item);
      const inspections = await listOldestFirst('/inspections');
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

  it('an export with gzip unpacks to the uncompressed file', async () => {
    const plain = await writeExportFile({});
    const packed = await writeExportFile({ compression: 'gzip' });
    expect(gunzipSync(packed.content).equals(plain.content)).to.equal(true);
    expect(packed.summary).to.deep.equal(plain.summary);
  });
});
