import { deriveKey } from '../contract/books/derive-key.js';
import type { OpenConnection } from '../contract/connection.js';
import { queryBooks, quote, writeRecord } from './api/client.js';

interface Item {
  Id: string;
  Name: string;
}

/**
 * Finds the items of categories, by `category/account`, and creates those that do not exist. A line
 * of an invoice names an item, and the item names the income account. The name of an item contains
 * its account, so that another mapping has another item.
 */
export async function ensureItems(
  connection: OpenConnection,
  mapped: readonly { category: string; account: string }[],
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
  return new Map(
    mapped.map(({ category, account }) => [
      `${category}/${account}`,
      ids.get(buildName({ category, account })) as string,
    ]),
  );
}

function buildName({ category, account }: { category: string; account: string }): string {
  return `Towing ${category.replaceAll('_', ' ').slice(0, 60)} ${account.replace(/[:\t\n]/g, ' ').slice(0, 30)}`;
}
