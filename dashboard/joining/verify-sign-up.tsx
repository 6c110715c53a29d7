import { Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../api/client';
import type { Schemas } from '../api/records';
import { CodeBlock } from '../parts/values/code-block';
import { JoiningForm, NEW_PASSWORD } from './joining-form';
import { JoiningPage, Offered, SignInLink } from './joining-page';

/** Creates the account of a sign-up, and shows its first keys once. */
export function Page({ token }: { token: string }) {
  const [created, setCreated] = useState<Schemas['SignUpCompleted']>();
  const params = { path: { token } };
  // Read the offer only once, because the link stops working when the account exists.
  const offer = api.useQuery('get', '/signup/verify/{token}', { params }, { staleTime: Infinity });
  if (created) return <FirstKeys created={created} />;
  return (
    <JoiningPage title="Create your account">
      <Offered offer={offer}>
        {({ company, email }) => (
          <>
            <Text size="sm">
              Enter the password that you chose for {email}. It creates the account of {company}, with a
              sandbox.
            </Text>
            <JoiningForm
              fields={[{ ...NEW_PASSWORD, hint: '', autoComplete: 'current-password' }]}
              submitLabel="Create account"
              send={async ({ password = '' }) => {
                const { data } = await client.POST('/signup/verify/{token}', { params, body: { password } });
                setCreated(data);
              }}
            />
          </>
        )}
      </Offered>
    </JoiningPage>
  );
}

function FirstKeys({ created: { account, api_key, sandbox_key } }: { created: Schemas['SignUpCompleted'] }) {
  return (
    <JoiningPage title={`Welcome, ${account.name}`}>
      <Text>
        These are your first keys, with every permission. Copy them now: they are not shown again. You can
        create others in Settings.
      </Text>
      <Stack gap="xs">
        <Text fw={600}>API key</Text>
        <CodeBlock code={api_key} label="API key" copyLabel="API key" />
        <Text fw={600}>Sandbox key</Text>
        <CodeBlock code={sandbox_key} label="Sandbox key" copyLabel="sandbox key" />
      </Stack>
      <SignInLink>I stored both: sign in</SignInLink>
    </JoiningPage>
  );
}
