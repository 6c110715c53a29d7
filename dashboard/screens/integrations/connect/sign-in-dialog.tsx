import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import { api } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useFocusReturn } from '../../../parts/dialogs/use-focus-return';
import { StatusBadge } from '../../../parts/record/status-badge';

const STATUS_MS = 4000;

/**
 * Leads to the vendor's sign-in page in a new window, and shows when the connection works. The
 * person must click a link, because browsers block windows that a script opens.
 * @param started the response to the sign-in request, with the address of the vendor's page
 */
export function SignInDialog({
  vendorName,
  started: { id, status, authorize_url: url },
  onClose,
}: {
  vendorName: string;
  started: Schemas['ConnectionWithSignIn'];
  onClose: () => void;
}) {
  useFocusReturn();
  const { data } = api.useQuery(
    'get',
    '/connections/{id}',
    { params: { path: { id } } },
    { refetchInterval: ({ state }) => state.data?.status !== 'active' && STATUS_MS },
  );
  // A connection that was active before the sign-in shows no change. So the dialog cannot know when
  // this sign-in is complete.
  const isDone = status !== 'active' && data?.status === 'active';
  return (
    <Modal opened onClose={onClose} closeOnClickOutside={false} title={`Sign in at ${vendorName}`}>
      <Stack gap="sm">
        {url === null ? (
          <Text>The sign-in page is not known. Close this dialog and press Reconnect.</Text>
        ) : (
          <Text>
            The sign-in opens in a new window. Complete it there within ten minutes, in this browser. Then
            come back here.
          </Text>
        )}
        {data && (
          <Group gap="xs" aria-live="polite">
            <StatusBadge status={data.status} />
            <Text size="sm">
              {isDone ? `${vendorName} is connected.` : (data.status_reason ?? 'Waiting for the sign-in')}
            </Text>
          </Group>
        )}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            {isDone ? 'Open the connection' : 'Close'}
          </Button>
          {url !== null && !isDone && (
            <Button
              component="a"
              href={url}
              target="_blank"
              rel="noopener noreferrer"
              rightSection={<ExternalLink size={16} aria-hidden />}
            >
              Sign in at {vendorName}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  );
}
