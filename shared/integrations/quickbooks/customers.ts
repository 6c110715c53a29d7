import type { BookCustomer, BookCustomerState, Booked, BookedCustomers } from '../contract/accounting.js';
import { deriveKey } from '../contract/books/derive-key.js';
import { buildOwnName, isSameName } from '../contract/books/own-name.js';
import { missingThere } from '../contract/books/refusals.js';
import type { Change, OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import { VendorError } from '../contract/vendor-error.js';
import { type BooksRecord, type Entity, pullChanges, readNamed } from './api/changes.js';
import { DUPLICATE_NAME, queryBooks, quote, readRecord, retryStale, writeRecord } from './api/client.js';
import { buildWebAddress } from './api/web-address.js';

interface Address {
  Line1?: string;
  Line2?: string;
  Line3?: string;
  Line4?: string;
  Line5?: string;
  City?: string;
  CountrySubDivisionCode?: string;
  PostalCode?: string;
}

export interface BooksCustomer extends BooksRecord {
  DisplayName?: string;
  CompanyName?: string;
  PrimaryEmailAddr?: { Address?: string };
  PrimaryPhone?: { FreeFormNumber?: string };
  BillAddr?: Address;
}

/** QuickBooks' limits of characters. */
const MAX_NAME = 100;
const MAX_EMAIL = 100;
const MAX_PHONE = 30;

export const customers: BookedCustomers = {
  async findMatches(connection, customer) {
    const found = await findByName(connection, customer);
    const { email } = customer;
    const byEmail = email
      ? await queryBooks<BooksCustomer>(connection, 'Customer', `where PrimaryEmailAddr = ${quote(email)}`)
      : [];
    // An email that several customers share tells nothing.
    return [...found, ...(byEmail.length === 1 ? byEmail : [])].map((one) => toBooked(connection, one));
  },
  put: (connection, customer, { operationKey: key }, known) =>
    known
      ? retryStale(() => update(connection, { customer, key, known }))
      : create(connection, customer, key),
  readNamed: (connection, hints) => readNamed(connection, hints, ENTITY),
  pull: (connection, from) => pullChanges(connection, from, ENTITY),
};

const ENTITY: Entity<BooksCustomer, BookCustomerState> = { name: 'Customer', toChange };

async function create(
  connection: OpenConnection,
  customer: BookCustomer,
  key: string,
): Promise<Booked<BookCustomerState>> {
  const DisplayName = toDisplayName(customer.name);
  const CompanyName = DisplayName;
  const body = { DisplayName, CompanyName, ...toContact(customer) };
  const write = (requestId: string, members: object) =>
    writeRecord<BooksCustomer>(connection, 'Customer', { body: { ...body, ...members }, key: requestId });
  try {
    return toBooked(connection, await write(key, {}));
  } catch (error) {
    if (!(error instanceof VendorError) || error.code !== DUPLICATE_NAME) throw error;
    // Names are unique among customers, vendors and employees. Another customer of ours, a vendor
    // or an employee has this one.
    const own = buildOwnName(customer, toDisplayName(customer.name), MAX_NAME);
    const found = await findByName(connection, customer);
    // A payer who is no customer of ours may share a name, such as that of all walk-in customers.
    const before =
      customer.customerId === null ? found[0] : found.find((one) => isSameName(one.DisplayName, own));
    return toBooked(connection, before ?? (await write(`${key}-n`, { DisplayName: own })));
  }
}

/** Finds customers with the name; first the one whose name we have made unique. */
async function findByName(connection: OpenConnection, customer: BookCustomer): Promise<BooksCustomer[]> {
  const own = buildOwnName(customer, toDisplayName(customer.name), MAX_NAME);
  const names = [own, toDisplayName(customer.name)];
  const found = await queryBooks<BooksCustomer>(
    connection,
    'Customer',
    `where DisplayName in (${names.map(quote).join(', ')})`,
  );
  return found.sort(
    (a, b) => Number(isSameName(b.DisplayName, own)) - Number(isSameName(a.DisplayName, own)),
  );
}

/**
 * Writes our contact data, unless somebody has changed theirs since our last write. Contact data
 * that we do not have stays as it is, and so does the name, which people may arrange there.
 */
async function update(
  connection: OpenConnection,
  {
    customer,
    key,
    known,
  }: { customer: BookCustomer; key: string; known: { externalId: string; version: string | null } },
): Promise<Booked<BookCustomerState>> {
  const current = await readRecord<BooksCustomer>(connection, 'Customer', known.externalId);
  if (!current) throw missingThere('customer');
  const booked = toBooked(connection, current);
  const contact = toContact(customer);
  const isSame = Object.entries(toState({ ...current, ...contact })).every(
    ([name, value]) => booked.state[name as keyof BookCustomerState] === value,
  );
  if (isSame) return booked;
  if (known.version !== null && booked.written.version !== known.version)
    return { ...booked, isOverruled: true };
  const body = { Id: current.Id, SyncToken: current.SyncToken, sparse: true, ...contact };
  return toBooked(
    connection,
    await writeRecord<BooksCustomer>(connection, 'Customer', { body, key: deriveKey(key, body) }),
  );
}

function toDisplayName(name: string): string {
  return name
    .replace(/[:\s]+/g, ' ')
    .trim()
    .slice(0, MAX_NAME);
}

function toContact({ email, phone, address, city, state, zip }: BookCustomer): Partial<BooksCustomer> {
  const lines = (address ?? '').split(/\r?\n/).filter(Boolean);
  const [Line1, Line2, Line3, Line4, ...rest] = lines;
  const billing = Object.entries({
    Line1,
    Line2,
    Line3,
    Line4,
    Line5: rest.length > 0 ? rest.join(', ') : undefined,
    City: city,
    CountrySubDivisionCode: state,
    PostalCode: zip,
  }).filter(([, value]) => value);
  return {
    ...(email && email.length <= MAX_EMAIL ? { PrimaryEmailAddr: { Address: email } } : {}),
    ...(phone && phone.length <= MAX_PHONE ? { PrimaryPhone: { FreeFormNumber: phone } } : {}),
    ...(billing.length > 0 ? { BillAddr: Object.fromEntries(billing) as Address } : {}),
  };
}

function toState({
  DisplayName,
  PrimaryEmailAddr,
  PrimaryPhone,
  BillAddr = {},
}: BooksCustomer): BookCustomerState {
  const { Line1, Line2, Line3, Line4, Line5, City, CountrySubDivisionCode, PostalCode } = BillAddr;
  return {
    name: DisplayName ?? '',
    email: PrimaryEmailAddr?.Address ?? null,
    phone: PrimaryPhone?.FreeFormNumber ?? null,
    address: [Line1, Line2, Line3, Line4, Line5].filter(Boolean).join('\n') || null,
    city: City ?? null,
    state: CountrySubDivisionCode ?? null,
    zip: PostalCode ?? null,
  };
}

function toChange(record: BooksCustomer): Change<BookCustomerState> {
  const fields = toState(record);
  return { kind: 'customer', externalId: record.Id, version: fingerprint(fields), fields };
}

function toBooked(connection: OpenConnection, record: BooksCustomer): Booked<BookCustomerState> {
  const { externalId, version, fields: state } = toChange(record);
  return {
    written: { externalId, version, url: buildWebAddress(connection, 'Customer', externalId) },
    state,
  };
}
