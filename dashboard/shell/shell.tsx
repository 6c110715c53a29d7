import { Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLiveUpdates } from '../api/live';
import { Problem } from '../api/problem';
import { queryClient } from '../api/query-client';
import { useHasSessionEnded, useSession } from '../api/session';
import { useIsFactorAsked } from '../api/step-up';
import { Loading } from '../parts/basics/loading';
import { ProblemAlert } from '../parts/feedback/problem-alert';
import { PRODUCT_NAME } from '../parts/product-name';
import { useUrlPath, useUrlSearch } from '../parts/url/use-url';
import { SCREENS } from '../screens/screen-list';
import { Alerts } from './alerts';
import { EnvironmentSwitch } from './environment-switch';
import { LiveBadge } from './live-badge';
import { Navigation } from './navigation';
import { Shortcuts } from './palette/shortcuts';
import { PersonMenu } from './person-menu';
import { ThemeSwitch } from './theme-switch';
import { useUnseenCount } from './unseen';

// A signed-in person rarely needs these pages, so load them only on demand.
const SignIn = lazy(async () => ({ default: (await import('./sign-in')).SignIn }));
const SetupFactor = lazy(async () => ({ default: (await import('./factors/setup-factor')).SetupFactor }));
const StepUp = lazy(async () => ({ default: (await import('./factors/step-up')).StepUp }));
const SignInAgain = lazy(async () => ({ default: (await import('./sign-in')).SignInAgain }));

/**
 * The frame of every page. Without a session, shows the sign-in. Otherwise shows header, navigation
 * and screen.
 */
export function Shell() {
  const session = useSession();
  const hasEnded = useHasSessionEnded();
  const isFactorAsked = useIsFactorAsked();
  if (session.isPending) return <Loading label="Opening the dashboard" />;
  if (!session.data) {
    const isSignedOut = session.error instanceof Problem && session.error.status === 401;
    if (isSignedOut || hasEnded)
      return (
        <Suspense>
          <SignIn />
        </Suspense>
      );
    return <ProblemAlert problem={session.error} onRetry={() => void session.refetch()} />;
  }
  return (
    <>
      <FrameWithFactor isRequired={session.data.is_factor_setup_required} />
      {isFactorAsked && (
        <Suspense>
          <StepUp />
        </Suspense>
      )}
      {hasEnded && (
        <Suspense>
          <SignInAgain person={session.data.user} />
        </Suspense>
      )}
    </>
  );
}

/**
 * Shows the frame only to people with the second factor that their account requires. A person who
 * sets up the factor sees the recovery codes before the frame.
 */
function FrameWithFactor({ isRequired }: { isRequired: boolean }) {
  const [isOpen, setOpen] = useState(!isRequired);
  useEffect(() => {
    if (isRequired) setOpen(false);
  }, [isRequired]);
  if (isOpen && !isRequired) return <Frame />;
  return (
    <Suspense>
      <SetupFactor isDone={!isRequired} onDone={() => setOpen(true)} />
    </Suspense>
  );
}

function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { screen } = useUrlPath();
  const { env } = useUrlSearch();
  const main = useRef<HTMLElement>(null);
  const leaveNavigation = () => {
    if (!isOpen) return;
    // On a phone the closed navigation is hidden, and with it the link that has the focus.
    flushSync(close);
    main.current?.focus();
  };
  useLiveUpdates(env === 'sandbox' ? 'sandbox' : 'live');
  useForgetOtherEnvironment(env);
  useScreenTitle(screen);
  return (
    <div className="frame" data-open={isOpen || undefined}>
      <header className="frame-header">
        <Group gap="xs" wrap="nowrap" miw={0}>
          <Burger
            opened={isOpen}
            onClick={toggle}
            hiddenFrom="sm"
            size="sm"
            aria-label={isOpen ? 'Close the navigation' : 'Open the navigation'}
          />
          <AccountName />
          <EnvironmentSwitch />
        </Group>
        <Group gap={6} wrap="nowrap">
          <LiveBadge />
          <Shortcuts />
          <ThemeSwitch />
          <PersonMenu />
        </Group>
      </header>
      <Alerts />
      <div className="frame-navigation">
        <Navigation onNavigate={leaveNavigation} />
      </div>
      {/* Gets the focus when the focused element disappears, such as the row of a record. */}
      <main ref={main} className="frame-main" tabIndex={-1}>
        <Suspense fallback={<Loading label="Loading" />}>
          <Outlet />
        </Suspense>
      </main>
    </div>
  );
}

/**
 * Clears all data when the environment changes, by the switch or by the browser's Back button.
 * Otherwise the page could show records of one environment under the name of the other.
 */
function useForgetOtherEnvironment(env: string | undefined): void {
  const shown = useRef(env);
  useLayoutEffect(() => {
    if (shown.current === env) return;
    shown.current = env;
    void queryClient.resetQueries();
  }, [env]);
}

function AccountName() {
  const { data } = useSession();
  return (
    <Text fw={600} truncate visibleFrom="sm" maw={260}>
      {data?.tenant.name}
    </Text>
  );
}

function useScreenTitle(path: string): void {
  const name = SCREENS.find((screen) => screen.path === path)?.name ?? 'Not found';
  const unseen = useUnseenCount();
  useEffect(() => {
    document.title = `${unseen > 0 ? `(${unseen}) ` : ''}${name} · ${PRODUCT_NAME}`;
  }, [name, unseen]);
}
