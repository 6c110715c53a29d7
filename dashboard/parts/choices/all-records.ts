/** Reads the records that a person chooses from. */
import { useQuery } from '@tanstack/react-query';
import { client } from '../../api/client';
import { ALL_RECORDS } from '../../api/live';
import type { Schemas } from '../../api/records';

const PAGE_SIZE = 200;
/** A longer list of choices helps nobody, and each page is a request. */
const MAX_PAGES = 25;

interface Page<Item> {
  items: Item[];
  cursor: string | null;
}

type ReadPage<Item> = (query: { limit: number; cursor?: string }) => Promise<Page<Item> | undefined>;

async function readAll<Item>(readPage: ReadPage<Item>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  for (let read = 0; read < MAX_PAGES && (read === 0 || cursor !== null); read += 1) {
    const page: Page<Item> | undefined = await readPage({ limit: PAGE_SIZE, ...(cursor && { cursor }) });
    items.push(...(page?.items ?? []));
    cursor = page?.cursor ?? null;
  }
  return items;
}

/** Reads the list at `path` whenever a dialog with its choices opens. */
function useAll<Item>(path: string, readPage: ReadPage<Item>): Item[] {
  const { data = [] } = useQuery({
    queryKey: [ALL_RECORDS, path],
    queryFn: () => readAll(readPage),
    staleTime: 0,
  });
  return data;
}

/** Reads the trucks of the account with their current status, at most 5,000. */
export function useTrucks(): Schemas['Truck'][] {
  return useAll('/trucks', async (query) => (await client.GET('/trucks', { params: { query } })).data?.data);
}

/** Reads the drivers of the account, at most 5,000. */
export function useDrivers(): Schemas['Driver'][] {
  return useAll(
    '/drivers',
    async (query) => (await client.GET('/drivers', { params: { query } })).data?.data,
  );
}
