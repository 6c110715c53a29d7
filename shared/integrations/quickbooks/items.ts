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
/** After this time, an id is looked for again, because a bookkeeper may have renamed its item. */
const FORGET_AFTER_MS = 10 * 60_000;

/**
 * Runs a write of an invoice with the ids of its items, by `category/account`. If QuickBooks
 * refuses ids that were learned earlier, because a bookkeeper has made an item inactive, runs it
 * again with present ones.
 * @param write gets a key that belongs to these ids. A refused write may have used up its key, so
 * a write with other ids must not share it
 */
export async function withItems<T>(
  connection: OpenConnection,
  { mapped, key }: { mapped: readonly MappedCategory[]; key: string },
  write: (items: ReadonlyMap<string, string>, writeKey: string) => Promise<T>,
): Promise<T> {
  const writeWith = (items: ReadonlyMap<string, string>) =>
    write(items, deriveKey(key, Object.fromEntries(items)));
  const known = recallItems(connection, mapped);
  if (!known) return writeWith(await lookUpItems(connection, mapped, key));
  try {
    return await writeWith(known);
  } catch (error) {
    if (!(error instanceof VendorError) || !REFUSALS.includes(error.kind)) throw error;
    const present = await lookUpItems(connection, mapped, key);
    if ([...present].every(([name, id]) => known.get(name) === id)) throw error;
    return writeWith(present);
  }
}

const REFUSALS: readonly string[] = ['refused', 'gone'] satisfies VendorErrorKind[];

const toKey = ({ category, account }: MappedCategory) => `${category}/${account}`;

/** What a connection learns of an item. */
interface LearnedItem {
  id: string;
  atMs: number;
}

/** Returns undefined unless the connection has learned the ids of all items a short time ago. */
function recallItems(
  connection: OpenConnection,
  mapped: readonly MappedCategory[],
): Map<string, string> | undefined {
  const items = new Map<string, string>();
  for (const one of mapped) {
    const text = connection.learned.get(toPlace(connection, one));
    if (text === undefined) return undefined;
    const { id, atMs } = JSON.parse(text) as LearnedItem;
    if (Date.now() - atMs > FORGET_AFTER_MS) return undefined;
    items.set(toKey(one), id);
  }
  return items;
}

/** Finds or creates the items, and learns their ids. */
async function lookUpItems(
  connection: OpenConnection,
  mapped: readonly MappedCategory[],
  key: string,
): Promise<Map<string, string>> {
  const { learned } = connection;
  const found = await ensureItems(connection, mapped, key);
  if (learned.size >= MAX_LEARNED) learned.clear();
  for (const one of mapped) {
    const item: LearnedItem = { id: found.get(toKey(one)) as string, atMs: Date.now() };
    learned.set(toPlace(connection, one), JSON.stringify(item));
  }
  return found;
}

function toPlace(connection: OpenConnection, one: MappedCategory): string {
  return `item/${getRealm(connection)}/${buildName(one)}`;
}

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
