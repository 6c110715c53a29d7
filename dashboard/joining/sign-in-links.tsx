import { Anchor, Group } from '@mantine/core';
import { api } from '../api/client';

/** The links for people who cannot sign in. */
export function SignInLinks() {
  const { data } = api.useQuery('get', '/signup');
  return (
    <Group justify="space-between" mt="md">
      <Anchor href="/app/forgot-password" size="sm">
        Forgot password?
      </Anchor>
      {data && data.mode !== 'closed' && (
        <Anchor href="/app/sign-up" size="sm">
          Create an account
        </Anchor>
      )}
    </Group>
  );
}
