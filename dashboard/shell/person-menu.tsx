import { ActionIcon, Menu } from '@mantine/core';
import { LogOut, UserRound } from 'lucide-react';
import { client, newKey } from '../api/client';
import { queryClient } from '../api/query-client';
import { useSession } from '../api/session';

/** Who is signed in, and the way out. */
export function PersonMenu() {
  const { data } = useSession();
  const signOut = async () => {
    await client.DELETE('/session', { params: { header: { 'Idempotency-Key': newKey() } } });
    queryClient.clear();
    window.location.assign('/app/');
  };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size="md" aria-label="Your account">
          <UserRound size={16} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {data?.user.name}
          <br />
          {data?.user.email}
        </Menu.Label>
        <Menu.Item leftSection={<LogOut size={14} aria-hidden />} onClick={() => void signOut()}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
