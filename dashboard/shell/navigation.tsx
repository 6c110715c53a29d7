import { NavLink } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { keepSearch, type Search, useUrlPath } from '../parts/url/use-url';
import { SCREENS } from '../screens/screen-list';

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { screen } = useUrlPath();
  const search = (old: Search) => keepSearch(old, false);
  return (
    <nav aria-label="Screens">
      {SCREENS.map(({ name, path, icon: Icon }) => (
        <NavLink
          key={path}
          component={Link}
          to={`/${path}`}
          search={search as never}
          label={name}
          leftSection={<Icon size={16} aria-hidden />}
          active={screen === path}
          aria-current={screen === path ? 'page' : undefined}
          onClick={onNavigate}
          variant="light"
          py={6}
        />
      ))}
      <NavLink
        component="a"
        href="/docs"
        target="_blank"
        rel="noreferrer"
        label="API reference"
        py={6}
        mt="sm"
      />
    </nav>
  );
}
