import { Anchor, Modal, Stack, Text } from '@mantine/core';
import { ExternalLink } from 'lucide-react';
import { api } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { Loading } from '../../../parts/basics/loading';
import { useFocusReturn } from '../../../parts/dialogs/use-focus-return';
import { ProblemAlert } from '../../../parts/feedback/problem-alert';
import { CodeBlock } from '../../../parts/values/code-block';

/** The text of a message, and the page behind its link. */
export function MessageContent({
  invoice,
  message,
  onClose,
}: {
  invoice: Invoice;
  message: Schemas['MessageListItem'];
  onClose: () => void;
}) {
  useFocusReturn();
  const reading = api.useQuery('get', '/messages/{id}', { params: { path: { id: message.id } } });
  const link = reading.data && findLink(reading.data);
  return (
    <Modal opened onClose={onClose} size="lg" title={message.subject ?? `Message to ${message.recipient}`}>
      {reading.isPending && <Loading rows={4} />}
      {reading.error && <ProblemAlert problem={reading.error} onRetry={() => void reading.refetch()} />}
      {reading.data && (
        <Stack gap="sm">
          {link && <CustomersPage link={link} isViewed={invoice.delivery?.viewed_at != null} />}
          <CodeBlock code={reading.data.body_text} label="Text of the message" copyLabel="text" />
        </Stack>
      )}
    </Modal>
  );
}

function CustomersPage({ link, isViewed }: { link: string; isViewed: boolean }) {
  return (
    <div>
      <Anchor href={link} target="_blank" rel="noreferrer">
        What the customer sees <ExternalLink size={14} aria-hidden />
        {' (opens a new tab)'}
      </Anchor>
      {!isViewed && (
        <Text size="sm" c="dimmed">
          The customer has not opened it yet. If you do, the invoice counts as viewed. The tab PDF shows the
          same invoice without that.
        </Text>
      )}
    </div>
  );
}

/**
 * Returns the link if it still opens the invoice. Only the text of the message contains the link.
 */
function findLink(message: Schemas['Message']): string | undefined {
  const isOpen =
    message.link_revoked_at === null &&
    message.link_expires_at !== null &&
    Date.parse(message.link_expires_at) > Date.now();
  return isOpen ? /https?:\/\/\S+\/i\/[\w-]+/.exec(message.body_text)?.[0] : undefined;
}
