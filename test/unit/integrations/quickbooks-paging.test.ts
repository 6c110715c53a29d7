import { expect } from 'chai';
import { mapLines } from '../../../shared/integrations/contract/books/map-lines.js';
import type { OpenConnection, VendorRequest } from '../../../shared/integrations/contract/connection.js';
import { customers } from '../../../shared/integrations/quickbooks/customers.js';
import { INVOICE_NUMBERS } from '../../../shared/integrations/quickbooks/invoice-mapper.js';
import { ensureItems, withItems } from '../../../shared/integrations/quickbooks/items.js';
import { payments } from '../../../shared/integrations/quickbooks/payments.js';
import { BooksCompany } from '../../support/vendors/doubles/quickbooks/company.js';
import { parseQuery } from '../../support/vendors/doubles/quickbooks/query.js';

/** Opens a connection to a company in memory. */
function open(company: BooksCompany, onQuery: () => void = () => undefined) {
  const requests: { url: URL; body: Record<string, unknown> | undefined }[] = [];
  const call = async ({ path, body }: VendorRequest) => {
    const url = new URL(path, 'http://books.test');
    const parsed = body === undefined ? undefined : JSON.parse(String(body));
    requests.push({ url, body: parsed });
    if (url.pathname.endsWith('/query')) {
      const wanted = parseQuery(url.searchParams.get('query') ?? '');
      const QueryResponse = { [wanted.entity]: company.query(wanted) };
      onQuery();
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ QueryResponse })) };
    }
    if (url.pathname.endsWith('/cdc')) {
      const name = url.searchParams.get('entities') as 'Payment';
      const part = { [name]: company.listChanges(name, url.searchParams.get('changedSince') ?? '') };
      const answer = { CDCResponse: [{ QueryResponse: [part] }] };
      return { status: 200, headers: {}, body: Buffer.from(JSON.stringify(answer)) };
    }
    const [, , , , name] = url.pathname.split('/');
    const entity = (['Item', 'Invoice'] as const).find((one) => one.toLowerCase() === name) ?? 'Customer';
    const { Id, SyncToken: _token, sparse: _sparse, ...members } = parsed ?? {};
    const record = parsed
      ? company.put(entity, members, Id)
      : company.get(entity, url.pathname.split('/').at(-1));
    return { status: 200, headers: {}, body: Buffer.from(JSON.stringify({ [entity]: record })) };
  };
  const connection = {
    signInParams: { realmId: '1' },
    accessToken: 'x',
    settings: {},
    learned: new Map(),
    call,
  };
  return { connection: connection as unknown as OpenConnection, requests };
}

/** Adds a customer who was last changed at that second of the hour. */
function addCustomer(company: BooksCompany, index: number, second: number): void {
  const record = company.put('Customer', { DisplayName: `Customer ${index}` });
  const LastUpdatedTime = new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString();
  Object.assign(Object(record.MetaData), { LastUpdatedTime });
}

async function readAll(company: BooksCompany, onQuery: (page: number) => void): Promise<Set<string>> {
  let page = 0;
  const { connection } = open(company, () => onQuery(++page));
  const names = new Set<string>();
  // A long time ago, the change feed cannot be used.
  let from = {
    stream: 'customers',
    cursor: null as string | null,
    since: '2025-12-01T00:00:00Z' as string | null,
  };
  for (let count = 0; count < 20; count++) {
    const { changes, cursor, isLast } = await customers.pull(connection, from);
    for (const { fields } of changes) names.add(fields.name);
    if (isLast) return names;
    from = { ...from, cursor };
  }
  throw new Error('the pull does not end');
}

describe('QuickBooks: reading by pages', () => {
  it('misses no record while others are changed during the read', async () => {
    const company = new BooksCompany('Hudson', () => undefined);
    for (let index = 0; index < 250; index++) addCustomer(company, index, index);
    const names = await readAll(company, (page) => {
      // Ten records of the first page move to the end.
      if (page === 1)
        for (const { Id } of company.list('Customer').slice(0, 10))
          company.put('Customer', { Notes: 'x' }, Id);
    });
    expect(names.size).to.equal(250);
  });

  it('reads more records of the same second than a page holds', async () => {
    const company = new BooksCompany('Hudson', () => undefined);
    for (let index = 0; index < 330; index++) addCustomer(company, index, index < 10 ? 1 : 2);
    const names = await readAll(company, (page) => {
      if (page === 2) company.put('Customer', { Notes: 'x' }, company.list('Customer')[15]?.Id);
    });
    expect(names.size).to.equal(330);
  });
});

describe('QuickBooks: the deletions that a sweep reads', () => {
  const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();

  /** Sweeps a company with a thousand changes of one time, and one deletion of six hours ago. */
  async function sweep(changedAt: string) {
    const company = new BooksCompany('Hudson', () => undefined);
    for (let index = 0; index < 1000; index++)
      Object.assign(Object(company.put('Payment', { TotalAmt: 1, Line: [] }).MetaData), {
        LastUpdatedTime: changedAt,
      });
    const { Id } = company.put('Payment', { TotalAmt: 1, Line: [] });
    company.remove('Payment', Id, ago(6));
    const { connection, requests } = open(company);
    const start = { cursor: null, since: ago(168), isSweep: true } as const;
    const { changes, gap } = await payments.pull(connection, { ...start, stream: 'booked_payments' });
    await customers.pull(connection, { ...start, stream: 'customers' });
    const feeds = requests.flatMap(({ url }) => url.searchParams.get('entities') ?? []);
    return { isFound: changes.some(({ externalId }) => externalId === Id), gap, feeds };
  }

  it('are found in a week with more changes than the change feed holds', async () => {
    expect(await sweep(ago(120))).to.deep.equal({ isFound: true, gap: undefined, feeds: ['Payment'] });
  });

  it('are asked for again from half a day later while the feed is too long', async () => {
    const { isFound, gap, feeds } = await sweep(ago(40));
    expect([isFound, gap, feeds]).to.deep.equal([true, undefined, ['Payment', 'Payment']]);
  });

  it('are named as missing for the time in which the feed is too long', async () => {
    const short = await sweep(ago(20));
    expect([short.isFound, short.feeds.length]).to.deep.equal([true, 4]);
    expect(short.gap).to.match(/deletions \(Payment\) before .* were not read/);
    const none = await sweep(ago(1));
    expect([none.isFound, none.feeds.length]).to.deep.equal([false, 4]);
    expect(none.gap).to.match(/were not read/);
  });
});

describe('QuickBooks: a payment that may be in the books', () => {
  it('is found among those of its invoice, also if a person has moved it to another day', async () => {
    const company = new BooksCompany('Hudson', () => undefined);
    const paymentId = crypto.randomUUID();
    const PrivateNote = `Tow Dispatch payment ${paymentId}`;
    const { Id } = company.put('Payment', { PrivateNote, TxnDate: '2026-01-15', TotalAmt: 50 });
    const invoice = company.put('Invoice', { LinkedTxn: [{ TxnId: Id, TxnType: 'Payment' }] });
    const { connection } = open(company);
    const names = { paymentId, customerExternalId: '7', invoiceExternalId: invoice.Id, day: '2026-02-01' };
    expect((await payments.find(connection, names))?.written.externalId).to.equal(Id);
    const other = { ...names, paymentId: crypto.randomUUID() };
    expect(await payments.find(connection, other)).to.equal(undefined);
  });
});

describe('QuickBooks: keys of writes', () => {
  it('an update with other content or of another version has another requestid', async () => {
    const company = new BooksCompany('Hudson', () => undefined);
    const { Id } = company.put('Customer', { DisplayName: 'Acme' });
    const { connection, requests } = open(company);
    const nothing = { phone: null, address: null, city: null, state: null, zip: null };
    const operationKey = crypto.randomUUID();
    const attempt = { operationKey, mayHaveArrived: false, firstAttemptAt: new Date() };
    for (const email of ['a@example.com', 'b@example.com', 'a@example.com']) {
      const customer = { customerId: null, name: 'Acme', email, ...nothing };
      await customers.put(connection, customer, attempt, { externalId: Id, version: null });
    }
    const keys = requests.flatMap(({ url, body }) => (body ? [url.searchParams.get('requestid') ?? ''] : []));
    expect(new Set(keys).size).to.equal(3);
    for (const key of keys) expect(key).to.match(new RegExp(`^${operationKey}-[\\w-]{8}$`));
  });

  it('an item has the same key whatever other items are created', async () => {
    const company = new BooksCompany('Hudson', () => undefined);
    const keys = await Promise.all(
      [['tow'], ['storage', 'tow']].map(async (categories) => {
        const { connection, requests } = open(new BooksCompany(company.name, () => undefined));
        await ensureItems(
          connection,
          categories.map((category) => ({ category, account: '1' })),
          'key',
        );
        return requests.find(({ body }) => body?.Name === 'Towing tow 1')?.url.searchParams.get('requestid');
      }),
    );
    expect(keys[0]).to.be.a('string');
    expect(keys[1]).to.equal(keys[0]);
  });

  it('an item that was renamed is looked for again after ten minutes', async () => {
    const company = new BooksCompany('Hudson', () => undefined);
    const { connection, requests } = open(company);
    const mapped = [{ category: 'tow', account: '1' }];
    const find = () =>
      withItems(connection, { mapped, key: 'key' }, async (items) => [...items.values()].join());
    const first = await find();
    company.put('Item', { Name: 'Tows' }, first);
    const before = requests.length;
    expect(await find()).to.equal(first);
    expect(requests).to.have.length(before);
    for (const [place, text] of connection.learned) {
      const learned = JSON.parse(text) as { atMs: number };
      connection.learned.set(place, JSON.stringify({ ...learned, atMs: learned.atMs - 601_000 }));
    }
    expect(await find()).not.to.equal(first);
    expect(requests.length).to.be.greaterThan(before);
  });

  it('an invoice without lines gets an empty one, because QuickBooks needs one', () => {
    const invoice = { lines: [], taxCents: 0, number: '1' } as unknown as Parameters<typeof mapLines>[0];
    const [line, ...others] = mapLines(invoice, { accounts: { tow: '7' } }, INVOICE_NUMBERS);
    expect(others).to.deep.equal([]);
    expect(line).to.include({ account: '7', category: 'tow', totalCents: 0 });
    expect(() => mapLines(invoice, {}, INVOICE_NUMBERS)).to.throw('no income account');
  });
});
