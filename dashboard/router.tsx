import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  useParams,
  useRouterState,
} from '@tanstack/react-router';
import { Suspense } from 'react';
import { createJoiningRoutes, isJoiningPath } from './joining/joining-routes';
import { ProblemAlert } from './parts/feedback/problem-alert';
import { SCREENS, type ScreenEntry } from './screens/screen-list';
import { NotFound } from './shell/not-found';
import { Shell } from './shell/shell';

/**
 * Parses the query string of a URL: filters, cursor and environment, each as text. The router's own
 * format would write numbers and lists as JSON.
 */
function parseSearch(search: string): Record<string, string> {
  return Object.fromEntries(new URLSearchParams(search));
}

function stringifySearch(search: Record<string, unknown>): string {
  const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
  const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return text === '' ? '' : `?${text}`;
}

/** Renders a page. The pages for people without a session have no frame. */
function Page() {
  const isJoining = useRouterState({ select: ({ location }) => isJoiningPath(location.pathname) });
  return isJoining ? (
    <Suspense>
      <Outlet />
    </Suspense>
  ) : (
    <Shell />
  );
}

const root = createRootRoute({
  component: Page,
  notFoundComponent: NotFound,
  errorComponent: ({ error }) => (
    <ProblemAlert
      problem={error}
      text={`This page has failed: ${error instanceof Error ? error.message : String(error)}`}
      onRetry={() => window.location.reload()}
    />
  ),
});

const routes = SCREENS.map((screen) => {
  const list = createRoute({
    getParentRoute: () => root,
    path: screen.path === '' ? '/' : screen.path,
    component: lazyRouteComponent(() => loadScreen(screen), 'Route'),
  });
  if (screen.path === '') return list;
  const record = createRoute({
    getParentRoute: () => list,
    path: '$id',
    component: lazyRouteComponent(() => loadRecord(screen), 'Route'),
  });
  return list.addChildren([record]);
});

async function loadScreen(screen: ScreenEntry) {
  const { Screen } = await screen.load();
  const Route = () => (
    <>
      <Screen />
      <Outlet />
    </>
  );
  return { Route };
}

async function loadRecord(screen: ScreenEntry) {
  const { Record } = await screen.load();
  const Route = () => {
    const { id = '' } = useParams({ strict: false }) as { id?: string };
    if (!Record) return <NotFound />;
    return (
      <Suspense>
        <Record key={id} id={id} />
      </Suspense>
    );
  };
  return { Route };
}

export const router = createRouter({
  routeTree: root.addChildren([...routes, ...createJoiningRoutes(root)]),
  basepath: '/app',
  parseSearch,
  stringifySearch,
  defaultPreload: 'intent',
  scrollRestoration: true,
});
