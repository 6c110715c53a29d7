import { Button, Group, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { findDeliveredAt, MessageBadge } from '../../../parts/record/message-badge';
import { PagedTable } from '../../../parts/record/paged-table';
import { TimeAgo } from '../../../parts/values/time';
import { MessageContent } from './message-content';
import { RetryMessage, RevokeLink } from './message-dialogs';

type Message = Schemas['MessageListItem'];

/** The mails and texts that sent the invoice to its customer. */
export function MessagesTab({ invoice }: { invoice: Invoice }) {
  const [open, setOpen] = useState<{ dialog: 'show' | 'retry' | 'revoke'; message: Message }>();
  const close = () => setOpen(undefined);
  return (
    <>
      <PagedTable<Message>
        label="Messages"
        queryKey={['/messages', invoice.id]}
        readPage={async (cursor) => {
          const query = { invoice_id: invoice.id, limit: 20, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/messages', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty="Nothing has been sent to the customer yet."
        columns={[
          { header: 'Time', render: ({ sent_at, created_at }) => <TimeAgo at={sent_at ?? created_at} /> },
          { header: 'To', render: (message) => <Receiver message={message} /> },
          { header: 'State', render: (message) => <State message={message} /> },
          { header: 'Link', render: (message) => <LinkState message={message} /> },
          {
            header: 'Actions',
            render: (message) => (
              <MessageActions message={message} onOpen={(dialog) => setOpen({ dialog, message })} />
            ),
          },
        ]}
      />
      {open?.dialog === 'show' && <MessageContent invoice={invoice} message={open.message} onClose={close} />}
      {open?.dialog === 'retry' && <RetryMessage invoice={invoice} message={open.message} onClose={close} />}
      {open?.dialog === 'revoke' && <RevokeLink invoice={invoice} message={open.message} onClose={close} />}
    </>
  );
}

function Receiver({ message: { channel, recipient } }: { message: Message }) {
  return (
    <Stack gap={0}>
      {recipient}
      <Text size="xs" c="dimmed">
        {channel === 'email' ? 'E-mail' : 'Text message'}
      </Text>
    </Stack>
  );
}

function State({ message }: { message: Message }) {
  const deliveredAt = findDeliveredAt(message);
  return (
    <Stack gap={2} align="flex-start">
      <MessageBadge message={message} />
      {deliveredAt && (
        <Text size="xs" c="dimmed">
          <TimeAgo at={deliveredAt} />
        </Text>
      )}
      {message.provider === 'outbox' && (
        <Text size="xs" c="dimmed">
          Stored here, not sent
        </Text>
      )}
      {message.error && <Text size="xs">{message.error}</Text>}
      {message.next_attempt_at && (
        <Text size="xs" c="dimmed">
          Next attempt <TimeAgo at={message.next_attempt_at} />
        </Text>
      )}
    </Stack>
  );
}

function LinkState({
  message: { link_revoked_at: revoked, link_expires_at: expires },
}: {
  message: Message;
}) {
  if (revoked) {
    return (
      <>
        Revoked <TimeAgo at={revoked} />
      </>
    );
  }
  if (!expires) return <>–</>;
  return (
    <>
      {Date.parse(expires) < Date.now() ? 'Expired' : 'Expires'} <TimeAgo at={expires} />
    </>
  );
}

function MessageActions({
  message,
  onOpen,
}: {
  message: Message;
  onOpen: (dialog: 'show' | 'retry' | 'revoke') => void;
}) {
  const canApprove = useCan('approve');
  const hasLink = message.link_expires_at !== null && message.link_revoked_at === null;
  const button = { size: 'compact-sm', variant: 'default' } as const;
  return (
    <Group gap={6}>
      <Button {...button} onClick={() => onOpen('show')}>
        Show
      </Button>
      {canApprove && message.state === 'failed' && (
        <Button {...button} onClick={() => onOpen('retry')}>
          Retry
        </Button>
      )}
      {canApprove && hasLink && (
        <Button {...button} onClick={() => onOpen('revoke')}>
          Revoke link
        </Button>
      )}
    </Group>
  );
}
