import type {
  AccountingSettings,
  Booked,
  BookedInvoices,
  BookInvoice,
  BookInvoiceState,
  KnownRecord,
  ListedInvoice,
} from '../contract/accounting.js';
import { deriveKey } from '../contract/books/derive-key.js';
import { mapLines } from '../contract/books/map-lines.js';
import { readOwnNote } from '../contract/books/own-note.js';
import { changedThere, missingThere, takenNumber } from '../contract/books/refusals.js';
import type { OpenConnection } from '../contract/connection.js';
import { VendorError } from '../contract/vendor-error.js';
import { type Entity, type ListPlace, pullChanges, readInOrder, readNamed } from './api/changes.js';
import { DUPLICATE_NUMBER, queryBooks, quote, readRecord, retryStale, writeRecord } from './api/client.js';
import { buildWebAddress } from './api/web-address.js';
import {
  type BooksInvoice,
  INVOICE_NUMBERS,
  isSameInvoice,
  toDeletedInvoice,
  toDeletedListing,
  toInvoice,
  toInvoiceChange,
  toListedInvoice,
} from './invoice-mapper.js';
import { withItems } from './items.js';

export const invoices: BookedInvoices = {
  async put(connection, invoice, { operationKey: key }, known) {
    const settings = connection.settings as AccountingSettings;
    const lines = mapLines(invoice, settings, INVOICE_NUMBERS);
    const before = known ?? (await findOwn(connection, invoice));
    const { tax_codes = {} } = settings;
    return withItems(connection, { mapped: lines, key }, (items, writeKey) => {
      const wanted = toInvoice(invoice, lines, { items, tax_codes });
      return before
        ? retryStale(() => update(connection, { wanted, key, known: before }))
        : create(connection, { invoice, wanted, key, writeKey });
    });
  },
  async find(connection, invoice) {
    const found = await findByNumber(connection, invoice);
    const own = found.find((one) => isOwn(one, invoice.invoiceId));
    return own && toBooked(connection, own);
  },
  async findByNumbers(connection, numbers) {
    const list = numbers.map(quote).join(', ');
    const found = await queryBooks<BooksInvoice>(
      connection,
      'Invoice',
      `where DocNumber in (${list}) maxresults 200`,
    );
    return found.map(toListedInvoice);
  },
  annul: (connection, known, { operationKey: key }) =>
    retryStale(async () => {
      const current = await readRecord<BooksInvoice>(connection, 'Invoice', known.externalId);
      if (!current) return asDeleted(connection, known.externalId);
      const booked = toBooked(connection, current);
      if (booked.state.status === 'void') return booked;
      const body = { Id: current.Id, SyncToken: current.SyncToken };
      const voided = await writeRecord<BooksInvoice>(connection, 'Invoice', {
        body,
        key: deriveKey(key, body),
        operation: 'void',
      });
      return toBooked(connection, voided);
    }),
  async listByDay(connection, { from, until, after }) {
    const where = `TxnDate >= ${quote(from)} and TxnDate < ${quote(until)}`;
    const place = after === null ? { position: 1 } : (JSON.parse(after) as ListPlace);
    const { records, next } = await readInOrder<BooksInvoice>(connection, { name: 'Invoice', where }, place);
    return { invoices: records.map(toListedInvoice), next: next && JSON.stringify(next) };
  },
  readListed: async (connection, ids) =>
    (await readNamed(connection, ids, LISTED)).map(({ fields }) => fields),
  readNamed: (connection, hints) => readNamed(connection, hints, ENTITY),
  pull: (connection, from) => pullChanges(connection, from, ENTITY),
};

const ENTITY: Entity<BooksInvoice, BookInvoiceState> = {
  name: 'Invoice',
  toChange: toInvoiceChange,
  toDeletion: toDeletedInvoice,
};

const LISTED: Entity<BooksInvoice, ListedInvoice> = {
  name: 'Invoice',
  toChange: (record) => ({ ...toInvoiceChange(record), fields: toListedInvoice(record) }),
  toDeletion: (id) => ({ ...toDeletedInvoice(id), fields: toDeletedListing(id) }),
};

interface Numbered {
  invoiceId: string;
  number: string;
}

function findByNumber(
  connection: OpenConnection,
  { number }: Pick<Numbered, 'number'>,
): Promise<BooksInvoice[]> {
  return queryBooks<BooksInvoice>(connection, 'Invoice', `where DocNumber = ${quote(number)} maxresults 20`);
}

function isOwn({ PrivateNote }: BooksInvoice, invoiceId: string): boolean {
  return readOwnNote('invoice', PrivateNote) === invoiceId;
}

/**
 * Finds an invoice of ours that an earlier attempt, or an earlier connection, has written.
 * @throws {VendorError} if only another record has the number
 */
async function findOwn(connection: OpenConnection, invoice: Numbered): Promise<KnownRecord | undefined> {
  const found = await findByNumber(connection, invoice);
  const own = found.find((one) => isOwn(one, invoice.invoiceId));
  if (own) return { externalId: own.Id, version: null };
  if (found.length === 0) return undefined;
  throw takenNumber(invoice.number, DUPLICATE_NUMBER);
}

interface Creation {
  invoice: BookInvoice;
  wanted: Omit<BooksInvoice, 'Id' | 'SyncToken'>;
  key: string;
  /** The key of the creation alone. */
  writeKey: string;
}

async function create(
  connection: OpenConnection,
  { invoice, wanted, key, writeKey }: Creation,
): Promise<Booked<BookInvoiceState>> {
  try {
    return toBooked(
      connection,
      await writeRecord<BooksInvoice>(connection, 'Invoice', { body: wanted, key: writeKey }),
    );
  } catch (error) {
    if (!(error instanceof VendorError) || error.code !== DUPLICATE_NUMBER) throw error;
    const own = await findOwn(connection, invoice);
    if (!own) throw error;
    return update(connection, { wanted, key, known: own });
  }
}

async function update(
  connection: OpenConnection,
  { wanted, key, known }: { wanted: Creation['wanted']; key: string; known: KnownRecord },
): Promise<Booked<BookInvoiceState>> {
  const current = await readRecord<BooksInvoice>(connection, 'Invoice', known.externalId);
  if (!current) throw missingThere('invoice');
  const booked = toBooked(connection, current);
  if (isSameInvoice(current, wanted)) return booked;
  if (known.version !== null && booked.written.version !== known.version) throw changedThere('invoice');
  const body = { Id: current.Id, SyncToken: current.SyncToken, sparse: true, ...wanted };
  return toBooked(
    connection,
    await writeRecord<BooksInvoice>(connection, 'Invoice', { body, key: deriveKey(key, body) }),
  );
}

function toBooked(connection: OpenConnection, record: BooksInvoice): Booked<BookInvoiceState> {
  const { externalId, version, fields: state } = toInvoiceChange(record);
  return { written: { externalId, version, url: buildWebAddress(connection, 'Invoice', externalId) }, state };
}

function asDeleted(connection: OpenConnection, id: string): Booked<BookInvoiceState> {
  const { externalId, version, fields: state } = toDeletedInvoice(id);
  return { written: { externalId, version, url: buildWebAddress(connection, 'Invoice', id) }, state };
}
