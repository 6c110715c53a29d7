import { Center, Text, TextInput } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Problem } from '../../api/problem';
import type { Schemas } from '../../api/records';
import { FormDialog } from '../dialogs/form-dialog';
import { CodeBlock } from '../values/code-block';

const QrCode = lazy(async () => ({ default: (await import('./qr-code')).QrCode }));

/** Shows the secret for an authenticator app, and asks for its first code. */
export function ConfirmApp({
  app: { secret, otpauth_uri: uri },
  write,
  onCode,
  onClose,
}: {
  app: Schemas['FactorWithSecret'];
  write: { problem: Problem | undefined; isRunning: boolean; isSaving: boolean };
  onCode: (code: string) => void;
  onClose: () => void;
}) {
  const [code, setCode] = useState('');
  if (!secret || !uri)
    return (
      <FormDialog
        title="Add authenticator app"
        submitLabel="Close"
        write={write}
        onSubmit={onClose}
        onClose={onClose}
      >
        <Text>
          The server has stored the factor, but did not send its secret. Close this and begin again.
        </Text>
      </FormDialog>
    );
  return (
    <FormDialog
      title="Add authenticator app"
      submitLabel="Confirm"
      fields={['code']}
      write={write}
      isLong
      canSubmit={code.trim() !== ''}
      onSubmit={() => onCode(code)}
      onClose={onClose}
    >
      {(errors) => (
        <>
          <Text size="sm">Scan this with your authenticator app, or type the secret into it.</Text>
          <Center mih={200}>
            <Suspense>
              <QrCode text={uri} label="Picture to scan" />
            </Suspense>
          </Center>
          <CodeBlock code={secret} label="Secret" />
          <TextInput
            data-autofocus
            label="Code"
            description="The six digits that the app shows now."
            autoComplete="one-time-code"
            inputMode="numeric"
            value={code}
            error={errors.code}
            onChange={(event) => setCode(event.currentTarget.value)}
          />
        </>
      )}
    </FormDialog>
  );
}
