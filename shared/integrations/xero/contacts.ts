import type { BookCustomer, BookCustomerState, Booked, BookedCustomers } from '../contract/accounting.js';
import { buildOwnName, isSameName } from '../contract/books/own-name.js';
import { missingThere } from '../contract/books/refusals.js';
import type { OpenConnection } from '../contract/connection.js';
import { fingerprint } from '../contract/fingerprint.js';
import { VendorError } from '../contract/vendor-error.js';
import { callXero, DUPLICATE_NAME, quote, readOne, writeOne } from './api/client.js';
import { type Entity, pullChanges, readNamed } from './api/pages.js';
import { buildWebAddress } from './api/web-address.js';
import { MAX_NAME, toChange, toContact, toName, toState, type XeroContact } from './contact-mapper.js';

/** A search by text finds parts of names, so it may find many. */
const MAX_FOUND = '100';

export const customers: BookedCustomers = {
  async findMatches(connection, customer) {
    const found = await findKnown(connection, customer);
    const named = found.filter((one) => isNamed(one, customer));
    const byName = named.length > 0 ? named : await searchName(connection, customer);
    const { email } = customer;
    const byEmail = found.filter(({ EmailAddress }) => email !== null && isSameName(EmailAddress, email));
    // An email that several contacts share tells nothing.
    const all = [...sortBest(byName, customer), ...(byEmail.length === 1 ? byEmail : [])];
    return all.map(toBooked);
  },
  put: (connection, customer, { operationKey: key }, known) =>
    known ? update(connection, { customer, key, known }) : create(connection, customer, key),
  readNamed: (connection, hints) => readNamed(connection, hints, ENTITY),
  pull: (connection, from) => pullChanges(connection, from, ENTITY),
};

const ENTITY: Entity<XeroContact, BookCustomerState> = { list: 'Contacts', query: {}, toChange };

const ownNameOf = (customer: BookCustomer) => buildOwnName(customer, toName(customer.name), MAX_NAME);

function isNamed({ ContactNumber, Name }: XeroContact, customer: BookCustomer): boolean {
  const isOwn = customer.customerId !== null && ContactNumber === customer.customerId;
  return isOwn || isSameName(Name, ownNameOf(customer)) || isSameName(Name, toName(customer.name));
}

/** First the contact with our id, then the one whose name we have made unique. */
function sortBest(found: readonly XeroContact[], customer: BookCustomer): XeroContact[] {
  const own = ownNameOf(customer);
  const rank = ({ ContactNumber, Name }: XeroContact) =>
    customer.customerId !== null && ContactNumber === customer.customerId ? 2 : Number(isSameName(Name, own));
  return [...found].sort((a, b) => rank(b) - rank(a));
}

/** Finds active contacts with our id, the name or the email. */
async function findKnown(connection: OpenConnection, customer: BookCustomer): Promise<XeroContact[]> {
  const { customerId, email, name } = customer;
  const conditions = [
    ...(customerId === null ? [] : [`ContactNumber==${quote(customerId)}`]),
    `Name==${quote(ownNameOf(customer))}`,
    `Name==${quote(toName(name))}`,
    ...(email === null ? [] : [`EmailAddress==${quote(email)}`]),
  ];
  return listContacts(connection, { where: conditions.join(' OR ') });
}

/** Finds contacts whose name differs in case alone. Xero takes these names for the same. */
async function searchName(connection: OpenConnection, customer: BookCustomer): Promise<XeroContact[]> {
  const found = await listContacts(connection, { searchTerm: toName(customer.name) });
  return found.filter((one) => isNamed(one, customer));
}

async function listContacts(
  connection: OpenConnection,
  query: Record<string, string>,
): Promise<XeroContact[]> {
  const { Contacts = [] } = await callXero<{ Contacts?: XeroContact[] }>(connection, {
    method: 'GET',
    path: '/Contacts',
    query: { ...query, page: '1', pageSize: MAX_FOUND },
  });
  return Contacts.filter(({ ContactStatus = 'ACTIVE' }) => ContactStatus === 'ACTIVE');
}

async function create(
  connection: OpenConnection,
  customer: BookCustomer,
  key: string,
): Promise<Booked<BookCustomerState>> {
  const { customerId } = customer;
  const write = async (Name: string) => {
    const number = customerId === null ? {} : { ContactNumber: customerId };
    const record = { Name, ...number, ...toContact(customer, {}) };
    return toBooked(await writeOne<XeroContact>(connection, 'Contacts', { method: 'PUT', record, key }));
  };
  try {
    return await write(toName(customer.name));
  } catch (error) {
    if (!(error instanceof VendorError) || error.code !== DUPLICATE_NAME) throw error;
    const [before] = sortBest(await searchName(connection, customer), customer);
    // A payer who is no customer of ours may share a name, such as that of all walk-in customers.
    const isUsable = before && (customerId === null || before.ContactNumber === customerId);
    return isUsable ? toBooked(before) : write(ownNameOf(customer));
  }
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
  const current = await readOne<XeroContact>(connection, 'Contacts', known.externalId);
  if (!current) throw missingThere('customer');
  const booked = toBooked(current);
  const contact = toContact(customer, current);
  const isSame = Object.entries(toState({ ...current, ...contact })).every(
    ([name, value]) => booked.state[name as keyof BookCustomerState] === value,
  );
  if (isSame) return booked;
  if (known.version !== null && booked.written.version !== known.version)
    return { ...booked, isOverruled: true };
  const record = { ContactID: current.ContactID, ...contact };
  // The same content may be written again later, so the old state is a part of the key.
  const attempt = `${key}-${fingerprint(booked.state).slice(0, 8)}`;
  return toBooked(
    await writeOne<XeroContact>(connection, 'Contacts', { method: 'POST', record, key: attempt }),
  );
}

function toBooked(record: XeroContact): Booked<BookCustomerState> {
  const { externalId, version, fields: state } = toChange(record);
  return { written: { externalId, version, url: buildWebAddress('contact', externalId) }, state };
}
