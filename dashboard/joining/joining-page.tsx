import { Anchor, Center, Loader, Paper, Stack, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { ProblemAlert } from '../parts/feedback/problem-alert';
import { PRODUCT_NAME } from '../parts/product-name';

/** A page for people who are not signed in. */
export function JoiningPage({ title, children }: { title: string; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · ${PRODUCT_NAME}`;
  }, [title]);
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="lg" w="100%" maw={460}>
        <Stack gap="md">
          <Title order={1} size="h3">
            {title}
          </Title>
          {children}
        </Stack>
      </Paper>
    </Center>
  );
}

/** Leads to the sign-in. Loads a new page, so that no data of an earlier session remains. */
export function SignInLink({ children = 'Sign in' }: { children?: string }) {
  return (
    <Anchor href="/app/" size="sm">
      {children}
    </Anchor>
  );
}

/** Shows the link's offer, for example an invitation, or the reason why the link does not work. */
export function Offered<Offer>({
  offer: { data, error },
  children,
}: {
  offer: { data?: Offer | undefined; error: unknown };
  children: (offer: Offer) => ReactNode;
}) {
  if (data) return children(data);
  if (!error) return <Loader aria-label="Loading" />;
  return (
    <>
      <ProblemAlert problem={error} />
      <SignInLink />
    </>
  );
}
