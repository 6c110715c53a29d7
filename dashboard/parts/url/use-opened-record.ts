import { useUrl, useUrlSearch } from './use-url';

/**
 * Opens the records of a list in a tab. The URL names the open record in the query parameter
 * `name`: `?tab=trucks&truck=<id>`. The list behind the record stays on its page.
 */
export function useOpenedRecord(name: string) {
  const search = useUrlSearch();
  const { setSearch } = useUrl();
  const set = (id: string | undefined) => setSearch({ cursor: search.cursor, [name]: id });
  return { id: search[name], open: (id: string) => set(id), close: () => set(undefined) };
}
