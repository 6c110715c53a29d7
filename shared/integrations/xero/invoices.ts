import type {
  AccountingSettings,
  Booked,
  BookedInvoices,
  BookInvoice,
  BookInvoiceState,
  KnownRecord,
  ListedInvoice,
} from '../contract/accounting.js';
import { mapLines } from '../contract/books/map-lines.js';
import { changedThere, missingThere, takenNumber } from '../contract/books/refusals.js';
import type { OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import { VendorError } from '../contract/vendor-error.js';
import { callXero, DUPLICATE_NUMBER, quote, readOne, writeOne } from './api/client.js';
import { toDateLiteral } from './api/dates.js';
import { type Entity, type ListPlace, pullChanges, readInOrder, readNamed } from './api/pages.js';
import { buildWebAddress } from './api/web-address.js';
import {
  INVOICE_NUMBERS,
  isSameInvoice,
  readOwnUrl,
  toInvoice,
  toInvoiceChange,
  toListedInvoice,
  UNAPPROVED,
  type WantedInvoice,
  type XeroInvoice,
} from './invoice-mapper.js';

/** A short invoice has some 700 bytes. */
const LIST_SIZE = 500;

export const invoices: BookedInvoices = {
  async put(connection, invoice, { operationKey: key, mayHaveArrived }, known) {
    const lines = mapLines(invoice, connection.settings as AccountingSettings, INVOICE_NUMBERS);
    const wanted = toInvoice(connection, invoice, lines);
    // Xero charges for what it sends, and allows 5,000 calls a day. It refuses a second invoice
    // with the same number, so only look for one that may be there.
    const before = known ?? (mayHaveArrived ? await findOwn(connection, invoice) : undefined);
    return before
      ? update(connection, { wanted, key, known: before })
      : create(connection, { invoice, wanted, key });
  },
  async find(connection, invoice) {
    const own = (await findByNumber(connection, invoice)).find((one) => isOwn(one, invoice.invoiceId));
    return own && toBooked(own);
  },
  async findByNumbers(connection, numbers) {
    const { Invoices = [] } = await callXero<{ Invoices?: (XeroInvoice & { Type?: string })[] }>(connection, {
      method: 'GET',
      path: '/Invoices',
      query: {
        where: numbers.map((number) => `InvoiceNumber==${quote(number)}`).join(' OR '),
        page: '1',
        pageSize: '200',
      },
    });
    // A bill may have the same number. One that was void or deleted is free again.
    const sales = Invoices.filter(({ Type }) => Type === 'ACCREC').map(toListedInvoice);
    return sales.filter(({ status }) => status === 'open' || status === 'draft');
  },
  async annul(connection, known, { operationKey: key }) {
    const current = await readOne<XeroInvoice>(connection, 'Invoices', known.externalId);
    if (!current) throw missingThere('invoice');
    const booked = toBooked(current);
    if (booked.state.status !== 'open') return booked;
    if ((current.AmountPaid ?? 0) > 0)
      throw new VendorError(
        'The invoice has payments in Xero, so Xero does not void it. Remove them there, then resolve this with retry.',
        { kind: 'refused', code: 'has_payments' },
      );
    const Status = UNAPPROVED.includes(current.Status ?? '') ? 'DELETED' : 'VOIDED';
    const record = { InvoiceID: current.InvoiceID, Status };
    return toBooked(await writeOne<XeroInvoice>(connection, 'Invoices', { method: 'POST', record, key }));
  },
  async listByDay(connection, { from, until, after }) {
    const where = `Type=="ACCREC" AND Date>=${toDateLiteral(from)} AND Date<${toDateLiteral(until)}`;
    const { records, next } = await readInOrder<XeroInvoice>(
      connection,
      { list: 'Invoices', query: { ...LISTED.query, where }, pageSize: LIST_SIZE },
      after === null ? {} : (JSON.parse(after) as ListPlace),
    );
    return { invoices: records.map(toListedInvoice), next: next && JSON.stringify(next) };
  },
  readListed: async (connection, ids) =>
    (await readNamed(connection, ids, LISTED)).map(({ fields }) => fields),
  readNamed: (connection, hints) => readNamed(connection, hints, ENTITY),
  pull: (connection, from) => pullChanges(connection, from, ENTITY),
};

/** Only our invoices without their lines, because Xero charges for what it sends. */
const ENTITY: Entity<XeroInvoice, BookInvoiceState> = {
  list: 'Invoices',
  query: { createdByMyApp: 'true', summaryOnly: 'true' },
  toChange: toInvoiceChange,
};

/** All invoices, also those that the bookkeeper has made. */
const LISTED: Entity<XeroInvoice, ListedInvoice> = {
  list: 'Invoices',
  query: { summaryOnly: 'true' },
  toChange: (record) => ({ ...toInvoiceChange(record), fields: toListedInvoice(record) }),
};

interface Numbered {
  invoiceId: string;
  number: string;
}

async function findByNumber(
  connection: OpenConnection,
  { number }: Pick<Numbered, 'number'>,
): Promise<XeroInvoice[]> {
  const { Invoices = [] } = await callXero<{ Invoices?: XeroInvoice[] }>(connection, {
    method: 'GET',
    path: '/Invoices',
    query: { where: `Type=="ACCREC" AND InvoiceNumber==${quote(number)}`, page: '1', pageSize: '20' },
  });
  return Invoices;
}

function isOwn({ Url }: XeroInvoice, invoiceId: string): boolean {
  return readOwnUrl(Url) === invoiceId;
}

/**
 * Finds an invoice of ours that an earlier attempt, or an earlier connection, has written.
 * @throws {VendorError} if only another record has the number
 */
async function findOwn(connection: OpenConnection, invoice: Numbered): Promise<KnownRecord | undefined> {
  const found = await findByNumber(connection, invoice);
  const own = found.find((one) => isOwn(one, invoice.invoiceId));
  if (own) return { externalId: own.InvoiceID, version: null };
  // A number of an invoice that was void or deleted there is free again.
  if (found.every((one) => toInvoiceChange(one).fields.status !== 'open')) return undefined;
  throw takenNumber(invoice.number, DUPLICATE_NUMBER);
}

interface Creation {
  invoice: BookInvoice;
  wanted: WantedInvoice;
  key: string;
}

async function create(
  connection: OpenConnection,
  { invoice, wanted, key }: Creation,
): Promise<Booked<BookInvoiceState>> {
  const record = { ...wanted, Status: 'AUTHORISED' };
  try {
    return toBooked(await writeOne<XeroInvoice>(connection, 'Invoices', { method: 'PUT', record, key }));
  } catch (error) {
    if (!(error instanceof VendorError) || error.code !== DUPLICATE_NUMBER) throw error;
    const own = await findOwn(connection, invoice);
    if (!own) throw error;
    return update(connection, { wanted, key, known: own });
  }
}

async function update(
  connection: OpenConnection,
  { wanted, key, known }: { wanted: WantedInvoice; key: string; known: KnownRecord },
): Promise<Booked<BookInvoiceState>> {
  const current = await readOne<XeroInvoice>(connection, 'Invoices', known.externalId);
  if (!current) throw missingThere('invoice');
  const booked = toBooked(current);
  if (booked.state.status === 'open' && isSameInvoice(current, wanted)) return booked;
  const isChanged = known.version !== null && booked.written.version !== known.version;
  if (isChanged || booked.state.status !== 'open') throw changedThere('invoice');
  if (current.Status === 'PAID')
    throw new VendorError(
      'The invoice is paid in Xero, so Xero accepts no changes. Remove its payments there, then resolve this with retry.',
      { kind: 'refused', code: 'paid_there' },
    );
  const Status = UNAPPROVED.includes(current.Status ?? '') ? { Status: 'AUTHORISED' } : {};
  const record = { InvoiceID: current.InvoiceID, ...wanted, ...Status };
  // The same content may be written again after another one. So the old state is a part of the key.
  const attempt = `${key}-${fingerprint([current.UpdatedDateUTC]).slice(0, 8)}`;
  return toBooked(
    await writeOne<XeroInvoice>(connection, 'Invoices', { method: 'POST', record, key: attempt }),
  );
}

function toBooked(record: XeroInvoice): Booked<BookInvoiceState> {
  const { externalId, version, fields: state } = toInvoiceChange(record);
  return { written: { externalId, version, url: buildWebAddress('invoice', externalId) }, state };
}
