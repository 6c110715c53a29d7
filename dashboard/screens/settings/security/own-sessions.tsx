import { Button, Group, Stack, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { PagedTable } from '../../../parts/record/paged-table';
import { TimeAgo } from '../../../parts/values/time';
import { nameBrowser } from './browser-name';

type OwnSession = Schemas['OwnSession'];

/** The person's own sessions. The person can end all of them except the current session. */
export function OwnSessions() {
  const [ending, setEnding] = useState<OwnSession | 'others'>();
  const close = () => setEnding(undefined);
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Your sessions
        </Title>
        <Button variant="default" size="xs" onClick={() => setEnding('others')}>
          End all other sessions
        </Button>
      </Group>
      <Text size="sm" c="dimmed">
        Where you are signed in. The network is only the first part of the address of the sign-in.
      </Text>
      <PagedTable<OwnSession>
        label="Your sessions"
        queryKey={['/me/sessions']}
        readPage={async (cursor) => {
          const query = { limit: 50, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/me/sessions', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="There are no sessions."
        columns={[
          { header: 'Browser', render: ({ user_agent: agent }) => nameBrowser(agent) },
          { header: 'Network', render: ({ network }) => network ?? 'Unknown' },
          { header: 'Signed in', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          { header: 'Last used', render: ({ last_used_at: at }) => <TimeAgo at={at} empty="Unknown" /> },
          {
            header: 'Actions',
            render: (session) =>
              session.is_current ? (
                'This session'
              ) : (
                <Button
                  size="compact-sm"
                  variant="default"
                  aria-label={`End the session of ${nameBrowser(session.user_agent)}`}
                  onClick={() => setEnding(session)}
                >
                  End
                </Button>
              ),
          },
        ]}
      />
      {ending === 'others' && <EndOthers onClose={close} />}
      {ending && ending !== 'others' && <EndSession session={ending} onClose={close} />}
    </Stack>
  );
}

function EndSession({ session, onClose }: { session: OwnSession; onClose: () => void }) {
  const write = useWrite(
    (headers, id: string) =>
      client.DELETE('/me/sessions/{id}', { params: { path: { id }, header: headers } }),
    { done: 'The session has ended' },
  );
  return (
    <ConfirmDialog
      title="End this session"
      verb="End session"
      effect={`${nameBrowser(session.user_agent)} is signed out within 5 seconds.`}
      write={write}
      onConfirm={() => void write.run(session.id).then((ended) => ended && onClose())}
      onClose={onClose}
    />
  );
}

function EndOthers({ onClose }: { onClose: () => void }) {
  const write = useWrite(
    (headers, _nothing: undefined) => client.DELETE('/me/sessions', { params: { header: headers } }),
    { done: 'All other sessions have ended' },
  );
  return (
    <ConfirmDialog
      title="End all other sessions"
      verb="End sessions"
      effect="You are signed out everywhere else within 5 seconds. This session stays."
      write={write}
      onConfirm={() => void write.run(undefined).then((ended) => ended && onClose())}
      onClose={onClose}
    />
  );
}
