import { useQuery } from '@tanstack/react-query';
import { client } from '../../../api/client';
import { readEnvironment } from '../../../api/environment';

/** Customers are read in pages of 200, at most this many pages. */
const MAX_PAGES = 10;

/** The names found so far, by id; an empty text for a customer that was not found. */
const names = new Map<string, string>();

/**
 * The names of the customers on the board. It reads only what is not known yet, because a read by
 * id for each card would be hundreds of requests, repeated with every change of the board.
 */
export function useCustomerNames(ids: readonly (string | null)[]): ReadonlyMap<string, string> {
  const unknown = [...new Set(ids)].filter((id): id is string => id !== null && !names.has(id)).sort();
  useQuery({
    queryKey: ['customer-names', readEnvironment(), unknown],
    queryFn: () => findNames(unknown),
    enabled: unknown.length > 0,
    staleTime: 'static',
  });
  return names;
}

async function findNames(wanted: readonly string[]): Promise<number> {
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES && wanted.some((id) => !names.has(id)); page += 1) {
    const query: { limit: number; cursor?: string } = { limit: 200, ...(cursor ? { cursor } : {}) };
    const { data } = await client.GET('/customers', { params: { query } });
    for (const { id, company_name: name } of data?.data.items ?? []) names.set(id, name);
    cursor = data?.data.cursor ?? null;
    if (cursor === null) break;
  }
  for (const id of wanted) if (!names.has(id)) names.set(id, '');
  return names.size;
}
