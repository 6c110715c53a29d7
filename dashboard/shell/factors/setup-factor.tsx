import { Button, Center, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { signOut } from '../../api/session';
import { AddFactor } from '../../parts/factors/add-factor';
import { hasPasskeys } from '../../parts/factors/passkeys';

type Kind = 'totp' | 'passkey';

/**
 * The page for a person without the second factor that the account requires.
 * @param isDone true as soon as the person has a factor; the page may still show the recovery codes
 */
export function SetupFactor({ isDone, onDone }: { isDone: boolean; onDone: () => void }) {
  const [kind, setKind] = useState<Kind>();
  const close = () => {
    setKind(undefined);
    if (isDone) onDone();
  };
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="lg" w="100%" maw={460}>
        <Stack gap="sm">
          <Title order={1} size="h3">
            Set up a second factor
          </Title>
          <Text>
            Your account requires a second factor of everybody. Until you have one, nothing else is open to
            you.
          </Text>
          <Button onClick={() => setKind('totp')}>Add authenticator app</Button>
          {hasPasskeys() && (
            <Button variant="default" onClick={() => setKind('passkey')}>
              Add passkey
            </Button>
          )}
          <Group justify="flex-end">
            <Button variant="subtle" onClick={() => void signOut()}>
              Sign out
            </Button>
          </Group>
        </Stack>
      </Paper>
      {kind && <AddFactor kind={kind} isFirst onClose={close} />}
    </Center>
  );
}
