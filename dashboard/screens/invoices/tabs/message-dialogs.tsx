import { client, ifMatch } from '../../../api/client';
import type { Invoice, Schemas } from '../../../api/records';
import { useWrite } from '../../../api/use-write';
import { ConfirmDialog } from '../../../parts/dialogs/confirm-dialog';
import { Restated } from '../actions/restated';

interface DialogProps {
  invoice: Invoice;
  message: Schemas['MessageListItem'];
  onClose: () => void;
}

/** Sends a failed message again. */
export function RetryMessage({ invoice, message, onClose }: DialogProps) {
  const write = useWrite(
    (headers) =>
      client.POST('/messages/{id}/retry', {
        params: { path: { id: message.id }, header: { ...headers, ...ifMatch(message) } },
        body: {},
      }),
    { done: 'The message is sent again' },
  );
  const confirm = async () => {
    if (await write.run(undefined)) onClose();
  };
  return (
    <ConfirmDialog
      title="Retry the message"
      verb="Retry"
      isDangerous={false}
      effect={
        <Restated
          invoice={invoice}
          effect={`The message to ${message.recipient} is written again from the invoice as it is now, with a new link.`}
        />
      }
      write={write}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}

/** Disables the link in a message, for example because it went to the wrong person. */
export function RevokeLink({ invoice, message, onClose }: DialogProps) {
  const write = useWrite(
    (headers) =>
      client.POST('/messages/{id}/revoke-link', {
        params: { path: { id: message.id }, header: { ...headers, ...ifMatch(message) } },
        body: {},
      }),
    { done: 'Link revoked' },
  );
  const confirm = async () => {
    if (await write.run(undefined)) onClose();
  };
  return (
    <ConfirmDialog
      title="Revoke the link"
      verb="Revoke link"
      effect={
        <Restated
          invoice={invoice}
          effect={`The link in the message to ${message.recipient} no longer opens the invoice. To give the customer a new one, send the invoice again.`}
        />
      }
      write={write}
      onConfirm={() => void confirm()}
      onClose={onClose}
    />
  );
}
