import { Link } from '@tanstack/react-router';
import { keepSearch, type Search, useUrlPath } from '../parts/url/use-url';
import { SCREENS } from '../screens/screen-list';

export function Navigation({ onNavigate }: { onNavigate: () => void }) {
  const { screen } = useUrlPath();
  const search = (old: Search) => keepSearch(old, false);
  return (
    <nav aria-label="Screens">
      {SCREENS.map(({ name, path, icon: Icon }) => (
        <Link
          key={path}
          to={`/${path}`}
          search={search as never}
          className="nav-link"
          aria-current={screen === path ? 'page' : undefined}
          onClick={onNavigate}
        >
          <Icon size={16} aria-hidden />
          {name}
        </Link>
      ))}
      <a href="/docs" target="_blank" rel="noreferrer" className="nav-link">
        API reference
      </a>
    </nav>
  );
}
