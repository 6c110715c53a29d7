import { ActionIcon, Button, Stack, Text } from '@mantine/core';
import { LogOut, UserRound } from 'lucide-react';
import { useId } from 'react';
import { signOut, useSession } from '../api/session';
import { beep, setSound, useIsSoundOn } from './sound';

/** The menu of the signed-in person, with the sign-out. */
export function PersonMenu() {
  const { data } = useSession();
  const id = useId();
  return (
    <>
      <ActionIcon variant="default" size="md" aria-label="Your account" popoverTarget={id}>
        <UserRound size={16} aria-hidden />
      </ActionIcon>
      <div id={id} popover="auto" className="person-menu">
        <Stack gap="xs">
          <div>
            <Text fw={600}>{data?.user.name}</Text>
            <Text size="sm" c="dimmed">
              {data?.user.email}
            </Text>
          </div>
          <SoundSwitch />
          <Button
            variant="default"
            leftSection={<LogOut size={14} aria-hidden />}
            onClick={() => void signOut()}
          >
            Sign out
          </Button>
        </Stack>
      </div>
    </>
  );
}

/**
 * The switch for a sound at new work orders, approvals and notices. Switching it on plays the
 * sound.
 */
function SoundSwitch() {
  const isOn = useIsSoundOn();
  const change = (on: boolean) => {
    setSound(on);
    if (on) beep();
  };
  return (
    <label className="switch-row">
      <input
        type="checkbox"
        role="switch"
        aria-checked={isOn}
        checked={isOn}
        onChange={(event) => change(event.currentTarget.checked)}
      />
      Sound
    </label>
  );
}
