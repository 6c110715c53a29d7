import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keepSearch, type Search, useUrlPath, withTab } from './use-url';

/**
 * A link to a screen in the same environment, optionally with filters.
 * @param isInText true to underline the link, so that people recognize it even without its colour
 */
export function ScreenLink({
  screen,
  search = {},
  isInText = false,
  children,
}: {
  screen: string;
  search?: Search;
  isInText?: boolean;
  children: ReactNode;
}) {
  const merge = (old: Search) => ({ ...keepSearch(old, false), ...search });
  return (
    <Anchor
      component={Link}
      to={`/${screen}`}
      search={merge as never}
      inherit
      underline={isInText ? 'always' : 'hover'}
    >
      {children}
    </Anchor>
  );
}

/**
 * A link that changes some query parameters and keeps the path. An empty text removes a parameter.
 */
export function SearchLink({ search, children }: { search: Search; children: ReactNode }) {
  const merge = (old: Search) => ({ ...old, ...search });
  return (
    <Anchor component={Link} to="." search={merge as never} inherit>
      {children}
    </Anchor>
  );
}

/**
 * A link to a record. The record opens over the list of its screen.
 * @param tab the tab that opens; the first tab by default
 */
export function RecordLink({
  screen,
  id,
  tab,
  children,
}: {
  screen: string;
  id: string;
  tab?: string | undefined;
  children: ReactNode;
}) {
  const { screen: current } = useUrlPath();
  const search = (old: Search) => withTab(keepSearch(old, current === screen), tab);
  return (
    <Anchor component={Link} to={`/${screen}/${id}`} search={search as never} inherit>
      {children}
    </Anchor>
  );
}
