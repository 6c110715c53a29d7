import { Modal, Stack } from '@mantine/core';
import { api } from '../../../api/client';
import { Loading } from '../../../parts/basics/loading';
import { useFocusReturn } from '../../../parts/dialogs/use-focus-return';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { Facts } from '../../../parts/record/facts';
import { CodeBlock } from '../../../parts/values/code-block';
import { ExactTime } from '../../../parts/values/time';

/** The text of one message, as its recipient reads it. */
export function MessageText({ id, onClose }: { id: string; onClose: () => void }) {
  useFocusReturn();
  const { data, error, isPending, refetch } = api.useQuery('get', '/messages/{id}', {
    params: { path: { id } },
  });
  return (
    <Modal opened onClose={onClose} size="lg" title={data?.subject ?? 'Text of the message'}>
      {isPending && <Loading rows={4} />}
      {!isPending && !data && <ProblemAlert problem={error} onRetry={() => void refetch()} />}
      {data && (
        <Stack gap="sm">
          <Facts
            items={{
              To: data.recipient,
              Provider: data.provider === 'outbox' ? 'None: it was only stored here' : data.provider,
              Sent: <ExactTime at={data.sent_at} />,
              'Its link works until': <ExactTime at={data.link_revoked_at ?? data.link_expires_at} />,
            }}
          />
          <CodeBlock label="Text of the message" code={data.body_text} copyLabel="text" />
        </Stack>
      )}
    </Modal>
  );
}
