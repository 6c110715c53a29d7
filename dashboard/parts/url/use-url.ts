import { useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router';
import { useCallback } from 'react';

export type Search = Record<string, string>;

/**
 * The query parameters of an open record: its tab, and the period of an account statement. They
 * end with the record.
 */
const OF_RECORD = { tab: undefined, from: undefined, to: undefined };

/** Returns the filters, page and environment that the URL contains. */
export function useUrlSearch(): Search {
  return useSearch({ strict: false }) as Search;
}

/** Returns the path below /app/, such as `invoices`, and the id of the open record. */
export function useUrlPath(): { screen: string; id: string | undefined } {
  const { pathname } = useLocation();
  const [screen = '', id] = pathname.replace(/^\/(app\/)?/, '').split('/');
  return { screen, id };
}

/** Returns functions that change the URL. */
export function useUrl() {
  const navigate = useNavigate();
  const router = useRouter();
  const { screen } = useUrlPath();
  /** Changes query parameters; undefined removes a parameter. Also returns to the first page. */
  const setSearch = useCallback(
    (patch: Record<string, string | undefined>, { replace = false } = {}) => {
      const search = (old: Search) => withoutEmpty({ ...old, cursor: undefined, ...patch });
      void navigate({ to: '.', search: search as never, replace });
    },
    [navigate],
  );
  /**
   * Opens a record over the list of a screen, by default over the current list.
   * @param tab the tab that opens; the first tab by default
   */
  const openRecord = useCallback(
    (id: string, target = screen, tab?: string) =>
      void navigate({
        to: `/${target}/${id}`,
        search: ((old: Search) => withTab(keepSearch(old, target === screen), tab)) as never,
      }),
    [navigate, screen],
  );
  /** Closes the record, and shows the list with its filters. */
  const closeRecord = useCallback(
    () =>
      void navigate({
        to: `/${screen}`,
        search: ((old: Search) => withoutEmpty({ ...old, ...OF_RECORD })) as never,
      }),
    [navigate, screen],
  );
  /** Opens a screen without filters, in the same environment. */
  const openScreen = useCallback(
    (path: string, search: Search = {}) =>
      void navigate({
        to: `/${path}`,
        search: ((old: Search) => ({ ...keepSearch(old, false), ...search })) as never,
      }),
    [navigate],
  );
  return { setSearch, openRecord, closeRecord, openScreen, router };
}

/**
 * On the same screen, removes only what belongs to a record. On another screen, keeps only the
 * environment.
 */
export function keepSearch(search: Search, isSameScreen: boolean): Search {
  if (isSameScreen) return withoutEmpty({ ...search, ...OF_RECORD });
  return search.env ? { env: search.env } : {};
}

/** Adds the tab of a record. Undefined means the first tab, which the URL does not name. */
export function withTab(search: Search, tab: string | undefined): Search {
  return tab ? { ...search, tab } : search;
}

function withoutEmpty(search: Record<string, string | undefined>): Search {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  return Object.fromEntries(entries) as Search;
}
