import { Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../api/client';
import { JoiningForm, NEW_PASSWORD } from './joining-form';
import { JoiningPage, SignInLink } from './joining-page';

/** Sets a new password. A link in a mail leads to this page. */
export function Page({ token }: { token: string }) {
  const [isDone, setDone] = useState(false);
  return (
    <JoiningPage title="New password">
      {isDone ? (
        <Text role="status">Your password is set, and all your sessions have ended.</Text>
      ) : (
        <JoiningForm
          fields={[{ ...NEW_PASSWORD, label: 'New password' }]}
          submitLabel="Set password"
          send={async ({ password = '' }) => {
            await client.POST('/password-reset/{token}', { params: { path: { token } }, body: { password } });
            setDone(true);
          }}
        />
      )}
      <SignInLink />
    </JoiningPage>
  );
}
