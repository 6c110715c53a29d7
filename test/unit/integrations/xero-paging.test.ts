import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import type { OpenConnection, VendorRequest } from '../../../shared/integrations/contract/connection.js';
import { customers } from '../../../shared/integrations/xero/contacts.js';
import { invoices } from '../../../shared/integrations/xero/invoices.js';
import { payments } from '../../../shared/integrations/xero/payments.js';
import { toMsDate, XeroOrganisation } from '../../support/vendors/doubles/xero/organisation.js';

/** The bytes that a pull may get from Xero for each invoice. */
const MAX_BYTES_PER_INVOICE = 500;

interface Seen {
  path: string;
  query: Record<string, string>;
  modifiedSince: string | undefined;
  bytes: number;
}

/** Opens a connection to an organisation in memory. */
function open(organisation: XeroOrganisation, onRead: (page: number) => void = () => undefined) {
  const seen: Seen[] = [];
  const call = async ({ path, headers = {} }: VendorRequest) => {
    const url = new URL(path, 'http://xero.test');
    const query = Object.fromEntries(url.searchParams);
    const list = url.pathname.endsWith('/Invoices') ? 'Invoices' : 'Contacts';
    const modifiedSince = headers['if-modified-since'];
    const body = Buffer.from(JSON.stringify(organisation.read(list, query, modifiedSince)));
    seen.push({ path: url.pathname, query, modifiedSince, bytes: body.length });
    onRead(seen.length);
    return { status: 200, headers: {}, body };
  };
  const connection = { externalAccount: organisation.tenantId, accessToken: 'x', settings: {}, call };
  return { connection: connection as unknown as OpenConnection, seen };
}

const START = Date.UTC(2026, 0, 1);

/** Adds a contact that was last changed at that second. */
function addContact(organisation: XeroOrganisation, index: number, second: number): void {
  const record = organisation.put('Contacts', { Name: `Contact ${index}`, ContactStatus: 'ACTIVE' });
  record.UpdatedDateUTC = toMsDate(START + second * 1000);
}

async function readAll(organisation: XeroOrganisation, onRead: (page: number) => void) {
  const { connection, seen } = open(organisation, onRead);
  const names = new Set<string>();
  let cursor: string | null = null;
  for (let count = 0; count < 30; count++) {
    const since: string | null = cursor === null ? new Date(START - 1000).toISOString() : null;
    const page = await customers.pull(connection, { stream: 'customers', cursor, since });
    for (const { fields } of page.changes) names.add(fields.name);
    cursor = page.cursor;
    if (page.isLast) return { names, seen, cursor };
  }
  throw new Error('the pull does not end');
}

describe('Xero: reading by pages', () => {
  it('begins anew if it is asked for older changes while it reads pages', async () => {
    const organisation = new XeroOrganisation('Hudson', () => undefined);
    for (let index = 0; index < 250; index++) addContact(organisation, index, index);
    const { connection, seen } = open(organisation);
    const since = new Date(START + 50_000).toISOString();
    const first = await customers.pull(connection, { stream: 'customers', cursor: null, since });
    expect(first.isLast).to.equal(false);
    const older = new Date(START - 1000).toISOString();
    const { cursor } = first;
    await customers.pull(connection, { stream: 'customers', cursor, since: older });
    await customers.pull(connection, { stream: 'customers', cursor, since });
    const [, anew, further] = seen.map(({ modifiedSince }) => modifiedSince);
    expect(anew).to.equal('2025-12-31T23:59:59');
    expect(further).to.equal('2026-01-01T00:02:29');
  });

  it('reads 40 named payments in one call', async () => {
    const seen: string[] = [];
    const call = async ({ path }: VendorRequest) => {
      seen.push(path);
      return { status: 200, headers: {}, body: Buffer.from('{"Payments":[]}') };
    };
    const connection = { externalAccount: 'x', accessToken: 'x', settings: {}, call };
    const ids = Array.from({ length: 50 }, () => randomUUID());
    await payments.readNamed(connection as unknown as OpenConnection, ids);
    expect(seen).to.have.length(2);
    const [where = ''] = seen.map(
      (path) => new URL(path, 'http://xero.test').searchParams.get('where') ?? '',
    );
    expect(where.split(' OR ')).to.have.length(40);
    expect(where).to.contain(`PaymentID==guid("${ids[0]}")`);
  });

  it('misses no record while others are changed during the read', async () => {
    const organisation = new XeroOrganisation('Hudson', () => undefined);
    for (let index = 0; index < 250; index++) addContact(organisation, index, index);
    const { names } = await readAll(organisation, (page) => {
      // Ten records of the first page move to the end.
      if (page === 1)
        for (const { ContactID } of organisation.list('Contacts').slice(0, 10))
          organisation.put('Contacts', { ContactID, Website: 'x' });
    });
    expect(names.size).to.equal(250);
  });

  it('reads more records of the same second than a page holds', async () => {
    const organisation = new XeroOrganisation('Hudson', () => undefined);
    for (let index = 0; index < 1300; index++) addContact(organisation, index, index < 10 ? 1 : 2);
    const { names, seen } = await readAll(organisation, (page) => {
      if (page === 2) {
        const { ContactID } = organisation.list('Contacts')[15] ?? {};
        organisation.put('Contacts', { ContactID, Website: 'x' });
      }
    });
    expect(names.size).to.equal(1300);
    expect(Math.max(...seen.map(({ query }) => Number(query.pageSize)))).to.equal(1000);
  });

  it('a later pull reads only what changed since two minutes before the last one', async () => {
    const organisation = new XeroOrganisation('Hudson', () => undefined);
    const before = Date.now();
    const { cursor } = await readAll(organisation, () => undefined);
    const { connection, seen } = open(organisation);
    await customers.pull(connection, { stream: 'customers', cursor, since: null });
    const since = Date.parse(`${seen[0]?.modifiedSince}Z`);
    expect(since).to.be.within(before - 121_000, Date.now() - 119_000);
  });
});

describe('Xero: what a pull costs', () => {
  it('reads no lines, and no invoices of others', async () => {
    const organisation = new XeroOrganisation('Hudson', () => undefined);
    const contact = organisation.put('Contacts', { Name: 'Riverside Garage', ContactStatus: 'ACTIVE' });
    const add = (index: number, isOurs: boolean) =>
      organisation.put(
        'Invoices',
        {
          Type: 'ACCREC',
          InvoiceNumber: `INV-${index}`,
          Contact: { ContactID: contact.ContactID },
          Status: 'AUTHORISED',
          Reference: 'PO 4711',
          LineAmountTypes: 'Exclusive',
          LineItems: Array.from({ length: 5 }, (_, nth) => ({
            Description: `Line ${nth}`,
            LineAmount: 25,
            Quantity: 1,
          })),
          SubTotal: 125,
          TotalTax: 0,
          Total: 125,
          AmountDue: 125,
          AmountPaid: 0,
          CurrencyCode: 'USD',
        },
        isOurs,
      );
    for (let index = 0; index < 2000; index++)
      add(index, index % 2 === 0).UpdatedDateUTC = toMsDate(START + index * 1000);
    const { connection, seen } = open(organisation);
    const numbers: (string | null)[] = [];
    let page = await invoices.pull(connection, {
      stream: 'invoices',
      cursor: null,
      since: new Date(START).toISOString(),
    });
    for (;;) {
      numbers.push(...page.changes.map(({ fields }) => fields.number));
      if (page.isLast) break;
      page = await invoices.pull(connection, { stream: 'invoices', cursor: page.cursor, since: null });
    }
    expect(new Set(numbers).size).to.equal(1000);
    const bytes = seen.reduce((sum, one) => sum + one.bytes, 0);
    process.stdout.write(`    ${bytes} bytes for 1,000 invoices in ${seen.length} pages\n`);
    expect(bytes / 1000).to.be.below(MAX_BYTES_PER_INVOICE);
  });
});
