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

async function readAll<Item>(readPage: (cursor: string | undefined) => Promise<Page<Item>>): Promise<Item[]> {
  const items: Item[] = [];
  let cursor: string | undefined;
  for (let page = 1; page <= MAX_PAGES; page += 1) {
    const { items: more, cursor: next } = await readPage(cursor);
    items.push(...more);
    if (next === null) break;
    cursor = next;
  }
  return items;
}

/** Reads the trucks of the account with their current status, at most 5,000. */
export function useTrucks(): Schemas['Truck'][] {
  const readPage = async (cursor?: string) => {
    const query = { limit: PAGE_SIZE, ...(cursor && { cursor }) };
    const { data } = await client.GET('/trucks', { params: { query } });
    return data?.data as Page<Schemas['Truck']>;
  };
  return (
    useQuery({ queryKey: [ALL_RECORDS, '/trucks'], queryFn: () => readAll(readPage), staleTime: 0 }).data ??
    []
  );
}

/** Reads the drivers of the account, at most 5,000. */
export function useDrivers(): Schemas['Driver'][] {
  const readPage = async (cursor?: string) => {
    const query = { limit: PAGE_SIZE, ...(cursor && { cursor }) };
    const { data } = await client.GET('/drivers', { params: { query } });
    return data?.data as Page<Schemas['Driver']>;
  };
  return (
    useQuery({ queryKey: [ALL_RECORDS, '/drivers'], queryFn: () => readAll(readPage), staleTime: 0 }).data ??
    []
  );
}
