import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { keepSearch, type Search, useUrlPath } from './use-url';

/** A link to a screen, with filters if any, in the same environment. */
export function ScreenLink({
  screen,
  search = {},
  children,
}: {
  screen: string;
  search?: Search;
  children: ReactNode;
}) {
  const merge = (old: Search) => ({ ...keepSearch(old, false), ...search });
  return (
    <Anchor component={Link} to={`/${screen}`} search={merge as never} inherit>
      {children}
    </Anchor>
  );
}

/** A link that changes parts of the search and stays on the path; an empty text removes a part. */
export function SearchLink({ search, children }: { search: Search; children: ReactNode }) {
  const merge = (old: Search) => ({ ...old, ...search });
  return (
    <Anchor component={Link} to="." search={merge as never} inherit>
      {children}
    </Anchor>
  );
}

/** A link to a record, which opens over the list of its screen. */
export function RecordLink({ screen, id, children }: { screen: string; id: string; children: ReactNode }) {
  const { screen: current } = useUrlPath();
  const search = (old: Search) => keepSearch(old, current === screen);
  return (
    <Anchor component={Link} to={`/${screen}/${id}`} search={search as never} inherit>
      {children}
    </Anchor>
  );
}
