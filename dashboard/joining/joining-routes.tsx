import { type AnyRoute, createRoute, lazyRouteComponent, useParams } from '@tanstack/react-router';
import type { ComponentType } from 'react';

interface JoiningEntry {
  path: string;
  load: () => Promise<{ Page: ComponentType<{ token: string }> }>;
}

/**
 * The pages for people who are not signed in, by path. Mails contain links to the pages with a
 * token.
 */
const PAGES: readonly JoiningEntry[] = [
  { path: 'forgot-password', load: () => import('./forgot-password') },
  { path: 'password-reset/$token', load: () => import('./reset-password') },
  { path: 'invitation/$token', load: () => import('./accept-invitation') },
  { path: 'sign-up', load: () => import('./sign-up') },
  { path: 'verify/$token', load: () => import('./verify-sign-up') },
];

const FIRST_SEGMENTS = new Set(PAGES.map(({ path }) => path.split('/')[0]));

/**
 * True if the path, below /app, is one of these pages. These pages have no frame and need no
 * session.
 */
export function isJoiningPath(pathname: string): boolean {
  return FIRST_SEGMENTS.has(pathname.split('/').filter((part) => part !== 'app' && part !== '')[0]);
}

export function createJoiningRoutes(root: AnyRoute) {
  return PAGES.map(({ path, load }) =>
    createRoute({
      getParentRoute: () => root,
      path,
      component: lazyRouteComponent(async () => {
        const { Page } = await load();
        const Route = () => {
          const { token = '' } = useParams({ strict: false }) as { token?: string };
          return <Page token={token} />;
        };
        return { Route };
      }, 'Route'),
    }),
  );
}
