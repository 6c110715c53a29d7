import type { Change, OpenConnection } from '../contract/connection.js';
import type { ListedPage, ListStart } from '../contract/payments.js';
import { callStripe } from './client.js';
import type { List } from './events.js';

/** The worker reads 4 MB at most. A payment with its charge and much metadata has some 60 kB. */
const PAGE_SIZE = 50;

/**
 * Lists the objects of one kind that were made since a time, newest first. Unlike the list of
 * events, this list forgets nothing.
 * @param toChange returns undefined for an object that is none of ours
 */
export async function listSince<T extends { id: string }, State>(
  connection: OpenConnection,
  { since, after }: ListStart,
  {
    path,
    expand,
    toChange,
  }: { path: string; expand: readonly string[]; toChange: (object: T) => Change<State> | undefined },
): Promise<ListedPage<State>> {
  const { data, has_more: hasMore } = await callStripe<List<T>>(connection, {
    method: 'GET',
    path,
    form: {
      limit: PAGE_SIZE,
      created: { gte: Math.floor(Date.parse(since) / 1000) },
      starting_after: after ?? undefined,
      expand: expand.map((name) => `data.${name}`),
    },
  });
  return {
    changes: data.flatMap((object) => toChange(object) ?? []),
    next: hasMore ? (data.at(-1)?.id ?? null) : null,
  };
}
