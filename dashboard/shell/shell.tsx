import { AppShell, Burger, Group, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { Outlet } from '@tanstack/react-router';
import { Suspense, useEffect } from 'react';
import { useLiveUpdates } from '../api/live';
import { Problem } from '../api/problem';
import { useHasSessionEnded, useSession } from '../api/session';
import { Loading } from '../parts/loading';
import { ProblemAlert } from '../parts/problem-alert';
import { useUrlPath } from '../parts/use-url';
import { EnvironmentSwitch } from './environment-switch';
import { LiveBadge } from './live-badge';
import { Navigation } from './navigation';
import { PersonMenu } from './person-menu';
import { SCREENS } from './screens';
import { SignIn, SignInAgain } from './sign-in';
import { ThemeSwitch } from './theme-switch';

/** The frame of every page: sign-in first, then header, navigation and the screen. */
export function Shell() {
  const session = useSession();
  const hasEnded = useHasSessionEnded();
  if (session.isPending) return <Loading label="Opening the dashboard" />;
  if (!session.data) {
    const isSignedOut = session.error instanceof Problem && session.error.status === 401;
    if (isSignedOut || hasEnded) return <SignIn />;
    return <ProblemAlert problem={session.error} onRetry={() => void session.refetch()} />;
  }
  return (
    <>
      <Frame />
      {hasEnded && <SignInAgain person={session.data.user} />}
    </>
  );
}

function Frame() {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const { screen } = useUrlPath();
  useLiveUpdates();
  useScreenTitle(screen);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 208, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding="md"
    >
      <AppShell.Header>
        <Group h="100%" px="sm" gap="xs" wrap="nowrap" justify="space-between">
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
            <ThemeSwitch />
            <PersonMenu />
          </Group>
        </Group>
      </AppShell.Header>
      <AppShell.Navbar p="xs">
        <Navigation onNavigate={close} />
      </AppShell.Navbar>
      <AppShell.Main>
        <Suspense fallback={<Loading label="Loading" />}>
          <Outlet />
        </Suspense>
      </AppShell.Main>
    </AppShell>
  );
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
  useEffect(() => {
    document.title = `${name} · Tow Dispatch`;
  }, [name]);
}
