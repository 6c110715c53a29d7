import { Button, Group, Stack, Textarea } from '@mantine/core';
import { useState } from 'react';
import { client } from '../../../api/client';
import { splitFaults } from '../../../api/problem';
import type { Schemas, WorkOrder } from '../../../api/records';
import { useCan } from '../../../api/session';
import { useWrite } from '../../../api/use-write';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { MessageBadge } from '../../../parts/record/message-badge';
import { PagedTable } from '../../../parts/record/paged-table';
import { TimeAgo } from '../../../parts/values/time';

type Message = Schemas['MessageListItem'];

const PAGE_SIZE = 20;

/** The texts between the account and the contact of a job, newest first, and a field to answer. */
export function TextsTab({ workOrder: { id, contact_phone: phone } }: { workOrder: WorkOrder }) {
  const canWrite = useCan('write');
  const query = { work_order_id: id, limit: PAGE_SIZE };
  return (
    <Stack gap="md">
      {canWrite && phone !== null && <NewText workOrderId={id} phone={phone} />}
      <PagedTable<Message>
        label="Texts"
        queryKey={['/messages', query]}
        readPage={async (cursor) => {
          const { data } = await client.GET('/messages', {
            params: { query: { ...query, ...(cursor === undefined ? {} : { cursor }) } },
          });
          return data?.data ?? { items: [], cursor: null };
        }}
        rowKey={(message) => message.id}
        empty="No text was sent or received about this work order."
        columns={[
          { header: 'Time', render: ({ created_at: at }) => <TimeAgo at={at} /> },
          {
            header: 'Who',
            render: ({ sender, recipient }) => (sender === null ? `To ${recipient}` : `From ${sender}`),
          },
          { header: 'Text', render: describeText },
          { header: 'Status', render: (message) => <MessageBadge message={message} /> },
        ]}
      />
    </Stack>
  );
}

function describeText({ text, template, error }: Message): string {
  const words =
    text ?? (template === null ? 'Text with a link' : `About the job: ${template.replaceAll('_', ' ')}`);
  return error === null ? words : `${words} (${error})`;
}

function NewText({ workOrderId, phone }: { workOrderId: string; phone: string }) {
  const [text, setText] = useState('');
  const write = useWrite(
    (header, body: Schemas['MessageCreate']) => client.POST('/messages', { params: { header }, body }),
    { done: 'The text is sent' },
  );
  const { errors, rest } = write.problem
    ? splitFaults(write.problem, ['text'])
    : { errors: {} as Record<string, string>, rest: undefined };
  const submit = async () => {
    if (await write.run({ work_order_id: workOrderId, text: text.trim() })) setText('');
  };
  return (
    <form
      aria-label="New text"
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <Stack gap="xs">
        <Textarea
          label={`Text to ${phone}`}
          autosize
          minRows={2}
          maxLength={1600}
          value={text}
          error={errors.text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
        {rest && <ProblemAlert problem={rest} />}
        <Group justify="flex-end">
          <Button type="submit" loading={write.isRunning} disabled={text.trim() === ''}>
            Send text
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
