import { expect } from 'chai';
import {
  buildExportRequest,
  expectSameRow,
  parseCsv,
  unzip,
  writeExportToBuffer,
} from '../../../support/exports/export-files.js';
import { type BookingAccount, useBookingStack } from '../../../support/vendors/booking.js';
import { storeConnectionRows } from '../../../support/vendors/connection-rows.js';
import { requireContracts } from '../../../support/vendors/contracts/load-contract.js';

describe('expand=external_ids names the ids of records at vendors', () => {
  requireContracts();
  const booking = useBookingStack();
  let account: BookingAccount;
  let paths: Record<'customer' | 'invoice' | 'payment', string>;
  let there: Record<'customer' | 'invoice' | 'payment', string>;

  before(async () => {
    account = await booking.createAccount();
    const [invoice, booked] = await account.releaseBooked();
    const payment = await account.pay(invoice.id, 12_500);
    await account.settle();
    await account.waitForInvoice(invoice.id, 'paid');
    paths = {
      customer: `/customers/${invoice.customer_id}`,
      invoice: `/invoices/${invoice.id}`,
      payment: `/payments/${payment.id}`,
    };
    const [received] = account.company.list('Payment');
    there = {
      customer: Object(booked.CustomerRef).value,
      invoice: booked.Id,
      payment: `${received?.Id}/${booked.Id}`,
    };
  });

  const PAGES = {
    customer: 'customerdetail?nameId=',
    invoice: 'invoice?txnId=',
    payment: 'recvpayment?txnId=',
  };
  const describeId = (entity: keyof typeof PAGES) => {
    const id = there[entity];
    const url = `https://app.qbo.intuit.com/app/${PAGES[entity]}${id.split('/')[0]}`;
    return [{ connection_id: account.connectionId, vendor: 'quickbooks', id, url }];
  };

  for (const entity of ['customer', 'invoice', 'payment'] as const)
    it(`for one ${entity}, and in the list`, async () => {
      const path = paths[entity];
      const plain = (await account.client.get(path)).body;
      expect(plain).to.not.have.property('external_ids');
      const { status, body } = await account.client.get(`${path}?expand=external_ids`);
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ ...plain, external_ids: describeId(entity) });
      expect((await account.client.get(`${path}?expand=line_items,names`)).body).to.deep.equal(plain);
      const list = path.slice(0, path.lastIndexOf('/'));
      const expanded = (await account.client.get(`${list}?expand=external_ids`)).body.data.items;
      expect(expanded).to.have.length(1);
      expect(expanded[0]).to.deep.include({ id: body.id, external_ids: body.external_ids });
      const listed = (await account.client.get(list)).body.data.items;
      expect(listed[0]).to.not.have.property('external_ids');
    });

  it('in the list of an invoice, beside names and lines', async () => {
    const payments = await account.client.get(`${paths.invoice}/payments?expand=external_ids`);
    expect(payments.body.data.items[0].external_ids).to.deep.equal(describeId('payment'));
    const [item] = (await account.client.get('/invoices?expand=external_ids,names,line_items')).body.data
      .items;
    expect(item.external_ids).to.deep.equal(describeId('invoice'));
    expect(item.line_items).to.have.length(1);
    expect(item.customer_name).to.match(/^Riverside /);
  });

  it('exports have them: in CSV as JSON in a column, in JSON as the API shows them', async () => {
    const { stack, tenant } = account;
    const write = async (format: 'csv' | 'json') => {
      const request = buildExportRequest(tenant.id, { resource: 'all', format });
      return unzip((await writeExportToBuffer(stack.databaseUrl, request)).content);
    };
    const [csv, json] = [await write('csv'), await write('json')];
    for (const entity of ['customer', 'invoice', 'payment'] as const) {
      const [row] = parseCsv(csv.get(`${entity}s.csv`) as Buffer);
      expect(JSON.parse(String(row?.external_ids)), entity).to.deep.equal(describeId(entity));
      const [record] = JSON.parse(String(json.get(`${entity}s.json`)));
      const { body } = await account.client.get(`${paths[entity]}?expand=external_ids`);
      expect(record, entity).to.deep.equal(body);
    }
  });

  it('an export of everything has the sync issues and the sync runs as the API shows them', async () => {
    const { stack, tenant, client, connectionId } = account;
    const text = '=refused, "here"';
    await storeConnectionRows(stack, { tenantId: tenant.id, connectionId, text });
    const request = buildExportRequest(tenant.id, { resource: 'all', format: 'json' });
    const files = unzip((await writeExportToBuffer(stack.databaseUrl, request)).content);
    const read = (name: string) => JSON.parse(String(files.get(name)));
    const issues = (await client.get('/sync-issues')).body.data.items;
    const runs = (await client.get(`/connections/${connectionId}/runs?limit=200`)).body.data.items;
    expect(issues).to.have.length(1);
    expect(runs.length).to.be.above(1);
    expect(read('sync_issues.json')).to.deep.equal(issues);
    expect(read('sync_runs.json')).to.have.deep.members(runs);
    const csv = buildExportRequest(tenant.id, { resource: 'all' });
    const tables = unzip((await writeExportToBuffer(stack.databaseUrl, csv)).content);
    const [issue] = parseCsv(tables.get('sync_issues.csv') as Buffer);
    expectSameRow(issue, issues[0]);
    const failed = parseCsv(tables.get('sync_runs.csv') as Buffer).find(({ state }) => state === 'failed');
    expectSameRow(
      failed,
      runs.find(({ id }: { id: string }) => id === failed?.id),
    );
  });

  it('a record that no vendor has gets an empty list, and another word is refused', async () => {
    const { id } = await account.createCustomer();
    const { body } = await account.client.get(`/customers/${id}?expand=external_ids`);
    expect(body.external_ids).to.deep.equal([]);
    const refused = await account.client.get(`/customers/${id}?expand=balance`);
    expect(refused.status).to.equal(400);
    expect(refused.body.error.details[0].field).to.equal('expand');
  });
});
