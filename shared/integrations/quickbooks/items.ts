import { deriveKey } from '../contract/books/derive-key.js';
import type { OpenConnection } from '../contract/connection.js';
import { VendorError, type VendorErrorKind } from '../contract/vendor-error.js';
import { getRealm, queryBooks, quote, writeRecord } from './api/client.js';

interface Item {
  Id: string;
  Name: string;
}

interface MappedCategory {
  category: string;
  account: string;
}

/** The number of ids that a connection learns before it forgets all. */
const MAX_LEARNED = 500;

/**
 * Runs a write of an invoice with the ids of its items, by `category/account`. If QuickBooks
 * refuses ids that were learned earlier, because a bookkeeper has removed an item, runs it again
 * with present ones.
 * @param write gets the key of the write, which other content must not share
 */
export async function withItems<T>(
  connection: OpenConnection,
  { mapped, key }: { mapped: readonly MappedCategory[]; key: string },
  write: (items: ReadonlyMap<string, string>, writeKey: string) => Promise<T>,
): Promise<T> {
  const realm = getRealm(connection);
  const { learned } = connection;
  const toPlace = (one: MappedCategory) => `item/${realm}/${buildName(one)}`;
  const known = new Map(
    mapped.flatMap((one): [string, string][] => {
      const id = learned.get(toPlace(one));
      return id === undefined ? [] : [[toKey(one), id]];
    }),
  );
  const isKnown = mapped.every((one) => known.has(toKey(one)));
  const look = async () => {
    const found = await ensureItems(connection, mapped, key);
    if (learned.size >= MAX_LEARNED) learned.clear();
    for (const one of mapped) learned.set(toPlace(one), found.get(toKey(one)) as string);
    return found;
  };
  if (!isKnown) return write(await look(), key);
  try {
    return await write(known, key);
  } catch (error) {
    if (!(error instanceof VendorError) || !REFUSALS.includes(error.kind)) throw error;
    const present = await look();
    if ([...present].every(([name, id]) => known.get(name) === id)) throw error;
    return write(present, `${key}-i`);
  }
}

const REFUSALS: readonly string[] = ['refused', 'gone'] satisfies VendorErrorKind[];

const toKey = ({ category, account }: MappedCategory) => `${category}/${account}`;

/**
 * Finds the items of categories, by `category/account`, and creates those that do not exist. A line
 * of an invoice names an item, and the item names the income account. The name of an item contains
 * its account, so that another mapping has another item.
 */
export async function ensureItems(
  connection: OpenConnection,
  mapped: readonly MappedCategory[],
  key: string,
): Promise<Map<string, string>> {
  const wanted = new Map(mapped.map((one) => [buildName(one), one]));
  const names = [...wanted.keys()];
  const found = await queryBooks<Item>(
    connection,
    'Item',
    `where Name in (${names.map(quote).join(', ')}) maxresults ${names.length}`,
  );
  const ids = new Map(found.map(({ Name, Id }) => [Name, Id]));
  for (const [name, { account }] of wanted) {
    if (ids.has(name)) continue;
    const body = { Name: name, Type: 'Service', IncomeAccountRef: { value: account } };
    const { Id } = await writeRecord<Item>(connection, 'Item', { body, key: deriveKey(key, body) });
    ids.set(name, Id);
  }
  return new Map(mapped.map((one) => [toKey(one), ids.get(buildName(one)) as string]));
}

function buildName({ category, account }: MappedCategory): string {
  return `Towing ${category.replaceAll('_', ' ').slice(0, 60)} ${account.replace(/[:\t\n]/g, ' ').slice(0, 30)}`;
}
