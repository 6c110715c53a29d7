import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { api, client } from '../api/client';
import { EMAIL, type JoiningField, JoiningForm, NEW_PASSWORD } from './joining-form';
import { JoiningPage, Offered, SignInLink } from './joining-page';

const FIELDS: readonly JoiningField[] = [
  { name: 'company', label: 'Company', autoComplete: 'organization' },
  { name: 'name', label: 'Your name', autoComplete: 'name' },
  EMAIL,
  NEW_PASSWORD,
];
const TOKEN_FIELD: JoiningField = {
  name: 'signup_token',
  label: 'Sign-up token',
  hint: 'From the operator of this service.',
  autoComplete: 'off',
};

/** Requests an account. The service then mails a link that creates the account. */
export function Page() {
  const mode = api.useQuery('get', '/signup');
  const [email, setEmail] = useState<string>();
  return (
    <JoiningPage title="Create an account">
      <Offered offer={mode}>
        {({ mode: who }) => {
          if (who === 'closed') return <Text>Only the operator of this service creates accounts.</Text>;
          if (email) return <MailSent email={email} />;
          return (
            <JoiningForm
              fields={who === 'invite' ? [...FIELDS, TOKEN_FIELD] : FIELDS}
              submitLabel="Create account"
              send={async (values) => {
                const { company = '', name = '', email = '', password = '', ...rest } = values;
                await client.POST('/signup', { body: { company, name, email, password, ...rest } });
                setEmail(email);
              }}
            />
          );
        }}
      </Offered>
      <SignInLink>Back to sign-in</SignInLink>
    </JoiningPage>
  );
}

function MailSent({ email }: { email: string }) {
  const [isSentAgain, setSentAgain] = useState(false);
  const resend = async () => {
    await client.POST('/signup/resend', { body: { email } }).catch(() => undefined);
    setSentAgain(true);
  };
  return (
    <>
      <Text role="status">
        A mail to {email} is on its way. Open the link in it within 24 hours: it creates the account and shows
        your first keys.
      </Text>
      <Button variant="default" disabled={isSentAgain} onClick={() => void resend()}>
        {isSentAgain ? 'Sent again' : 'Send the mail again'}
      </Button>
    </>
  );
}
