import { Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../api/client';
import { EMAIL, JoiningForm } from './joining-form';
import { JoiningPage, SignInLink } from './joining-page';

/** Asks for a mail with a link to set a new password. */
export function Page() {
  const [isSent, setSent] = useState(false);
  return (
    <JoiningPage title="Forgot password">
      {isSent ? (
        <Text role="status">
          If this address can sign in, a mail is on its way. The link in it works for 30 minutes. Look into
          your spam folder too.
        </Text>
      ) : (
        <>
          <Text size="sm">Enter your address. You get a mail with a link to set a new password.</Text>
          <JoiningForm
            fields={[EMAIL]}
            submitLabel="Send link"
            send={async ({ email = '' }) => {
              await client.POST('/password-reset', { body: { email } });
              setSent(true);
            }}
          />
        </>
      )}
      <SignInLink>Back to sign-in</SignInLink>
    </JoiningPage>
  );
}
