import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import type { Schemas } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { MESSAGE_STATE } from '../../../generated/vocabulary';
import { wordsOf } from '../../../parts/choices/words';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import type { Filter } from '../../../parts/list/filters';
import { PagedTable } from '../../../parts/record/paged-table';
import { StatusBadge } from '../../../parts/record/status-badge';
import { RecordLink } from '../../../parts/url/links';
import { useUrlSearch } from '../../../parts/url/use-url';
import { TimeAgo } from '../../../parts/values/time';
import { MessageText } from './message-text';

type Message = Schemas['MessageListItem'];

const CHANNELS = { email: 'Mail', sms: 'Text message' } as const;
const PAGE_SIZE = 10;

export const MESSAGE_FILTERS: readonly Filter[] = [
  {
    name: 'channel',
    label: 'Channel',
    kind: 'choice',
    options: [
      { value: 'email', label: CHANNELS.email },
      { value: 'sms', label: CHANNELS.sms },
    ],
  },
  { name: 'state', label: 'Status', kind: 'choice', options: wordsOf(MESSAGE_STATE) },
];

/** The messages with their state. A click shows the sent text. */
export function MessageTable() {
  const [openId, setOpenId] = useState<string>();
  const { channel, state } = useUrlSearch();
  const filter = {
    ...(channel ? { channel: channel as Schemas['MessageChannel'] } : {}),
    ...(state ? { state: state as Schemas['MessageState'] } : {}),
  };
  return (
    <>
      <PagedTable<Message>
        label="Messages to customers"
        queryKey={['/messages', filter]}
        readPage={async (cursor) => {
          const query = { limit: PAGE_SIZE, ...filter, ...(cursor ? { cursor } : {}) };
          const { data } = await client.GET('/messages', { params: { query } });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={({ id }) => id}
        empty={
          channel || state
            ? 'No message matches these filters.'
            : 'No message was written yet. Send an invoice.'
        }
        columns={[
          {
            header: 'Subject',
            render: (message) => <MessageSubject message={message} />,
          },
          { header: 'Channel', render: ({ channel: name }) => CHANNELS[name] },
          {
            header: 'Recipient',
            render: ({ recipient, sender }) => (sender === null ? recipient : `From ${sender}`),
          },
          { header: 'Status', render: (message) => <MessageState message={message} /> },
          { header: 'Written', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          {
            header: 'Actions',
            render: (message) => <MessageActions message={message} onShow={() => setOpenId(message.id)} />,
          },
        ]}
      />
      {openId && <MessageText id={openId} onClose={() => setOpenId(undefined)} />}
    </>
  );
}

function MessageSubject({ message }: { message: Message }) {
  const { invoice_id: invoiceId, work_order_id: workOrderId, subject, text, template } = message;
  const words = text ?? (template ? `Text about a job: ${template.replaceAll('_', ' ')}` : 'Text message');
  if (invoiceId !== null)
    return (
      <RecordLink screen="invoices" id={invoiceId}>
        {subject ?? 'Text message of an invoice'}
      </RecordLink>
    );
  if (workOrderId === null) return words;
  return (
    <RecordLink screen="work-orders" id={workOrderId}>
      {words}
    </RecordLink>
  );
}

function MessageState({ message: { state, provider, error } }: { message: Message }) {
  // A message in the outbox has the state `sent`, although it was only stored.
  const isOnlyStored = provider === 'outbox' && state === 'sent';
  return (
    <>
      <StatusBadge status={isOnlyStored ? 'stored_but_not_sent' : state} />
      {error && <Text size="xs">{error}</Text>}
    </>
  );
}

function MessageActions({ message, onShow }: { message: Message; onShow: () => void }) {
  const [isRetrying, setRetrying] = useState(false);
  const canApprove = useCan('approve');
  const to = message.recipient;
  return (
    <Group gap={6} wrap="nowrap">
      <Button size="compact-sm" variant="default" aria-label={`Show text to ${to}`} onClick={onShow}>
        Show text
      </Button>
      {canApprove && message.state === 'failed' && message.invoice_id !== null && (
        <Button
          size="compact-sm"
          variant="default"
          aria-label={`Retry message to ${to}`}
          onClick={() => setRetrying(true)}
        >
          Retry
        </Button>
      )}
      {isRetrying && <RetryMessage message={message} onClose={() => setRetrying(false)} />}
    </Group>
  );
}

function RetryMessage({ message, onClose }: { message: Message; onClose: () => void }) {
  const write = useWrite(
    (headers, id: string) =>
      client.POST('/messages/{id}/retry', { params: { path: { id }, header: headers }, body: {} }),
    { done: 'The message is sent again' },
  );
  return (
    <ConfirmDialog
      title="Send the message again"
      verb="Retry"
      isDangerous={false}
      effect={`The message to ${message.recipient} is written anew from the current state of the invoice, with a new link, and sent.`}
      write={write}
      onConfirm={() => void write.run(message.id).then((sent) => sent && onClose())}
      onClose={onClose}
    />
  );
}
