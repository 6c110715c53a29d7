import { Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../api/client';
import { humanize } from '../parts/record/status-badge';
import { JoiningForm, NEW_PASSWORD } from './joining-form';
import { JoiningPage, Offered, SignInLink } from './joining-page';

/** Lets an invited person choose a name and a password. */
export function Page({ token }: { token: string }) {
  const [joined, setJoined] = useState<string>();
  const params = { path: { token } };
  // Read the offer only once, because the link stops working when the person accepts.
  const offer = api.useQuery('get', '/invitations/{token}/accept', { params }, { staleTime: Infinity });
  return (
    <JoiningPage title="Invitation">
      {joined ? (
        <>
          <Text role="status">You have joined. Sign in as {joined} with your password.</Text>
          <SignInLink />
        </>
      ) : (
        <Offered offer={offer}>
          {({ account, email, role }) => (
            <>
              <Text size="sm">
                {account} invites {email} as {humanize(role).toLowerCase()}. Choose how you sign in.
              </Text>
              <JoiningForm
                fields={[{ name: 'name', label: 'Your name', autoComplete: 'name' }, NEW_PASSWORD]}
                submitLabel="Join"
                send={async ({ name = '', password = '' }) => {
                  await client.POST('/invitations/{token}/accept', { params, body: { name, password } });
                  setJoined(email);
                }}
              />
            </>
          )}
        </Offered>
      )}
    </JoiningPage>
  );
}
