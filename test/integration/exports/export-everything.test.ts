import { expect } from 'chai';
import {
  AWKWARD_TEXTS,
  buildExportRequest,
  type CsvRow,
  expectSameRow,
  parseCsv,
  unzip,
  writeExportToBuffer,
} from '../../support/exports/export-files.js';
import { buildRateCardItem, makeRateCard, STORAGE_ITEM } from '../../support/records/priced-work-orders.js';
import { invoiceInput } from '../../support/records/samples.js';
import { useStack, useTenant } from '../../support/use-stack.js';

type Item = Record<string, unknown> & { id: string };

/** Maps each file in an export of everything to the list endpoint that returns the same records. */
const LISTS = {
  trucks: '/trucks',
  drivers: '/drivers',
  rate_cards: '/rate-cards',
  impounds: '/impounds',
  claims: '/claims',
  messages: '/messages',
};

describe('exports with resource "all"', () => {
  const stack = useStack();
  const tenant = useTenant(stack, 'Everything Towing');
  let invoice: Item;
  let csv: Map<string, Buffer>;
  let json: Map<string, Buffer>;

  const create = async (path: string, body: unknown): Promise<Item> => {
    const response = await tenant.client.post(path, body);
    expect([200, 201], response.text).to.include(response.status);
    return response.body;
  };
  const list = async (path: string): Promise<Item[]> =>
    (await tenant.client.get(`${path}?limit=200`)).body.data.items.reverse();
  const readRows = (name: string): CsvRow[] => parseCsv(csv.get(`${name}.csv`) as Buffer);
  const runExport = async (format: 'csv' | 'json', decimals = false) => {
    const request = buildExportRequest(tenant.id, { resource: 'all', format, decimals });
    return unzip((await writeExportToBuffer(stack.databaseUrl, request)).content);
  };

  before(async () => {
    const customer = await create('/customers', { company_name: '=Fleet, "North"' });
    const workOrder = await create('/work-orders', { service_type: 'tow', customer_id: customer.id });
    for (const [index, text] of AWKWARD_TEXTS.slice(0, 18).entries()) {
      const driver = await create('/drivers', { name: `D${index}`, duty_classes: ['light', 'heavy'] });
      const truck = await create('/trucks', {
        unit_number: `T${index}`,
        duty_class: 'light',
        driver_id: driver.id,
      });
      const values = [tenant.id, truck.id, text, driver.id];
      await stack.rows(
        tenant.id,
        'update trucks set make = $3, plate = $3 where tenant_id = $1 and id = $2 and $4::uuid is not null',
        values,
      );
      await stack.rows(
        tenant.id,
        'update drivers set phone = $3 where tenant_id = $1 and id = $4 and $2::uuid is not null',
        values,
      );
    }
    await stack.rows(
      tenant.id,
      `update trucks set lat = -33.9, lng = 18.4, speed_mph = 0, located_at = now() - interval '1 hour'
       where tenant_id = $1 and unit_number = 'T0'`,
      [tenant.id],
    );
    const minimum = buildRateCardItem({
      category: 'mileage',
      unit_type: 'mile',
      unit_price_cents: 450,
      minimum_cents: 900,
    });
    const name = '+Night rates';
    await makeRateCard(tenant.client, {
      name,
      items: [buildRateCardItem({ name: '@hook' }), minimum, STORAGE_ITEM],
    });
    await makeRateCard(tenant.client, { name, effective_from: '2026-01-01' });
    await create('/impounds', {
      work_order_id: workOrder.id,
      daily_rate_cents: 4500,
      hold_reason: '-police',
    });
    await create('/impounds', { daily_rate_cents: 0 });
    invoice = await create(
      '/invoices',
      invoiceInput({ customer_id: customer.id, work_order_id: workOrder.id }),
    );
    await create(`/invoices/${invoice.id}/approve`, {});
    await create(`/invoices/${invoice.id}/send`, { channel: 'email', to: 'payer@example.com' });
    await create('/claims', { invoice_id: invoice.id, club: '=Club', po_number: 'PO-1' });
    const payment = await create(`/invoices/${invoice.id}/payments`, { amount_cents: 900, method: 'cash' });
    await create(`/payments/${payment.id}/refund`, { amount_cents: 200, reason: '=twice' });
    await create(`/payments/${payment.id}/refund`, { amount_cents: 100, reason: 'rebate' });
    csv = await runExport('csv');
    json = await runExport('json');
  });

  for (const [name, path] of Object.entries(LISTS)) {
    it(`${name} in an export of everything: CSV has a cell for every REST member, and JSON equals REST`, async () => {
      const records = await list(path);
      expect(records).to.not.deep.equal([]);
      expect(JSON.parse(String(json.get(`${name}.json`)))).to.deep.equal(records);
      const found = readRows(name);
      expect(found.map(({ id }) => id)).to.deep.equal(records.map(({ id }) => id));
      for (const [index, item] of records.entries()) {
        const { customer_name, invoice_number, job_number, ...cells } = found[index] as CsvRow;
        expectSameRow(cells, item);
        expect(customer_name ?? null).to.equal(item.customer_id ? `'=Fleet, "North"` : null);
        expect(invoice_number ?? null).to.equal(item.invoice_id ? invoice.invoice_number : null);
        expect(job_number ?? null).to.equal(item.work_order_id ? 'WO-000001' : null);
      }
    });
  }

  it('rate_card_items in an export of everything: every price of every version is a row with its amounts', async () => {
    const cards = await list('/rate-cards');
    const items = cards.flatMap((card) =>
      (card.items as Item[]).map((item, index) => ({
        rate_card_id: card.id,
        rate_card_name: card.name,
        rate_card_version: card.version,
        position: index + 1,
        ...item,
      })),
    );
    const found = readRows('rate_card_items');
    expect(found).to.have.length(items.length).and.above(4);
    for (const [index, row] of found.entries()) expectSameRow(row, items[index] as Record<string, unknown>);
    const decimals = parseCsv((await runExport('csv', true)).get('rate_card_items.csv') as Buffer);
    expect(decimals[1]).to.include({ unit_price: '4.50', minimum: '9.00' });
  });

  it('refunds in an export of everything: each row names its invoice and customer, and they sum to refunded_cents', async () => {
    const [payment] = await list('/payments');
    const refunds = readRows('refunds');
    expect(refunds.map(({ amount_cents, reason }) => [amount_cents, reason])).to.deep.equal([
      ['200', `'=twice`],
      ['100', 'rebate'],
    ]);
    for (const refund of refunds)
      expect(refund).to.include({
        payment_id: payment?.id,
        invoice_id: invoice.id,
        invoice_number: invoice.invoice_number,
        customer_name: `'=Fleet, "North"`,
      });
    expect(payment?.refunded_cents).to.equal(300);
    const records = JSON.parse(String(json.get('refunds.json'))) as Item[];
    expect(records.map(({ amount_cents, reason }) => [amount_cents, reason])).to.deep.equal([
      [200, '=twice'],
      [100, 'rebate'],
    ]);
  });

  it('messages in an export of everything come without their texts, which contain links to invoices', async () => {
    const sent = (await tenant.client.get(`/messages/${(await list('/messages'))[0]?.id}`)).body;
    const link = /\/i\/[\w-]+/.exec(sent.body_text)?.[0] as string;
    expect(link).to.be.a('string');
    for (const file of [...csv.values(), ...json.values()]) expect(file.toString()).to.not.include(link);
  });

  it('an export of invoices with payments includes only the refunds of those payments', async () => {
    const request = buildExportRequest(tenant.id, { include: ['payments'], filters: { status: 'void' } });
    const files = unzip((await writeExportToBuffer(stack.databaseUrl, request)).content);
    expect([...files.keys()]).to.deep.equal(['invoices.csv', 'payments.csv', 'refunds.csv']);
    expect(parseCsv(files.get('refunds.csv') as Buffer)).to.deep.equal([]);
  });
});
